/* Symbol visibility and C++ linkage for every public header. */
#ifndef WIKISEARCH_EXPORT_H
#define WIKISEARCH_EXPORT_H

#if defined(__GNUC__)
# define WS_API __attribute__((visibility("default")))
# define WS_PRINTF(fmt_index, first_arg) __attribute__((format(printf, fmt_index, first_arg)))
# define WS_MUST_USE __attribute__((warn_unused_result))
#else
# define WS_API
# define WS_PRINTF(fmt_index, first_arg)
# define WS_MUST_USE
#endif

#ifdef __cplusplus
# define WS_BEGIN_DECLS extern "C" {
# define WS_END_DECLS }
#else
# define WS_BEGIN_DECLS
# define WS_END_DECLS
#endif

#endif
