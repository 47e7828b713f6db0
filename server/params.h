/* Parameters of a request, from a query string or a JSON object, checked against a table.
 *
 * One table per route says which names there are, of what kind and in which range; everything else
 * is refused with the nearest name. Both sources give the same values, so GET and POST mean the
 * same. */
#ifndef WS_SERVER_PARAMS_H
#define WS_SERVER_PARAMS_H

#include "base/arena.h"
#include "server/problem.h"

#define WS_JSON_DEPTH_MAX 64u

typedef enum {
    WS_PARAM_TEXT,   /* max = bytes */
    WS_PARAM_NUMBER, /* min..max */
    WS_PARAM_BOOL,   /* 0, 1, true, false; number is 0 or 1 */
    WS_PARAM_CHOICE  /* number is the index in choices */
} ws_param_kind;

typedef struct {
    const char *name;
    ws_param_kind kind;
    uint64_t min, max;
    uint64_t fallback;          /* number when it is not given */
    const char *const *choices; /* NULL-terminated */
} ws_param_spec;

typedef struct {
    ws_str text; /* TEXT: the value, owned by the arena */
    uint64_t number;
    int given;
} ws_param_value;

/* Sets values[n] to their fallbacks. */
void ws_params_init(const ws_param_spec *specs, size_t n, ws_param_value *values);

/* Reads "a=b&c=d". Returns 1, or 0 with *problem filled: unknown or repeated names, bad
 * percent-encoding, bad values. */
int ws_params_from_query(const ws_param_spec *specs, size_t n, ws_str query, ws_arena *arena,
                         ws_param_value *values, ws_problem *problem);

/* Reads a JSON object whose members are strings, integers and booleans. Names already given are
 * refused as repeated. Returns as above. The nesting is limited before it is parsed. */
int ws_params_from_json(const ws_param_spec *specs, size_t n, ws_str json, ws_arena *arena,
                        ws_param_value *values, ws_problem *problem);

/* Refuses when parameter `index` was not given. Returns as above. */
int ws_params_require(const ws_param_spec *specs, size_t index, const ws_param_value *values,
                      ws_problem *problem);

#endif
