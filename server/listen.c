#include "server/listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/str.h"

static ws_status malformed(const char *text, ws_error *error)
{
    return ws_error_set(error, WS_ERR_SYNTAX,
                        "can't listen on \"%.100s\": give ADDRESS:PORT with a numeric address or "
                        "localhost, or unix:PATH",
                        text);
}

static ws_status parse_unix(ws_listen *out, const char *path, const char *text, ws_error *error)
{
    if (path[0] == 0 || strlen(path) >= sizeof out->path)
        return malformed(text, error);
    out->is_unix = out->is_loopback = 1;
    memcpy(out->path, path, strlen(path) + 1);
    return WS_OK;
}

/* Fills the address from a host without brackets; 0 when it is none. */
static int set_host(ws_listen *out, const char *host, uint16_t port)
{
    struct sockaddr_in *v4 = (struct sockaddr_in *)&out->address;
    struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)&out->address;
    if (inet_pton(AF_INET, strcmp(host, "localhost") == 0 ? "127.0.0.1" : host, &v4->sin_addr) ==
        1) {
        v4->sin_family = AF_INET;
        v4->sin_port = htons(port);
        return 1;
    }
    if (inet_pton(AF_INET6, host, &v6->sin6_addr) == 1) {
        v6->sin6_family = AF_INET6;
        v6->sin6_port = htons(port);
        return 1;
    }
    return 0;
}

ws_status ws_listen_parse(ws_listen *out, const char *text, ws_error *error)
{
    char host[64];
    uint64_t port;
    memset(out, 0, sizeof *out);
    if (strncmp(text, "unix:", 5) == 0)
        return parse_unix(out, text + 5, text, error);
    const char *colon = strrchr(text, ':');
    if (colon == NULL || !ws_str_to_u64(ws_cstr(colon + 1), &port) || port > 65535)
        return malformed(text, error);
    size_t len = (size_t)(colon - text);
    int bracketed = len > 2 && text[0] == '[' && text[len - 1] == ']';
    if (bracketed) {
        text++;
        len -= 2;
    }
    if (len == 0 || len >= sizeof host)
        return malformed(text, error);
    memcpy(host, text, len);
    host[len] = 0;
    if (!set_host(out, host, (uint16_t)port) || bracketed != (out->address.ss_family == AF_INET6))
        return malformed(text, error);
    out->is_loopback = ws_address_is_loopback((struct sockaddr *)&out->address);
    return WS_OK;
}

int ws_address_is_loopback(const struct sockaddr *address)
{
    if (address->sa_family == AF_UNIX)
        return 1;
    if (address->sa_family == AF_INET)
        return ntohl(((const struct sockaddr_in *)address)->sin_addr.s_addr) >> 24 == 127;
    if (address->sa_family != AF_INET6)
        return 0;
    const struct in6_addr *v6 = &((const struct sockaddr_in6 *)address)->sin6_addr;
    return IN6_IS_ADDR_LOOPBACK(v6) || (IN6_IS_ADDR_V4MAPPED(v6) && v6->s6_addr[12] == 127);
}

void ws_address_host(const struct sockaddr *address, char *out, size_t cap)
{
    out[0] = 0;
    if (address->sa_family == AF_INET)
        inet_ntop(AF_INET, &((const struct sockaddr_in *)address)->sin_addr, out, (socklen_t)cap);
    else if (address->sa_family == AF_INET6)
        inet_ntop(AF_INET6, &((const struct sockaddr_in6 *)address)->sin6_addr, out,
                  (socklen_t)cap);
    if (out[0] == 0)
        snprintf(out, cap, "unix");
}

void ws_address_url(const struct sockaddr *address, char *out, size_t cap)
{
    char host[64];
    int v6 = address->sa_family == AF_INET6;
    uint16_t port = v6 ? ((const struct sockaddr_in6 *)address)->sin6_port
                       : ((const struct sockaddr_in *)address)->sin_port;
    ws_address_host(address, host, sizeof host);
    snprintf(out, cap, v6 ? "http://[%s]:%u" : "http://%s:%u", host, ntohs(port));
}

ws_status ws_listen_remove_stale(const char *path, ws_error *error)
{
    struct stat st;
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (lstat(path, &st) != 0)
        return WS_OK;
    if (!S_ISSOCK(st.st_mode))
        return ws_error_at(error, WS_ERR_CONFLICT, path, 0, "exists and is not a socket");
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return ws_error_errno(error, errno, path, "socket");
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    int e = connect(fd, (struct sockaddr *)&address, sizeof address);
    close(fd);
    if (e == 0)
        return ws_error_at(error, WS_ERR_LOCKED, path, 0, "another process listens there");
    unlink(path);
    return WS_OK;
}
