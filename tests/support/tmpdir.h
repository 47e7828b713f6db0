/* A temporary directory per test: made empty, removed with all that is in it. */
#ifndef WS_TESTS_SUPPORT_TMPDIR_H
#define WS_TESTS_SUPPORT_TMPDIR_H

#include <stddef.h>

#define WS_TMPDIR_CAP 512u

/* Makes a directory below $TMPDIR (else /tmp) and writes its path into out[WS_TMPDIR_CAP]. Ends the
 * test program when that is impossible. */
void ws_tmpdir_make(char out[WS_TMPDIR_CAP]);

/* Removes the directory and everything below it. */
void ws_tmpdir_remove(const char *dir);

/* dir + '/' + name into out[cap]; returns out. */
char *ws_tmpdir_path(char *out, size_t cap, const char *dir, const char *name);

/* Writes a whole file, plainly. Ends the test program when that is impossible. */
void ws_tmpdir_write(const char *path, const void *bytes, size_t n);

#endif
