/* Reading the suggest file. The hash over all of it comes first; everything is checked all the
 * same, so that a file made with a right hash and wrong content is an error too. */
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/str.h"
#include "base/utf8.h"
#include "engine/text/jamo.h"
#include "trie/decay.h"
#include "trie/suggest_file.h"
#include "trie/suggest_file_int.h"

typedef struct {
    ws_entries *entries;
    ws_blocklist *blocked;
    const uint8_t *start, *p, *end; /* of what is left, the tail excluded */
    ws_error *error;
    uint32_t n_contexts, n_blocked;
    uint64_t n_entries;
    char surface[WS_ENTRY_TEXT_MAX]; /* of the entry read last */
    size_t n_surface;
    char key[WS_KEY_MAX]; /* its key */
    size_t n_key;
    uint32_t context;
} loader;

static ws_status corrupt(const loader *l, const char *what)
{
    return ws_error_at(l->error, WS_ERR_CORRUPT, NULL, (uint64_t)(l->p - l->start), "%s", what);
}

/* --- head and tail --- */

static ws_status check_frame(loader *l, ws_str bytes, ws_suggest_file_head *head)
{
    const uint8_t *p = l->start;
    if (bytes.len < WS_SUGGEST_FILE_HEADER + WS_SUGGEST_FILE_TAIL ||
        memcmp(p, WS_SUGGEST_FILE_MAGIC, 8) != 0)
        return corrupt(l, "this is no suggest file");
    if (ws_load_u16le(p + 8) != WS_SUGGEST_FILE_MAJOR ||
        ws_load_u32le(p + 12) != WS_SUGGEST_FILE_ORDER)
        return ws_error_at(l->error, WS_ERR_VERSION, NULL, 8, "version %u of the suggest file",
                           ws_load_u16le(p + 8));
    const uint8_t *tail = p + bytes.len - WS_SUGGEST_FILE_TAIL;
    if (memcmp(tail + 24, WS_SUGGEST_FILE_END, 8) != 0 || ws_load_u64le(tail + 8) != bytes.len)
        return corrupt(l, "the end is missing");
    if (ws_load_u64le(tail + 16) != ws_hash64(p, bytes.len - 16))
        return corrupt(l, "the checksum is wrong");
    head->origin_ms = (int64_t)ws_load_u64le(p + 16);
    head->half_life_ms = ws_load_u64le(p + 24);
    l->n_contexts = ws_load_u32le(p + 32);
    l->n_blocked = ws_load_u32le(p + 36);
    l->n_entries = ws_load_u64le(tail);
    l->p = p + WS_SUGGEST_FILE_HEADER;
    l->end = tail;
    if (head->half_life_ms == 0 || head->half_life_ms > WS_DECAY_MAX_HALF_MS)
        return corrupt(l, "the half-life is out of range");
    return WS_OK;
}

/* --- pieces --- */

static int take(loader *l, size_t n, const uint8_t **at)
{
    *at = l->p;
    if ((size_t)(l->end - l->p) < n)
        return 0;
    l->p += n;
    return 1;
}

/* length u8, bytes */
static int take_short(loader *l, ws_str *text)
{
    const uint8_t *length, *bytes;
    if (!take(l, 1, &length) || !take(l, *length, &bytes))
        return 0;
    *text = ws_str_make((const char *)bytes, *length);
    return 1;
}

static ws_status load_contexts(loader *l)
{
    for (uint32_t i = 1; i <= l->n_contexts; i++) {
        ws_str name;
        uint32_t number;
        if (!take_short(l, &name) || name.len == 0 || memchr(name.ptr, 0, name.len))
            return corrupt(l, "a context's name");
        ws_status status = ws_entries_context(l->entries, name, 1, &number);
        if (status == WS_ERR_NOMEM)
            return ws_error_set(l->error, status, "out of memory");
        if (status < 0 || number != i)
            return corrupt(l, "a context's name");
    }
    return WS_OK;
}

static ws_status load_blocked(loader *l)
{
    for (uint32_t i = 0; i < l->n_blocked; i++) {
        const uint8_t *head, *key;
        if (!take(l, 3, &head) || head[0] > 3 || ws_load_u16le(head + 1) == 0 ||
            !take(l, ws_load_u16le(head + 1), &key))
            return corrupt(l, "a blocked key");
        ws_block block = {head[0], ws_str_make((const char *)key, ws_load_u16le(head + 1))};
        ws_status status = ws_blocklist_add(l->blocked, block);
        if (status == WS_ERR_NOMEM)
            return ws_error_set(l->error, status, "out of memory");
        if (status < 0 || l->blocked->n != i + 1)
            return corrupt(l, "a blocked key");
    }
    return WS_OK;
}

