/* Importing files into an index: one reader (the calling thread), workers that parse, analyse and
 * invert, a durable commit every so many documents.
 *
 * Every commit stores where the reader stood, so that an import that was killed goes on from its
 * last commit. Nothing that is wrong with a document ends the import: it is counted, and the first
 * ones are reported with their place. */
#ifndef WS_INDEXER_IMPORT_H
#define WS_INDEXER_IMPORT_H

#include <stdatomic.h>

#include "wikisearch/budget.h"
#include "wikisearch/schema.h"

#define WS_IMPORT_AUTO  0u
#define WS_IMPORT_JSONL 1u
#define WS_IMPORT_LINES 2u

#define WS_IMPORT_BAD_KEPT    20u
#define WS_IMPORT_MEMORY      (512ull << 20)
#define WS_IMPORT_COMMIT_DOCS 10000u

typedef struct {
    uint64_t documents; /* number over all inputs */
    uint64_t offset;    /* in the decompressed stream of its file */
    uint32_t file;
    char reason[200];
} ws_import_bad;

/* Progress while it runs. */
typedef struct {
    uint64_t documents;              /* read so far, those of an earlier run included */
    uint64_t bytes;                  /* decompressed, of this run */
    uint64_t file_bytes, file_total; /* compressed: read, and all there is (0 = not known) */
} ws_import_progress;

/* All are called in the calling thread; each may be NULL. */
typedef struct {
    void *ctx;
    void (*progress)(void *ctx, const ws_import_progress *progress); /* about every 256 KiB */
    void (*committed)(void *ctx, uint64_t generation, uint64_t documents); /* durable from now on */
    void (*message)(void *ctx, const char *text); /* something the user should know */
} ws_import_events;

typedef struct {
    const char *dir;
    const char *const *files; /* "-" = standard input, at most once */
    uint32_t n_files;
    uint32_t format;         /* WS_IMPORT_* */
    const ws_schema *schema; /* NULL = the index's own, the default schema for a new index */
    const char *lang;        /* value of field "lang" where a document has none; NULL = leave it */
    uint64_t memory;         /* hard ceiling in bytes; 0 = WS_IMPORT_MEMORY */
    uint32_t threads;        /* workers; 0 = cores */
    uint64_t commit_every;   /* documents; 0 = WS_IMPORT_COMMIT_DOCS */
    uint64_t limit;          /* documents over all inputs; 0 = all */
    int resume;              /* go on behind the last commit of an import of the same input */
    const atomic_int *stop;  /* not 0: finish the batch, commit, WS_ERR_CANCELLED; NULL allowed */
    const ws_budget *budget; /* cancels merges; NULL allowed */
    ws_import_events events;
} ws_import_options;

typedef struct {
    uint64_t documents;  /* read in this run, bad ones included */
    uint64_t resumed_at; /* documents that an earlier run had done */
    uint64_t bad, replaced, ignored_keys, replaced_utf8, truncated_terms;
    uint32_t n_bad_kept;
    ws_import_bad bad_kept[WS_IMPORT_BAD_KEPT]; /* the first ones, in order */
    uint64_t bytes;                             /* decompressed */
    uint64_t file_bytes;                        /* as read */
    uint64_t wall_ns, cpu_ns;
    uint64_t memory;      /* the ceiling */
    uint64_t peak_memory; /* of the in-memory inversion */
    uint32_t threads;
    uint64_t generation, flushes, merges;
    uint32_t has_generation; /* 0: nothing was committed, by this or an earlier run */
} ws_import_report;

/* Runs an import to its end.
 *   report  filled also on failure, as far as it got
 * Returns WS_OK; WS_ERR_CANCELLED after `stop` (what was read is committed); WS_ERR_CORRUPT and
 * WS_ERR_IO of an input (what was read before is committed); WS_ERR_LOCKED, WS_ERR_SCHEMA,
 * WS_ERR_ANALYSIS, WS_ERR_LIMIT (the memory is too little), WS_ERR_ARG, WS_ERR_NOT_FOUND, and
 * whatever a commit returns. */
ws_status ws_import_run(const ws_import_options *options, ws_import_report *report,
                        ws_error *error);

#endif
