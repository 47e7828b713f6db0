/* Changing suggestions: put, remove, observe, block. One at a time. */
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "base/utf8.h"
#include "engine/api/suggest_int.h"
#include "engine/text/jamo.h"
#include "trie/decay.h"

static ws_str trim(ws_str text)
{
    while (text.len && (uint8_t)text.ptr[0] <= ' ')
        text = ws_str_sub(text, 1, text.len);
    while (text.len && (uint8_t)text.ptr[text.len - 1] <= ' ')
        text.len--;
    return text;
}

static int has_control(ws_str text)
{
    for (size_t i = 0; i < text.len; i++)
        if ((uint8_t)text.ptr[i] < ' ' || text.ptr[i] == 0x7f)
            return 1;
    return 0;
}

/* Normalised; valid until the next call. Holding the writer's lock. */
static ws_status normalise(ws_suggest *s, ws_str text, ws_str *normal)
{
    WS_TRY(ws_normalizer_run(&s->normalizer, text));
    *normal = ws_buf_slice(&s->normalizer.text);
    return WS_OK;
}

/* --- put and remove --- */

static int is_blocked(const ws_suggest *s, ws_str normal)
{
    char key[WS_KEY_MAX];
    size_t n = ws_jamo_key(normal, key, sizeof key);
    return n <= sizeof key && ws_blocklist_matches(&s->blocked, ws_str_make(key, n));
}

static ws_status put(ws_suggest *s, ws_str text, ws_str target, ws_str context, uint64_t weight)
{
    ws_entry_text entry = {.surface = text, .target = target, .score = ws_decay_prior(weight)};
    WS_TRY(normalise(s, text, &entry.normal));
    if (entry.normal.len > WS_ENTRY_TEXT_MAX || is_blocked(s, entry.normal))
        return WS_TRUNCATED;
    WS_TRY(ws_entries_context(&s->entries, context, 1, &entry.context));
    return ws_entries_put(&s->entries, &entry, NULL);
}

ws_status ws_suggest_put(ws_suggest *s, ws_str text, ws_str target, ws_str context, uint64_t weight)
{
    text = trim(text);
    if (!s || text.len == 0 || has_control(text) || has_control(target) || has_control(context))
        return WS_ERR_ARG;
    if (!ws_utf8_valid(text) || !ws_utf8_valid(target) || !ws_utf8_valid(context))
        return WS_ERR_UTF8;
    if (text.len > WS_ENTRY_TEXT_MAX || target.len > WS_ENTRY_TEXT_MAX)
        return WS_TRUNCATED;
    pthread_mutex_lock(&s->writer);
    ws_status status = put(s, text, target, context, weight);
    pthread_mutex_unlock(&s->writer);
    return status;
}

static ws_status remove_entry(ws_suggest *s, ws_str text, ws_str context)
{
    char key[WS_KEY_MAX];
    ws_str normal;
    WS_TRY(normalise(s, text, &normal));
    size_t n = ws_jamo_key(normal, key, sizeof key);
    uint32_t number = ws_entries_find_context(&s->entries, context);
    if (n == 0 || n > sizeof key || number == UINT32_MAX)
        return WS_ERR_NOT_FOUND;
    uint32_t ref = ws_entries_find(&s->entries, ws_str_make(key, n), number);
    return ref ? ws_entries_remove(&s->entries, ref) : WS_ERR_NOT_FOUND;
}

ws_status ws_suggest_remove(ws_suggest *s, ws_str text, ws_str context)
{
    if (!s)
        return WS_ERR_ARG;
    text = trim(text); /* as put did */
    if (text.len > WS_ENTRY_TEXT_MAX)
        return WS_ERR_NOT_FOUND;
    pthread_mutex_lock(&s->writer);
    ws_status status = remove_entry(s, text, context);
    pthread_mutex_unlock(&s->writer);
    return status;
}

/* --- observe --- */