/* --- entries --- */

static int take_surface(loader *l, ws_str *surface)
{
    const uint8_t *shared;
    ws_str rest;
    if (!take(l, 1, &shared) || !take_short(l, &rest) || *shared > l->n_surface ||
        *shared + rest.len > WS_ENTRY_TEXT_MAX)
        return 0;
    memcpy(l->surface + *shared, rest.ptr, rest.len);
    l->n_surface = *shared + rest.len;
    *surface = ws_str_make(l->surface, l->n_surface);
    return 1;
}

static int take_score(loader *l, uint32_t flags, uint64_t *score)
{
    const uint8_t *high, *low;
    if (!take(l, 4, &high))
        return 0;
    *score = (uint64_t)ws_load_u32le(high) << 16;
    if (!(flags & WS_SUGGEST_FILE_FRACTION))
        return 1;
    if (!take(l, 2, &low))
        return 0;
    *score |= ws_load_u16le(low);
    return 1;
}

static ws_str lower(ws_str surface, char buffer[WS_ENTRY_TEXT_MAX])
{
    for (size_t i = 0; i < surface.len; i++) {
        char b = surface.ptr[i];
        buffer[i] = (char)(b >= 'A' && b <= 'Z' ? b + 32 : b);
    }
    return ws_str_make(buffer, surface.len);
}

/* The fields of an entry; `buffer` is storage of the normalised text. */
static ws_status take_entry(loader *l, ws_entry_text *text, char buffer[WS_ENTRY_TEXT_MAX])
{
    const uint8_t *flags, *context;
    memset(text, 0, sizeof *text);
    if (!take_surface(l, &text->surface) || !take(l, 1, &flags) || *flags > WS_SUGGEST_FILE_FLAGS)
        return corrupt(l, "an entry's surface");
    uint32_t kind = *flags & WS_ENTRY_NORMAL;
    text->normal = kind == WS_ENTRY_NORMAL_LOWER ? lower(text->surface, buffer) : text->surface;
    if (kind > WS_ENTRY_NORMAL_STORED ||
        (kind == WS_ENTRY_NORMAL_STORED && !take_short(l, &text->normal)) ||
        ((*flags & WS_ENTRY_TARGET) && !take_short(l, &text->target)))
        return corrupt(l, "an entry's texts");
    if (*flags & WS_SUGGEST_FILE_CONTEXT) {
        if (!take(l, 1, &context) || *context == 0)
            return corrupt(l, "an entry's context");
        text->context = *context;
    }
    text->learned = (*flags & WS_ENTRY_LEARNED) != 0;
    if (!take_score(l, *flags, &text->score))
        return corrupt(l, "an entry's score");
    if (!ws_utf8_valid(text->surface) || !ws_utf8_valid(text->normal) ||
        !ws_utf8_valid(text->target) || text->context > l->n_contexts)
        return corrupt(l, "an entry's texts");
    return WS_OK;
}

/* Entries ascend by key, then context. */
static int follows(const loader *l, ws_str key, uint32_t context)
{
    int order = ws_str_cmp(ws_str_make(l->key, l->n_key), key);
    return order < 0 || (order == 0 && l->context < context);
}

static ws_status load_entry(loader *l, uint64_t number)
{
    char buffer[WS_ENTRY_TEXT_MAX], key[WS_KEY_MAX];
    ws_entry_text text;
    WS_TRY(take_entry(l, &text, buffer));
    size_t n = ws_jamo_key(text.normal, key, sizeof key);
    if (n == 0 || n > sizeof key || (number && !follows(l, ws_str_make(key, n), text.context)))
        return corrupt(l, "an entry out of order");
    ws_status status = ws_entries_add(l->entries, &text, ws_str_make(key, n));
    if (status == WS_ERR_ARG)
        return corrupt(l, "an entry's texts");
    if (status < 0)
        return ws_error_set(l->error, status, "%s", ws_status_text(status));
    memcpy(l->key, key, n);
    l->n_key = n;
    l->context = text.context;
    return WS_OK;
}

ws_status ws_suggest_file_load(ws_entries *entries, ws_blocklist *blocked,
                               ws_suggest_file_head *head, ws_str bytes, ws_error *error)
{
    loader l = {.entries = entries, .blocked = blocked, .error = error};
    l.start = l.p = (const uint8_t *)bytes.ptr;
    WS_TRY(check_frame(&l, bytes, head));
    WS_TRY(load_contexts(&l));
    WS_TRY(load_blocked(&l));
    for (uint64_t i = 0; i < l.n_entries; i++)
        WS_TRY(load_entry(&l, i));
    return l.p == l.end ? WS_OK : corrupt(&l, "bytes behind the last entry");
}
