#include "server/config.h"

#include <stdio.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/utf8.h"
#include "server/config_keys.h"

#define FILE_MAX   65536u
#define VALUE_MAX  4096u
#define SECRET_MIN 16u

const char *ws_config_name(ws_key key)
{
    return ws_key_rows[key].name;
}

const char *ws_config_help(ws_key key)
{
    return ws_key_rows[key].help;
}

int ws_config_is_reserved(ws_key key)
{
    return (ws_key_rows[key].flags & WS_KEY_RESERVED) != 0;
}

/* Index of a choice, or -1. */
static int find_choice(const ws_key_row *row, ws_str value)
{
    for (int i = 0; row->choices[i]; i++) {
        if (ws_str_eq(value, ws_cstr(row->choices[i])))
            return i;
    }
    return -1;
}

void ws_config_init(ws_config *config)
{
    *config = (ws_config){.file = NULL};
    for (int i = 0; i < WS_KEYS; i++) {
        ws_str fallback = ws_cstr(ws_key_rows[i].fallback);
        if (ws_key_rows[i].type == WS_KEY_TYPE_NUMBER)
            ws_str_to_u64(fallback, &config->settings[i].number);
    }
}

void ws_config_fini(ws_config *config)
{
    for (int i = 0; i < WS_KEYS; i++)
        ws_free(config->settings[i].text);
    ws_free(config->file);
    ws_config_init(config);
}

uint64_t ws_config_number(const ws_config *config, ws_key key)
{
    return config->settings[key].number;
}

const char *ws_config_text(const ws_config *config, ws_key key)
{
    const char *text = config->settings[key].text;
    return text ? text : ws_key_rows[key].fallback;
}

/* --- setting one key --- */

static ws_status find_key(ws_str name, int *out, ws_error *error)
{
    const char *names[WS_KEYS];
    for (int i = 0; i < WS_KEYS; i++) {
        names[i] = ws_key_rows[i].name;
        if (ws_str_eq(name, ws_cstr(names[i]))) {
            *out = i;
            return WS_OK;
        }
    }
    int nearest = ws_str_nearest(name, names, WS_KEYS);
    int shown = (int)WS_MIN(name.len, (size_t)64);
    if (nearest >= 0)
        return ws_error_set(error, WS_ERR_ARG, "unknown key \"%.*s\"; did you mean \"%s\"?", shown,
                            name.ptr, names[nearest]);
    return ws_error_set(error, WS_ERR_ARG, "unknown key \"%.*s\"", shown, name.ptr);
}

static ws_status check_text(const ws_key_row *row, ws_str value, ws_error *error)
{
    for (size_t i = 0; i < value.len; i++) {
        unsigned char c = (unsigned char)value.ptr[i];
        if (c < 0x20 || c == 0x7f || ((row->flags & WS_KEY_SECRET) && (c == ' ' || c > 0x7f)))
            return ws_error_set(error, WS_ERR_RANGE, "%s holds a character that isn't allowed",
                                row->name);
    }
    if (value.len > VALUE_MAX || !ws_utf8_valid(value))
        return ws_error_set(error, WS_ERR_RANGE, "%s must be UTF-8 of at most %u bytes", row->name,
                            VALUE_MAX);
    if ((row->flags & WS_KEY_SECRET) && value.len > 0 && value.len < SECRET_MIN)
        return ws_error_set(error, WS_ERR_RANGE, "%s must have at least %u characters", row->name,
                            SECRET_MIN);
    return WS_OK;
}

static ws_status check_value(const ws_key_row *row, ws_str value, uint64_t *number, ws_error *error)
{
    int choice;
    switch (row->type) {
    case WS_KEY_TYPE_NUMBER:
        if (!ws_str_to_u64(value, number) || *number < row->min || *number > row->max)
            return ws_error_set(error, WS_ERR_RANGE, "%s must be a number from %llu to %llu",
                                row->name, (unsigned long long)row->min,
                                (unsigned long long)row->max);
        return WS_OK;
    case WS_KEY_TYPE_CHOICE:
        choice = find_choice(row, value);
        if (choice < 0)
            return ws_error_set(error, WS_ERR_RANGE, "%s must be %s or %s", row->name,
                                row->choices[0], row->choices[1]);
        *number = (uint64_t)choice;
        return WS_OK;
    case WS_KEY_TYPE_TEXT:
        break;
    }
    return check_text(row, value, error);
}

