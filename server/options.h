/* The daemon's command line: one table of flags. */
#ifndef WS_SERVER_OPTIONS_H
#define WS_SERVER_OPTIONS_H

#include "server/config.h"

typedef enum { WS_VERB_SERVE, WS_VERB_CONFIG, WS_VERB_CHECK } ws_verb;

typedef struct {
    ws_verb verb;
    uint32_t level; /* check: WS_CHECK_* */
    int help, version, json, quiet;
} ws_options;

/* Reads arguments, the configuration file they name, and the environment.
 *   environment  NULL-terminated
 *   config       initialised; filled
 * Errors: WS_ERR_ARG and others of the caller's kind are for exit code 2. */
ws_status ws_options_read(ws_options *options, ws_config *config, int argc, char *const *argv,
                          char *const *environment, ws_error *error);

void ws_options_write_help(ws_buf *out);

#endif
