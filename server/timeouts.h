/* Deadlines of connections: one list per kind, each ordered because all its entries last equally
 * long.
 *
 * Setting, clearing and expiring are O(1), for any number of connections. [1]: I/O thread. */
#ifndef WS_SERVER_TIMEOUTS_H
#define WS_SERVER_TIMEOUTS_H

#include <stdint.h>

typedef enum {
    WS_TIMEOUT_NONE, /* not in a list */
    WS_TIMEOUT_IDLE,
    WS_TIMEOUT_HEAD,
    WS_TIMEOUT_BODY,
    WS_TIMEOUT_WRITE,
    WS_TIMEOUT_LINGER, /* after our last byte, for the peer's */
    WS_TIMEOUT_PROBE,  /* between two looks whether a half-closed peer is gone */
    WS_TIMEOUT_KINDS
} ws_timeout_kind;

typedef struct ws_timeout ws_timeout;
struct ws_timeout {
    ws_timeout *prev, *next;
    void *owner;
    uint64_t when_ms;
    uint8_t kind; /* ws_timeout_kind */
};

typedef struct {
    ws_timeout *first[WS_TIMEOUT_KINDS], *last[WS_TIMEOUT_KINDS];
    uint64_t duration_ms[WS_TIMEOUT_KINDS];
} ws_timeouts;

/* Arms `timeout` for its kind's duration from now, taking it out of the list it is in.
 * WS_TIMEOUT_NONE only takes it out. */
void ws_timeouts_set(ws_timeouts *timeouts, ws_timeout *timeout, ws_timeout_kind kind,
                     uint64_t now_ms);

/* Takes out one that is due and returns it, or NULL. Its kind is put into *kind. */
ws_timeout *ws_timeouts_expired(ws_timeouts *timeouts, uint64_t now_ms, ws_timeout_kind *kind);

uint64_t
ws_timeouts_next_ms(const ws_timeouts *timeouts); /* earliest deadline; UINT64_MAX = none */

#endif
