/* Addresses to listen on. [any] */
#ifndef WS_SERVER_LISTEN_H
#define WS_SERVER_LISTEN_H

#include <sys/socket.h>
#include <sys/un.h>

#include "wikisearch/status.h"

typedef struct {
    int is_unix;
    int is_loopback;                                      /* only this machine can reach it */
    struct sockaddr_storage address;                      /* unless is_unix */
    char path[sizeof((struct sockaddr_un *)0)->sun_path]; /* is_unix */
} ws_listen;

/* Parses "127.0.0.1:8080", "[::1]:8080", "localhost:0" or "unix:PATH". Names other than localhost
 * are not looked up. Errors: WS_ERR_SYNTAX. */
ws_status ws_listen_parse(ws_listen *out, const char *text, ws_error *error);

int ws_address_is_loopback(
    const struct sockaddr *address); /* 127.0.0.0/8, ::1, mapped ones, unix */

/* Writes the address without its port ("127.0.0.1", "::1", "unix"). */
void ws_address_host(const struct sockaddr *address, char *out, size_t cap);

/* Writes the URL of a bound address: "http://127.0.0.1:8080". */
void ws_address_url(const struct sockaddr *address, char *out, size_t cap);

/* Removes a socket file that no one listens on any more. Errors: WS_ERR_LOCKED (someone does),
 * WS_ERR_CONFLICT (not a socket). */
ws_status ws_listen_remove_stale(const char *path, ws_error *error);

#endif
