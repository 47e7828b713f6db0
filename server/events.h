/* What wakes the I/O thread: connections, finished jobs, timers, signals; and how it comes to an
 * end. */
#ifndef WS_SERVER_EVENTS_H
#define WS_SERVER_EVENTS_H

#include "server/server.h"

/* Sets up timers, signals and the workers' door bell. Errors: WS_ERR_IO. */
ws_status ws_events_open(ws_server *server, ws_error *error);

/* Stops the pool, closes every handle and the loop, frees what was in flight. */
void ws_events_close(ws_server *server);

/* Rings from a worker (the pool's notify). [any] */
void ws_events_notify(void *server);

void ws_events_on_connection(uv_stream_t *listener, int status);

#endif
