/* Failpoints: the only mutable state of base besides the fault hook of mem.c, test equipment
 * too. */
#include "base/file.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/str.h"

#define POINTS_MAX 32u
#define NAME_CAP   64u
#define SLEEP_NS   100000000L

typedef enum { DO_CRASH, DO_EIO, DO_ENOSPC, DO_SHORT, DO_SLEEP } point_action;

typedef struct {
    char name[NAME_CAP];
    point_action action;
    uint64_t nth;   /* the call that fires, from 1 */
    uint64_t calls; /* so far */
} point;

typedef struct {
    point points[POINTS_MAX];
    size_t n;
} point_set;

static pthread_once_t environment_once = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards `active` */
static point_set active;
static atomic_int armed; /* active.n != 0; lets an unset point cost one load */

static int parse_action(ws_str text, point_action *action)
{
    static const char *const names[] = {"crash", "eio", "enospc", "short", "sleep"};
    for (size_t i = 0; i < WS_ARRAY_LEN(names); i++) {
        if (ws_str_eq(text, ws_cstr(names[i]))) {
            *action = (point_action)i;
            return 1;
        }
    }
    return 0;
}

/* Cuts `rest` at the first `separator`; what is after it stays in `rest`. */
static ws_str cut(ws_str *rest, char separator)
{
    const char *at = rest->len ? memchr(rest->ptr, separator, rest->len) : NULL;
    size_t len = at ? (size_t)(at - rest->ptr) : rest->len;
    ws_str head = ws_str_sub(*rest, 0, len);
    *rest = ws_str_sub(*rest, len + (at ? 1 : 0), rest->len);
    return head;
}

/* name:action or name:action:n */
static int parse_point(ws_str text, point *p)
{
    ws_str name = cut(&text, ':');
    int has_count = text.len && memchr(text.ptr, ':', text.len) != NULL;
    ws_str action = cut(&text, ':');
    if (!name.len || name.len >= NAME_CAP || !parse_action(action, &p->action))
        return 0;
    memcpy(p->name, name.ptr, name.len);
    p->name[name.len] = '\0';
    p->nth = 1;
    return has_count ? ws_str_to_u64(text, &p->nth) && p->nth > 0 : 1;
}

static ws_status parse(const char *spec, point_set *set)
{
    ws_str rest = ws_cstr(spec);
    memset(set, 0, sizeof *set);
    while (rest.len) {
        ws_str one = cut(&rest, ',');
        if (set->n == POINTS_MAX || !parse_point(one, &set->points[set->n]))
            return WS_ERR_SYNTAX;
        set->n++;
    }
    return WS_OK;
}

static void install(const point_set *set)
{
    pthread_mutex_lock(&lock);
    active = *set;
    atomic_store_explicit(&armed, set->n != 0, memory_order_release);
    pthread_mutex_unlock(&lock);
}

/* A bad value in the environment arms nothing: a library has nobody to tell. */
static void read_environment(void)
{
    point_set set;
    const char *spec = getenv("WS_FAILPOINT");
    if (spec && !parse(spec, &set))
        install(&set);
}

ws_status ws_failpoint_set(const char *spec)
{
    point_set set;
    pthread_once(&environment_once, read_environment); /* or it would overwrite this later */
    WS_TRY(parse(spec, &set));
    install(&set);
    return WS_OK;
}

/* The action due at this call of `name`, or -1. */
static int due(const char *name)
{
    int action = -1;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < active.n; i++) {
        point *p = &active.points[i];
        if (strcmp(p->name, name) == 0 && ++p->calls == p->nth)
            action = (int)p->action;
    }
    pthread_mutex_unlock(&lock);
    return action;
}

static void die(void)
{
    kill(getpid(), SIGKILL);
    for (;;)
        pause();
}

ws_fail_action ws_failpoint(const char *name)
{
    pthread_once(&environment_once, read_environment);
    if (!atomic_load_explicit(&armed, memory_order_acquire))
        return WS_FAIL_NONE;
    switch (due(name)) {
    case DO_CRASH:
        die();
        return WS_FAIL_EIO;
    case DO_EIO:
        return WS_FAIL_EIO;
    case DO_ENOSPC:
        return WS_FAIL_ENOSPC;
    case DO_SHORT:
        return WS_FAIL_SHORT;
    case DO_SLEEP:
        nanosleep(&(struct timespec){.tv_nsec = SLEEP_NS}, NULL);
        return WS_FAIL_NONE;
    default:
        return WS_FAIL_NONE;
    }
}