static ws_status observe(ws_suggest *s, ws_suggest_event *event, ws_str text)
{
    ws_observation o = {.session = event->session, .surface = text, .t_ms = event->t_ms};
    WS_TRY(normalise(s, text, &o.normal));
    o.context = ws_entries_find_context(&s->entries, event->context);
    if (o.context == UINT32_MAX)
        return WS_OK; /* nothing was put there, and users shall not use numbers up */
    return ws_learner_observe(&s->learner, &s->entries, &s->blocked, &o, &event->effect);
}

ws_status ws_suggest_observe_event(ws_suggest *s, ws_suggest_event *event)
{
    if (!s || !event || event->size != sizeof *event)
        return WS_ERR_ARG;
    event->effect = WS_OBSERVED_IGNORED;
    ws_str text = trim(event->text);
    if (text.len == 0 || text.len > WS_ENTRY_TEXT_MAX || event->hits == 0 || has_control(text) ||
        !ws_utf8_valid(text))
        return WS_OK;
    if (has_control(event->context) || !ws_utf8_valid(event->context))
        return WS_ERR_ARG;
    pthread_mutex_lock(&s->writer);
    ws_status status = observe(s, event, text);
    pthread_mutex_unlock(&s->writer);
    return status;
}

ws_status ws_suggest_observe(ws_suggest *s, ws_str text, int64_t t_ms)
{
    ws_suggest_event event = WS_SUGGEST_EVENT_INIT;
    event.text = text;
    event.t_ms = t_ms;
    return ws_suggest_observe_event(s, &event);
}

/* --- block --- */

typedef struct {
    const ws_entries *entries;
    ws_block block;
    ws_buf refs; /* u32 each */
} hunt;

static int find_blocked(void *ctx, uint32_t ref, uint32_t score)
{
    hunt *h = ctx;
    char key[WS_KEY_MAX];
    (void)score;
    if (ws_block_matches(h->block,
                         ws_str_make(key, ws_entry_key(ws_entry_at(h->entries, ref), key))))
        ws_buf_append(&h->refs, &ref, sizeof ref);
    return ws_buf_status(&h->refs);
}

static ws_status remove_blocked(ws_suggest *s, ws_block block)
{
    hunt h = {.entries = &s->entries, .block = block};
    ws_str begins = block.flags & WS_BLOCK_ANY_BEFORE ? ws_str_make(NULL, 0) : block.key;
    ws_buf_init(&h.refs);
    ws_art_iterate_prefix(&s->entries.all.keys, begins, find_blocked, &h);
    ws_status status = ws_buf_status(&h.refs);
    for (size_t at = 0; status >= 0 && at < h.refs.len; at += sizeof(uint32_t)) {
        uint32_t ref;
        memcpy(&ref, h.refs.data + at, sizeof ref);
        status = ws_entries_remove(&s->entries, ref);
    }
    ws_buf_fini(&h.refs);
    return status;
}

static ws_status block_or_allow(ws_suggest *s, ws_str pattern, uint32_t blocked)
{
    char buffer[WS_KEY_MAX];
    ws_block block;
    ws_str normal;
    WS_TRY(normalise(s, pattern, &normal));
    WS_TRY(ws_block_parse(normal, buffer, sizeof buffer, &block));
    if (!blocked) {
        ws_blocklist_remove(&s->blocked, block);
        return WS_OK;
    }
    WS_TRY(ws_blocklist_add(&s->blocked, block));
    return remove_blocked(s, block);
}

ws_status ws_suggest_block(ws_suggest *s, ws_str pattern, uint32_t blocked)
{
    if (!s || pattern.len > WS_ENTRY_TEXT_MAX)
        return WS_ERR_ARG;
    pthread_mutex_lock(&s->writer);
    ws_status status = block_or_allow(s, pattern, blocked);
    pthread_mutex_unlock(&s->writer);
    return status;
}