ws_status ws_config_set(ws_config *config, ws_str name, ws_str value, ws_config_source source,
                        uint32_t line, ws_error *error)
{
    int key;
    uint64_t number = 0;
    WS_TRY(find_key(name, &key, error));
    const ws_key_row *row = &ws_key_rows[key];
    ws_setting *setting = &config->settings[key];
    if (row->flags & WS_KEY_RESERVED)
        return ws_error_set(error, WS_ERR_ARG, "%s is reserved and can't be set yet", row->name);
    WS_TRY(check_value(row, value, &number, error));
    if (setting->source == WS_SOURCE_FILE && source == WS_SOURCE_FILE)
        return ws_error_set(error, WS_ERR_ARG, "%s is set twice (first in line %u)", row->name,
                            (unsigned)setting->line);
    if (source < setting->source)
        return WS_OK;
    char *text = ws_memdup0(value.ptr ? value.ptr : "", value.len);
    if (text == NULL)
        return ws_error_set(error, WS_ERR_NOMEM, "out of memory");
    ws_free(setting->text);
    *setting = (ws_setting){text, number, line, (uint8_t)source};
    return WS_OK;
}

/* --- file --- */

static ws_str trim(ws_str s)
{
    while (s.len && (s.ptr[0] == ' ' || s.ptr[0] == '\t'))
        s = ws_str_sub(s, 1, s.len);
    while (s.len && strchr(" \t\r", s.ptr[s.len - 1]) && s.ptr[s.len - 1] != 0)
        s.len--;
    return s;
}

static ws_status read_line(ws_config *config, ws_str line, uint32_t number, ws_error *error)
{
    size_t equals = 0;
    line = trim(line);
    if (line.len == 0 || line.ptr[0] == '#')
        return WS_OK;
    while (equals < line.len && line.ptr[equals] != '=')
        equals++;
    if (equals == line.len)
        return ws_error_set(error, WS_ERR_SYNTAX, "expected key = value");
    return ws_config_set(config, trim(ws_str_sub(line, 0, equals)),
                         trim(ws_str_sub(line, equals + 1, line.len)), WS_SOURCE_FILE, number,
                         error);
}

ws_status ws_config_read_text(ws_config *config, ws_str text, const char *path, ws_error *error)
{
    ws_error inner = {.code = WS_OK};
    uint32_t number = 0;
    char *copy = ws_memdup0(path, strlen(path));
    if (copy == NULL)
        return ws_error_set(error, WS_ERR_NOMEM, "out of memory");
    ws_free(config->file);
    config->file = copy;
    for (size_t from = 0; from < text.len;) {
        const char *newline = memchr(text.ptr + from, '\n', text.len - from);
        size_t to = newline ? (size_t)(newline - text.ptr) : text.len;
        ws_status status = read_line(config, ws_str_sub(text, from, to), ++number, &inner);
        if (status < 0)
            return ws_error_at(error, status, path, number, "%s", inner.message);
        from = to + 1;
    }
    return WS_OK;
}

ws_status ws_config_read_file(ws_config *config, const char *path, ws_error *error)
{
    uint8_t *data = NULL;
    size_t size = 0;
    WS_TRY(ws_file_read(path, FILE_MAX, &data, &size, error));
    ws_status status =
        ws_config_read_text(config, ws_str_make((const char *)data, size), path, error);
    ws_free(data);
    return status;
}

/* --- environment --- */

#define ENV_PREFIX "WIKISEARCH_"

/* "http.queue_policy" -> "HTTP_QUEUE_POLICY" in out[64]. */
static void environment_name(const char *key, char *out)
{
    size_t i = 0;
    for (; key[i] && i < 63; i++) {
        char c = key[i];
        out[i] = c == '.' ? '_' : c >= 'a' && c <= 'z' ? (char)(c - 32) : c;
    }
    out[i] = 0;
}

/* True when NAME begins with a section of the table, such as HTTP_. */
static int has_section(ws_str name)
{
    char upper[64];
    for (int i = 0; i < WS_KEYS; i++) {
        environment_name(ws_key_rows[i].name, upper);
        size_t n = (size_t)(strchr(upper, '_') - upper) + 1;
        if (name.len >= n && memcmp(name.ptr, upper, n) == 0)
            return 1;
    }
    return 0;
}

