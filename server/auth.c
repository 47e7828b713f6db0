#include "server/auth.h"

#include "base/str.h"

int ws_secret_equal(ws_str secret, ws_str given)
{
    unsigned difference = secret.len != given.len || secret.len == 0;
    for (size_t i = 0; secret.len && i < given.len; i++)
        difference |= (unsigned char)given.ptr[i] ^ (unsigned char)secret.ptr[i % secret.len];
    return difference == 0;
}

static ws_str sent_key(const ws_request *request)
{
    ws_str bearer = request->fields[WS_HEADER_AUTHORIZATION];
    if (bearer.len > 7 && ws_field_name_is(ws_str_sub(bearer, 0, 7), "bearer "))
        return ws_str_sub(bearer, 7, bearer.len);
    return request->fields[WS_HEADER_X_API_KEY];
}

/* A request that a proxy on this machine passed on comes from loopback, its client does not. */
static int came_through_proxy(const ws_request *request)
{
    return request->fields[WS_HEADER_FORWARDED].len ||
           request->fields[WS_HEADER_X_FORWARDED_FOR].len || request->fields[WS_HEADER_VIA].len;
}

static int wrong_key(ws_str given, ws_problem *problem)
{
    if (given.len == 0)
        ws_problem_set(problem, WS_PROBLEM_MISSING_KEY,
                       "send the key as Authorization: Bearer KEY or X-API-Key: KEY");
    else
        ws_problem_set(problem, WS_PROBLEM_INVALID_KEY, "this key is not known");
    return 0;
}

int ws_auth_check(const ws_config *config, ws_access access, const ws_request *request,
                  int loopback, ws_problem *problem)
{
    ws_str key = ws_cstr(ws_config_text(config, WS_KEY_AUTH_KEY));
    ws_str admin = ws_cstr(ws_config_text(config, WS_KEY_AUTH_ADMIN_KEY));
    ws_str given = sent_key(request);
    if (access == WS_ACCESS_PUBLIC)
        return 1;
    int is_admin = ws_secret_equal(admin, given);
    int is_user = ws_secret_equal(key, given);
    if (is_admin)
        return 1;
    if (key.len && !is_user)
        return wrong_key(given, problem);
    if (access == WS_ACCESS_KEY)
        return 1;
    if (admin.len == 0 && loopback && !came_through_proxy(request))
        return 1;
    if (admin.len && given.len == 0)
        return wrong_key(given, problem);
    ws_problem_set(problem, WS_PROBLEM_INSUFFICIENT_SCOPE,
                   admin.len ? "the admin key is required" : "only for clients on this machine");
    return 0;
}
