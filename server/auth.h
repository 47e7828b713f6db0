/* API keys: who may ask for what. */
#ifndef WS_SERVER_AUTH_H
#define WS_SERVER_AUTH_H

#include "server/config.h"
#include "server/request.h"

typedef enum {
    WS_ACCESS_PUBLIC, /* no key: /livez, /readyz, the page */
    WS_ACCESS_KEY,    /* auth.key, when there is one; the admin key does as well */
    WS_ACCESS_ADMIN   /* auth.admin_key; when there is none: loopback, not through a proxy */
} ws_access;

/* Compares a secret with what a client sent; takes as long for a wrong first byte as for a wrong
 * last one. */
int ws_secret_equal(ws_str secret, ws_str given);

/* Decides. The key comes as "Authorization: Bearer KEY" or "X-API-Key: KEY", never in the URL.
 *   loopback  1: the peer is this machine (a unix socket is)
 * Returns 1, or 0 with *problem filled. */
int ws_auth_check(const ws_config *config, ws_access access, const ws_request *request,
                  int loopback, ws_problem *problem);

#endif
