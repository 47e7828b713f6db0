/* MANIFEST on disk: reading with fall-back, the commit order, and the sweep (docs/format.md section 1). */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/str.h"
#include "engine/index/manifest.h"

#define MANIFEST_MAX (1u << 20)

/* --- reading --- */

static ws_status read_one(ws_manifest *m, const char *dir, const char *name, ws_error *error)
{
    char path[4096];
    uint8_t *data;
    size_t size;
    WS_TRY(ws_path_join(path, sizeof path, dir, name));
    WS_TRY(ws_file_read(path, MANIFEST_MAX, &data, &size, error));
    ws_status status = ws_manifest_decode(m, ws_str_make((const char *)data, size), error);
    ws_free(data);
    if (status && error)
        snprintf(error->path, sizeof error->path, "%.*s", (int)sizeof error->path - 1, path);
    return status;
}

static int is_damage(ws_status status)
{
    return status == WS_ERR_CORRUPT || status == WS_ERR_NOT_FOUND || status == WS_ERR_LIMIT;
}

ws_status ws_manifest_read(ws_manifest *m, const char *dir, ws_error *error)
{
    ws_error first, second;
    ws_status status = read_one(m, dir, "MANIFEST", &first);
    if (status == WS_OK)
        return WS_OK;
    if (!is_damage(status)) {
        if (error)
            *error = first;
        return status;
    }
    ws_status previous = read_one(m, dir, "MANIFEST.prev", &second);
    if (error)
        *error = previous == WS_ERR_NOT_FOUND ? first : previous ? second : first;
    if (previous == WS_OK)
        return WS_FALLBACK;
    return previous == WS_ERR_NOT_FOUND ? status : previous;
}

ws_status ws_manifest_peek(const char *dir, uint64_t *generation, ws_error *error)
{
    ws_manifest m;
    *generation = 0;
    WS_TRY(read_one(&m, dir, "MANIFEST", error));
    *generation = m.generation;
    ws_manifest_fini(&m);
    return WS_OK;
}

/* --- writing --- */

static ws_status fail_here(const char *point, const char *dir, ws_error *error)
{
    switch (ws_failpoint(point)) {
    case WS_FAIL_EIO:
    case WS_FAIL_SHORT:
        return ws_error_errno(error, EIO, dir, point);
    case WS_FAIL_ENOSPC:
        return ws_error_errno(error, ENOSPC, dir, point);
    default:
        return WS_OK;
    }
}

static ws_status write_file(const char *dir, const char *name, ws_str bytes, const char *sync_point, ws_error *error)
{
    char path[4096];
    ws_file_writer w;
    WS_TRY(ws_path_join(path, sizeof path, dir, name));
    WS_TRY(ws_file_writer_open(&w, path, error));
    ws_file_writer_append(&w, bytes.ptr, bytes.len);
    ws_status status = fail_here(sync_point, dir, error);
    if (status) {
        ws_file_writer_abort(&w);
        return status;
    }
    return ws_file_writer_finish(&w, error);
}

/* MANIFEST.prev becomes a copy of the present MANIFEST, unless that is damaged: then the copy that is there is the better one. */
static ws_status keep_previous(const char *dir, ws_error *error)
{
    char path[4096];
    uint8_t *data;
    size_t size;
    ws_manifest m;
    WS_TRY(ws_path_join(path, sizeof path, dir, "MANIFEST"));
    ws_status status = ws_file_read(path, MANIFEST_MAX, &data, &size, error);
    if (status == WS_ERR_NOT_FOUND)
        return WS_OK;
    WS_TRY(status);
    if (ws_manifest_decode(&m, ws_str_make((const char *)data, size), NULL) == WS_OK) {
        ws_manifest_fini(&m);
        status = write_file(dir, "MANIFEST.prev", ws_str_make((const char *)data, size), "commit.prev", error);
    }
    ws_free(data);
    return status;
}

