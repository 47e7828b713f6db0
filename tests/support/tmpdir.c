#define _XOPEN_SOURCE 700 /* nftw */
#include "tests/support/tmpdir.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>

#define OPEN_DIRS 16

static void give_up(const char *what, const char *path)
{
    fprintf(stderr, "tmpdir: %s %s\n", what, path);
    abort();
}

void ws_tmpdir_make(char out[WS_TMPDIR_CAP])
{
    const char *base = getenv("TMPDIR");
    if (!base || !*base)
        base = "/tmp";
    int n = snprintf(out, WS_TMPDIR_CAP, "%s/wikisearch-test-XXXXXX", base);
    if (n < 0 || (unsigned)n >= WS_TMPDIR_CAP || !mkdtemp(out))
        give_up("cannot make", out);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st;
    (void)type;
    (void)ftw;
    return remove(path);
}

void ws_tmpdir_remove(const char *dir)
{
    nftw(dir, remove_one, OPEN_DIRS, FTW_DEPTH | FTW_PHYS);
}

char *ws_tmpdir_path(char *out, size_t cap, const char *dir, const char *name)
{
    int n = snprintf(out, cap, "%s/%s", dir, name);
    if (n < 0 || (size_t)n >= cap)
        give_up("too long:", dir);
    return out;
}

void ws_tmpdir_write(const char *path, const void *bytes, size_t n)
{
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, n, file) != n || fclose(file))
        give_up("cannot write", path);
}
