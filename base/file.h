/* Files: reading by map or copy, writing with the fsync discipline, failpoints.
 *
 * Nothing here retries an fsync. All paths are NUL-terminated. Every failure fills `error` with
 * path and errno. Each durable step names a failpoint (below), so that tests can stop the process,
 * fail the call or tear the write exactly there.
 */
#ifndef WS_BASE_FILE_H
#define WS_BASE_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "wikisearch/status.h"

/* --- reading --- */

#define WS_MAP_MMAP 0u /* PROT_READ, MAP_SHARED; truncation under us is a SIGBUS */
#define WS_MAP_READ 1u /* copied into memory */

typedef struct {
    const uint8_t *data; /* `size` bytes; NULL when size is 0 */
    size_t size;
    uint32_t mode; /* WS_MAP_* */
} ws_map;

/* Maps or reads a whole file. */
ws_status ws_map_open(ws_map *map, const char *path, uint32_t mode, ws_error *error);
void ws_map_close(ws_map *map); /* also right after a failed open */

/* Reads a whole small file into memory (at most `limit` bytes, else WS_ERR_LIMIT). Free *data with
 * ws_free. */
ws_status ws_file_read(const char *path, size_t limit, uint8_t **data, size_t *size,
                       ws_error *error);

/* pread until `n` bytes are there; WS_ERR_CORRUPT when the file ends before. EINTR is retried. */
ws_status ws_file_pread(int fd, void *out, size_t n, uint64_t offset, const char *path,
                        ws_error *error);

/* --- writing a file: create PATH.tmp, append, finish (fdatasync, rename), sync the folder --- */

typedef struct {
    int fd;
    uint64_t offset;      /* bytes appended so far */
    uint8_t *buffer;      /* 256 KiB write buffer */
    size_t buffered;
    char path[4096];      /* the final name; the file is PATH.tmp until finished */
    ws_status status;     /* sticky: the first error; later appends do nothing */
    ws_error error;       /* of that first error */
} ws_file_writer;

ws_status ws_file_writer_open(ws_file_writer *w, const char *path, ws_error *error);
void ws_file_writer_append(ws_file_writer *w, const void *bytes, size_t n); /* errors are sticky */
/* zeros to a multiple */
void ws_file_writer_align(ws_file_writer *w, size_t alignment);
/* buffer to the kernel */
ws_status ws_file_writer_flush(ws_file_writer *w);

/* Flush, fdatasync, close, rename to the final name. The name is durable after ws_dir_sync only. On
 * error the temporary file is removed. */
ws_status ws_file_writer_finish(ws_file_writer *w, ws_error *error);
/* removes the temporary file; safe after finish or failed open */
void ws_file_writer_abort(ws_file_writer *w);

ws_status ws_dir_sync(const char *dir, ws_error *error);    /* fsync of a directory */
/* with parents, mode 0755; fine when it exists; parents synced */
ws_status ws_dir_create(const char *dir, ws_error *error);
ws_status ws_file_unlink(const char *path, ws_error *error); /* a missing file is fine */

/* Joins dir + '/' + name into out[cap]; WS_ERR_LIMIT when too long. */
ws_status ws_path_join(char *out, size_t cap, const char *dir, const char *name);

/* --- the one-writer lock --- */

/* flock(LOCK_EX | LOCK_NB) on PATH, created when missing, our pid written into it. WS_ERR_LOCKED
 * names the holder's pid. The lock dies with the process. */
ws_status ws_lock_acquire(int *fd, const char *path, ws_error *error);
void ws_lock_release(int fd); /* -1 does nothing */

/* --- failpoints: test equipment, in every build, inert until set ---
 *
 * A step calls ws_failpoint("commit.manifest.rename"). The environment variable WS_FAILPOINT or
 * ws_failpoint_set gives "name:action[:n]", comma-separated; action = crash (SIGKILL to ourselves),
 * eio, enospc, short (half a write, then eio), sleep (100 ms); n = which call of that point fires
 * (default 1).
 *
 * Points inside base: file.create, file.write, file.sync, file.rename (ws_file_writer, in this
 * order), dir.sync, file.unlink. */
typedef enum { WS_FAIL_NONE, WS_FAIL_EIO, WS_FAIL_ENOSPC, WS_FAIL_SHORT } ws_fail_action;
ws_fail_action ws_failpoint(const char *name);
ws_status ws_failpoint_set(const char *spec); /* NULL clears; WS_ERR_SYNTAX for a bad one */

#endif
