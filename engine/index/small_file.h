/* Durable steps of small files: the commit's failpoints, and a file written whole (MANIFEST, its
 * copy, live bits). */
#ifndef WS_INDEX_SMALL_FILE_H
#define WS_INDEX_SMALL_FILE_H

#include "base/file.h"

/* Passes a failpoint of a step that writes or renames: WS_OK, or the error that the step must end
 * with, `error` filled (NULL allowed). */
ws_status ws_fail_step(const char *point, const char *path, ws_error *error);

/* The same for an fsync, whose failures are all WS_ERR_FSYNC_FAILED: what is on the disk is
 * unknown. */
ws_status ws_fail_sync(const char *point, const char *path, ws_error *error);

/* Writes DIR/NAME: NAME.tmp, fdatasync, rename. The name is durable after ws_dir_sync only. On
 * error the temporary file is gone. sync_point, rename_point  failpoints before those steps; NULL =
 * none Errors: WS_ERR_NOSPC, WS_ERR_IO, WS_ERR_FSYNC_FAILED, WS_ERR_LIMIT (path), WS_ERR_NOMEM. */
ws_status ws_small_file_write(const char *dir, const char *name, ws_str bytes,
                              const char *sync_point, const char *rename_point, ws_error *error);

/* Ends a file writer with the same two failpoints: everything appended reaches the kernel first.
 * Both points lie before the fdatasync, which base/file.h does in one call with the rename; its own
 * points file.sync and file.rename are between. */
ws_status ws_finish_file(ws_file_writer *w, const char *sync_point, const char *rename_point,
                         ws_error *error);

#endif
