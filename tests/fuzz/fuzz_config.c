/* A configuration file. Whatever is accepted must come back the same after it was written out, and
 * the same bytes must do as environment and address without harm. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "server/config.h"
#include "server/listen.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "fuzz_config: %s\n", what);
        abort();
    }
}

static void write_file(const ws_config *config, ws_buf *out)
{
    for (int i = 0; i < WS_KEYS; i++) {
        if (config->settings[i].source == WS_SOURCE_FILE)
            ws_buf_printf(out, "%s = %s\n", ws_config_name((ws_key)i),
                          ws_config_text(config, (ws_key)i));
    }
}

static void expect_same(const ws_config *a, const ws_config *b)
{
    for (int i = 0; i < WS_KEYS; i++) {
        require(strcmp(ws_config_text(a, (ws_key)i), ws_config_text(b, (ws_key)i)) == 0,
                "a text changed");
        require(ws_config_number(a, (ws_key)i) == ws_config_number(b, (ws_key)i),
                "a number changed");
    }
    require(ws_config_hash(a) == ws_config_hash(b), "the hash changed");
}

static void try_file(ws_str text)
{
    ws_config first, second;
    ws_buf written, shown;
    ws_error error = {.code = WS_OK};
    ws_config_init(&first);
    ws_config_init(&second);
    ws_buf_init(&written);
    ws_buf_init(&shown);
    ws_status status = ws_config_read_text(&first, text, "file", &error);
    require(status <= 0 && (status == 0 || (error.message[0] && error.offset)),
            "an error without message and line");
    write_file(&first, &written);
    status = ws_config_read_text(&second, ws_buf_slice(&written), "file", &error);
    require(status == WS_OK, "what was accepted is refused when it is written out");
    expect_same(&first, &second);
    ws_config_write(&first, &shown, NULL, NULL);
    require(ws_buf_status(&shown) == WS_OK, "can't be shown");
    ws_buf_fini(&shown);
    ws_buf_fini(&written);
    ws_config_fini(&second);
    ws_config_fini(&first);
}

/* Lines as variables of the environment. */
static void try_environment(char *text)
{
    char *variables[64];
    size_t n = 0;
    ws_config config;
    ws_error error;
    for (char *line = strtok(text, "\n"); line && n < 63; line = strtok(NULL, "\n"))
        variables[n++] = line;
    variables[n] = NULL;
    ws_config_init(&config);
    ws_config_read_environment(&config, variables, &error);
    ws_config_fini(&config);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ws_listen listen;
    if (size > 20000)
        return 0;
    try_file(ws_str_make((const char *)data, size));
    char *text = ws_memdup0((const char *)data, size);
    if (text == NULL)
        return 0;
    ws_listen_parse(&listen, text, NULL);
    try_environment(text);
    ws_free(text);
    return 0;
}
