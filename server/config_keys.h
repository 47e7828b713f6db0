/* The table of configuration keys. */
#ifndef WS_SERVER_CONFIG_KEYS_H
#define WS_SERVER_CONFIG_KEYS_H

#include "server/config.h"

typedef enum { WS_KEY_TYPE_TEXT, WS_KEY_TYPE_NUMBER, WS_KEY_TYPE_CHOICE } ws_key_type;

#define WS_KEY_SECRET   1u /* never shown */
#define WS_KEY_RESERVED 2u /* can't be set yet */
#define WS_KEY_QUIET    4u /* not part of the configuration hash */

typedef struct {
    const char *name;
    ws_key_type type;
    unsigned flags;
    const char *fallback;   /* default as text */
    uint64_t min, max;      /* NUMBER */
    const char *choices[3]; /* CHOICE; NULL-terminated */
    const char *help;
} ws_key_row;

extern const ws_key_row ws_key_rows[WS_KEYS];

#endif