ws_status ws_manifest_commit(const ws_manifest *m, const char *dir, ws_error *error)
{
    ws_buf bytes;
    WS_TRY(fail_here("commit.dir1", dir, error));
    WS_TRY(ws_dir_sync(dir, error));
    WS_TRY(keep_previous(dir, error));
    ws_buf_init(&bytes);
    ws_manifest_encode(m, &bytes);
    ws_status status = ws_buf_status(&bytes) ? ws_error_set(error, WS_ERR_NOMEM, "no memory for a manifest") : WS_OK;
    if (!status)
        status = fail_here("commit.manifest.write", dir, error);
    if (!status)
        status = write_file(dir, "MANIFEST", ws_buf_slice(&bytes), "commit.manifest.sync", error);
    ws_buf_fini(&bytes);
    WS_TRY(status);
    /* From here the new name may or may not survive a power cut: a failure leaves durability unknown. */
    status = fail_here("commit.dir2", dir, error);
    if (!status)
        status = ws_dir_sync(dir, error);
    return status ? WS_ERR_FSYNC_FAILED : WS_OK;
}

/* --- the sweep --- */

static int ends_with(ws_str s, ws_str end)
{
    return s.len >= end.len && ws_str_eq(ws_str_sub(s, s.len - end.len, s.len), end);
}

static int names(const ws_manifest *m, ws_str name)
{
    char file[64];
    for (uint32_t i = 0; i < m->n_segments; i++) {
        ws_segment_file_name(file, m->segments[i].id);
        if (ws_str_eq(name, ws_cstr(file)))
            return 1;
        ws_live_file_name(file, m->segments[i].id, m->segments[i].live_generation);
        if (m->segments[i].live_generation && ws_str_eq(name, ws_cstr(file)))
            return 1;
    }
    return ws_str_eq(name, ws_cstr(m->suggest_file));
}

static int is_ours(ws_str name)
{
    return ends_with(name, WS_STR(".tmp")) ||
           (ws_str_starts_with(name, WS_STR("seg-")) && ends_with(name, WS_STR(".wsg"))) ||
           (ws_str_starts_with(name, WS_STR("del-")) && ends_with(name, WS_STR(".wsd")));
}

static ws_status sweep_entry(const char *dir, const char *name, const ws_manifest manifests[2], ws_error *error)
{
    char path[4096];
    if (!is_ours(ws_cstr(name)) || names(&manifests[0], ws_cstr(name)) || names(&manifests[1], ws_cstr(name)))
        return WS_OK;
    WS_TRY(fail_here("commit.unlink", dir, error));
    WS_TRY(ws_path_join(path, sizeof path, dir, name));
    return ws_file_unlink(path, error);
}

static ws_status sweep_with(const char *dir, const ws_manifest manifests[2], ws_error *error)
{
    DIR *d = opendir(dir);
    ws_status status = WS_OK;
    if (!d)
        return ws_error_errno(error, errno, dir, "cannot list");
    for (struct dirent *e; !status && (e = readdir(d)) != NULL;)
        status = sweep_entry(dir, e->d_name, manifests, error);
    closedir(d);
    return status;
}

/* A manifest that cannot be read names nothing, but its files may be what repairs it: then nothing is removed. */
static ws_status read_for_sweep(ws_manifest *m, const char *dir, const char *name, ws_error *error)
{
    ws_status status = read_one(m, dir, name, error);
    if (status == WS_ERR_NOT_FOUND) {
        ws_manifest_init(m);
        return WS_OK;
    }
    return status;
}

ws_status ws_manifest_sweep(const char *dir, ws_error *error)
{
    ws_manifest manifests[2];
    if (read_for_sweep(&manifests[0], dir, "MANIFEST", NULL))
        return WS_OK;
    if (read_for_sweep(&manifests[1], dir, "MANIFEST.prev", NULL)) {
        ws_manifest_fini(&manifests[0]);
        return WS_OK;
    }
    ws_status status = sweep_with(dir, manifests, error);
    ws_manifest_fini(&manifests[0]);
    ws_manifest_fini(&manifests[1]);
    return status;
}