static ws_status unknown_variable(ws_str name, ws_error *error)
{
    char upper[WS_KEYS][64];
    const char *names[WS_KEYS];
    for (int i = 0; i < WS_KEYS; i++) {
        environment_name(ws_key_rows[i].name, upper[i]);
        names[i] = upper[i];
    }
    int nearest = ws_str_nearest(name, names, WS_KEYS);
    int shown = (int)WS_MIN(name.len, (size_t)64);
    if (nearest >= 0)
        return ws_error_set(error, WS_ERR_ARG,
                            "unknown variable " ENV_PREFIX "%.*s; did you mean " ENV_PREFIX "%s?",
                            shown, name.ptr, names[nearest]);
    return ws_error_set(error, WS_ERR_ARG, "unknown variable " ENV_PREFIX "%.*s", shown, name.ptr);
}

static ws_status read_variable(ws_config *config, ws_str name, ws_str value, ws_error *error)
{
    char upper[64];
    ws_error inner = {.code = WS_OK};
    int key = ws_str_eq(name, WS_STR("INDEX")) ? WS_KEY_INDEX_DIR : -1;
    for (int i = 0; key < 0 && i < WS_KEYS; i++) {
        environment_name(ws_key_rows[i].name, upper);
        if (ws_str_eq(name, ws_cstr(upper)))
            key = i;
    }
    if (key < 0)
        return has_section(name) ? unknown_variable(name, error) : WS_OK;
    ws_status status =
        ws_config_set(config, ws_cstr(ws_key_rows[key].name), value, WS_SOURCE_ENV, 0, &inner);
    if (status < 0)
        return ws_error_set(error, status, ENV_PREFIX "%.*s: %s", (int)name.len, name.ptr,
                            inner.message);
    return WS_OK;
}

ws_status ws_config_read_environment(ws_config *config, char *const *environment, ws_error *error)
{
    for (; *environment; environment++) {
        const char *entry = *environment, *equals = strchr(entry, '=');
        size_t prefix = sizeof ENV_PREFIX - 1;
        if (equals == NULL || strncmp(entry, ENV_PREFIX, prefix) != 0 ||
            equals - entry < (ptrdiff_t)prefix)
            continue;
        ws_str name = {entry + prefix, (size_t)(equals - entry) - prefix};
        WS_TRY(read_variable(config, name, ws_cstr(equals + 1), error));
    }
    return WS_OK;
}

/* --- telling --- */

static void write_value(const ws_config *config, ws_key key, ws_json *j)
{
    const ws_key_row *row = &ws_key_rows[key];
    ws_json_key(j, "value");
    if (row->flags & WS_KEY_SECRET)
        ws_json_cstr(j, ws_config_text(config, key)[0] ? "(set)" : "");
    else if (row->type == WS_KEY_TYPE_NUMBER)
        ws_json_u64(j, ws_config_number(config, key));
    else
        ws_json_cstr(j, ws_config_text(config, key));
}

static void write_key(const ws_config *config, ws_key key, ws_json *j, ws_config_observe_fn observe,
                      void *ctx)
{
    static const char *const sources[] = {"default", "file", "env", "flag"};
    const ws_setting *setting = &config->settings[key];
    char where[VALUE_MAX + 32];
    ws_json_object(j);
    ws_json_kcstr(j, "key", ws_key_rows[key].name);
    if (ws_config_is_reserved(key)) {
        ws_json_kcstr(j, "effective", "unsupported");
    } else {
        write_value(config, key, j);
        ws_json_kcstr(j, "source", sources[setting->source]);
        if (setting->source == WS_SOURCE_FILE) {
            snprintf(where, sizeof where, "%s:%u", config->file, (unsigned)setting->line);
            ws_json_kcstr(j, "where", where);
        }
        if (observe)
            observe(ctx, key, j);
    }
    ws_json_end_object(j);
}

void ws_config_write(const ws_config *config, ws_buf *out, ws_config_observe_fn observe, void *ctx)
{
    ws_json j;
    ws_json_init(&j, out);
    ws_json_array(&j);
    for (int i = 0; i < WS_KEYS; i++)
        write_key(config, (ws_key)i, &j, observe, ctx);
    ws_json_end_array(&j);
}

uint32_t ws_config_hash(const ws_config *config)
{
    uint64_t hash = 0;
    for (int i = 0; i < WS_KEYS; i++) {
        if (ws_key_rows[i].flags & (WS_KEY_QUIET | WS_KEY_RESERVED))
            continue;
        const char *text = ws_config_text(config, (ws_key)i);
        uint64_t number = ws_config_number(config, (ws_key)i);
        if (ws_key_rows[i].type == WS_KEY_TYPE_TEXT)
            hash = ws_hash64_seed(text, strlen(text), hash + (uint64_t)i);
        else
            hash = ws_hash64_seed(&number, sizeof number, hash + (uint64_t)i);
    }
    return (uint32_t)(hash ^ (hash >> 32));
}
