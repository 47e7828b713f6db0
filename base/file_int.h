/* What the files behind base/file.h share. */
#ifndef WS_BASE_FILE_INT_H
#define WS_BASE_FILE_INT_H

#include "base/file.h"

/* Passes the failpoint `name`; the errno value that the step must fail with, 0 to go on (a torn
 * write counts as EIO here). [any] */
int ws_failpoint_errno(const char *name);

/* Fills `error` (NULL allowed) for a failed fsync: code WS_ERR_FSYNC_FAILED whatever errno says,
 * because what is on the disk is unknown. Returns that code. */
ws_status ws_error_fsync(ws_error *error, int errnum, const char *path, const char *what);

#endif
