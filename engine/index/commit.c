/* MANIFEST on disk: reading with fall-back, the commit order, and the sweep (docs/format.md section
 * 1). */
#include <dirent.h>
#include <errno.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/str.h"
#include "engine/index/manifest.h"
#include "engine/index/small_file.h"

#define MANIFEST_MAX (1u << 20)

/* --- reading --- */

static ws_status read_one(ws_manifest *m, const char *dir, const char *name, ws_error *error)
{
    char path[4096];
    uint8_t *data;
    size_t size;
    ws_error why = {0};
    if (ws_path_join(path, sizeof path, dir, name))
        return ws_error_at(error, WS_ERR_ARG, dir, 0, "the path is too long");
    WS_TRY(ws_file_read(path, MANIFEST_MAX, &data, &size, error));
    ws_status status = ws_manifest_decode(m, ws_str_make((const char *)data, size), &why);
    ws_free(data);
    return status ? ws_error_at(error, status, path, 0, "%s", why.message) : WS_OK;
}

static int is_damage(ws_status status)
{
    return status == WS_ERR_CORRUPT || status == WS_ERR_NOT_FOUND || status == WS_ERR_LIMIT;
}

ws_status ws_manifest_read(ws_manifest *m, const char *dir, ws_error *error)
{
    ws_error first = {0}, second = {0};
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

ws_status ws_manifest_read_previous(ws_manifest *m, const char *dir, ws_error *error)
{
    return read_one(m, dir, "MANIFEST.prev", error);
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

/* MANIFEST.prev becomes a copy of the present MANIFEST, unless that is damaged: then the copy that
 * is there is the better one. */
static ws_status keep_previous(const char *dir, ws_error *error)
{
    char path[4096];
    uint8_t *data;
    size_t size;
    ws_manifest m;
    if (ws_path_join(path, sizeof path, dir, "MANIFEST"))
        return ws_error_at(error, WS_ERR_ARG, dir, 0, "the path is too long");
    ws_status status = ws_file_read(path, MANIFEST_MAX, &data, &size, error);
    if (status == WS_ERR_NOT_FOUND || status == WS_ERR_LIMIT) /* too long to be one: damaged */
        return WS_OK;
    WS_TRY(status);
    ws_str bytes = {(const char *)data, size};
    status = ws_manifest_decode(&m, bytes, error);
    if (status == WS_OK) {
        ws_manifest_fini(&m);
        status = ws_small_file_write(dir, "MANIFEST.prev", bytes, "commit.prev", NULL, error);
    } else if (status == WS_ERR_CORRUPT) {
        status = WS_OK;
    }
    ws_free(data);
    return status;
}

/* The bytes of a manifest that a reader will accept: what cannot be read back is not committed. */
static ws_status encode_sound(const ws_manifest *m, const char *dir, ws_buf *bytes, ws_error *error)
{
    ws_manifest again;
    ws_error why = {0};
    ws_manifest_encode(m, bytes);
    if (ws_buf_status(bytes))
        return ws_error_at(error, WS_ERR_NOMEM, dir, 0, "no memory for a manifest");
    ws_status status = bytes->len > MANIFEST_MAX
                           ? WS_ERR_LIMIT
                           : ws_manifest_decode(&again, ws_buf_slice(bytes), &why);
    if (status == WS_OK)
        ws_manifest_fini(&again);
    else if (status == WS_ERR_CORRUPT)
        status = ws_error_at(error, WS_ERR_ARG, dir, 0, "not committed: %s", why.message);
    else
        ws_error_at(error, status, dir, 0, "cannot write a manifest: %s", ws_status_text(status));
    return status;
}

static ws_status replace_manifest(const char *dir, ws_str bytes, ws_error *error)
{
    WS_TRY(ws_fail_step("commit.manifest.write", dir, error));
    return ws_small_file_write(dir, "MANIFEST", bytes, "commit.manifest.sync",
                               "commit.manifest.rename", error);
}

static ws_status sync_names(const char *point, const char *dir, ws_error *error)
{
    WS_TRY(ws_fail_sync(point, dir, error));
    return ws_dir_sync(dir, error);
}

ws_status ws_manifest_commit(const ws_manifest *m, const char *dir, ws_error *error)
{
    ws_buf bytes;
    ws_buf_init(&bytes);
    ws_status status = encode_sound(m, dir, &bytes, error);
    if (!status)
        status = sync_names("commit.dir1", dir, error);
    if (!status)
        status = keep_previous(dir, error);
    if (!status)
        status = replace_manifest(dir, ws_buf_slice(&bytes), error);
    ws_buf_fini(&bytes);
    WS_TRY(status);
    /* The new name is there, but may not survive a power cut: whatever fails now leaves durability
     * unknown. */
    return sync_names("commit.dir2", dir, error) ? WS_ERR_FSYNC_FAILED : WS_OK;
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

/* True when `name` is as `pattern`, where each # stands for a hexadecimal digit and each ? for any
 * byte. */
static int is_like(ws_str name, const char *pattern)
{
    if (name.len != strlen(pattern))
        return 0;
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        int digit = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
        if (pattern[i] == '#' ? !digit : pattern[i] != '?' && pattern[i] != c)
            return 0;
    }
    return 1;
}

/* The exact names of docs/format.md section 1 and the temporary ones of their writers: a directory
 * may hold other people's files. */
static int is_ours(ws_str name)
{
    static const char *const patterns[] = {"seg-################.wsg",
                                           "del-################-################.wsd", "MANIFEST",
                                           "MANIFEST.prev"};
    int temporary = ends_with(name, WS_STR(".tmp"));
    ws_str base = ws_str_sub(name, 0, name.len - (temporary ? 4 : 0));
    for (size_t i = 0; i < (temporary ? 4u : 2u); i++)
        if (is_like(base, patterns[i]))
            return 1;
    return is_like(name, "spool-??????");
}

/* Which of an index's own files may go. */
static int is_garbage(const ws_manifest manifests[2], ws_str name)
{
    if (!is_ours(name) || names(&manifests[0], name) || names(&manifests[1], name))
        return 0;
    /* No manifest at all names nothing: before a first commit, or after a loss that the files may
     * help to repair. */
    return ends_with(name, WS_STR(".tmp")) || manifests[0].generation || manifests[1].generation;
}

static ws_status sweep_entry(const char *dir, const char *name, const ws_manifest manifests[2],
                             ws_error *error)
{
    char path[4096];
    if (!is_garbage(manifests, ws_cstr(name)))
        return WS_OK;
    WS_TRY(ws_fail_step("commit.unlink", dir, error));
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

/* A manifest that is not there names nothing. */
static ws_status read_for_sweep(ws_manifest *m, const char *dir, const char *name)
{
    ws_status status = read_one(m, dir, name, NULL);
    if (status == WS_ERR_NOT_FOUND)
        ws_manifest_init(m);
    return status == WS_ERR_NOT_FOUND ? WS_OK : status;
}

ws_status ws_manifest_sweep(const char *dir, ws_error *error)
{
    ws_manifest manifests[2];
    /* One that cannot be read may name anything: then everything stays. */
    if (read_for_sweep(&manifests[0], dir, "MANIFEST"))
        return WS_OK;
    if (read_for_sweep(&manifests[1], dir, "MANIFEST.prev")) {
        ws_manifest_fini(&manifests[0]);
        return WS_OK;
    }
    ws_status status = sweep_with(dir, manifests, error);
    ws_manifest_fini(&manifests[0]);
    ws_manifest_fini(&manifests[1]);
    return status;
}
