/* Opening, closing, saving and walking through suggestions. */
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "engine/api/api_int.h"
#include "engine/api/suggest_int.h"
#include "engine/text/jamo.h"
#include "trie/decay.h"

/* --- readers --- */

static ws_suggest_reader *new_reader(void)
{
    ws_suggest_reader *reader = ws_malloc(sizeof *reader);
    if (!reader)
        return NULL;
    ws_buf_init(&reader->cased);
    if (ws_normalizer_init(&reader->normalizer) == WS_OK)
        return reader;
    ws_suggest_reader_free(reader);
    return NULL;
}

void ws_suggest_reader_free(ws_suggest_reader *reader)
{
    if (!reader)
        return;
    ws_normalizer_fini(&reader->normalizer);
    ws_buf_fini(&reader->cased);
    ws_free(reader);
}

ws_suggest_reader *ws_suggest_reader_take(ws_suggest *suggest, uint32_t slot)
{
    if (slot == WS_EPOCH_CROWD)
        return new_reader();
    if (!suggest->readers[slot])
        suggest->readers[slot] = new_reader();
    return suggest->readers[slot];
}

void ws_suggest_reader_give(ws_suggest_reader *reader, uint32_t slot)
{
    if (slot == WS_EPOCH_CROWD)
        ws_suggest_reader_free(reader);
}

/* --- open and close --- */

static ws_status check_options(const ws_suggest_options *given, ws_suggest_options *o,
                               ws_error *error)
{
    static const ws_suggest_options defaults = WS_SUGGEST_OPTIONS_INIT;
    *o = defaults;
    if (!given)
        return WS_OK;
    if (given->size != sizeof *given)
        return ws_error_set(error, WS_ERR_ARG, "size of the options");
    *o = *given;
    if (o->min_support < 1 || o->min_support > WS_LEARN_SUPPORT_MAX)
        return ws_error_set(error, WS_ERR_RANGE, "min_support is 1 to %u", WS_LEARN_SUPPORT_MAX);
    if (o->half_life_ms < 1 || o->half_life_ms > WS_DECAY_MAX_HALF_MS)
        return ws_error_set(error, WS_ERR_RANGE, "half_life_ms is 1 to 2^40");
    return WS_OK;
}

static ws_status load(ws_suggest *s, const char *file, ws_error *error)
{
    ws_map map;
    WS_TRY(ws_map_open(&map, file, WS_MAP_READ, error));
    ws_str bytes = ws_str_make((const char *)map.data, map.size);
    ws_status status = ws_suggest_file_load(&s->entries, &s->blocked, &s->head, bytes, error);
    ws_map_close(&map);
    if (status < 0 && error) {
        ws_error bare = *error; /* the reader of bytes does not know their file */
        ws_error_at(error, status, file, bare.offset, "%s", bare.message);
    }
    return status;
}

static ws_status fill(ws_suggest *s, const char *file, const ws_suggest_options *o, ws_error *error)
{
    s->head.half_life_ms = o->half_life_ms;
    s->head.origin_ms = o->origin_ms ? o->origin_ms : (int64_t)(ws_wall_ns() / 1000000);
    ws_status status = ws_normalizer_init(&s->normalizer);
    if (status >= 0)
        status = ws_entries_init(&s->entries);
    if (status < 0)
        return ws_error_set(error, status, "%s", ws_status_text(status));
    if (file)
        WS_TRY(load(s, file, error));
    ws_learner_options learn = {o->min_support, s->head.half_life_ms, s->head.origin_ms,
                                o->chain_ms, o->support_ms};
    ws_learner_init(&s->learner, &learn);
    return WS_OK;
}

ws_status ws_suggest_open(ws_suggest **out, const char *file, const ws_suggest_options *options,
                          ws_error *error)
{
    ws_suggest_options o;
    if (!out)
        return ws_error_set(error, WS_ERR_ARG, "out is NULL");
    *out = NULL;
    WS_TRY(check_options(options, &o, error));
    ws_suggest *s = ws_calloc(1, sizeof *s);
    if (!s)
        return ws_error_set(error, WS_ERR_NOMEM, "out of memory");
    if (pthread_mutex_init(&s->writer, NULL)) {
        ws_free(s);
        return ws_error_set(error, WS_ERR_NOMEM, "no mutex");
    }
    ws_status status = fill(s, file, &o, error);
    if (status < 0) {
        ws_suggest_close(s);
        return status;
    }
    *out = s;
    return WS_OK;
}

void ws_suggest_close(ws_suggest *s)
{
    if (!s)
        return;
    for (uint32_t i = 0; i < WS_EPOCH_SLOTS; i++)
        ws_suggest_reader_free(s->readers[i]);
    ws_learner_fini(&s->learner);
    ws_blocklist_fini(&s->blocked);
    ws_entries_fini(&s->entries);
    ws_normalizer_fini(&s->normalizer);
    pthread_mutex_destroy(&s->writer);
    ws_free(s);
}

/* --- save --- */

/* A copy of the blocked patterns: writing the file takes longer than the lock may be held. */
static ws_status copy_blocked(ws_suggest *s, ws_blocklist *copy)
{
    ws_blocklist_init(copy);
    pthread_mutex_lock(&s->writer);
    ws_buf_append(&copy->patterns, s->blocked.patterns.data, s->blocked.patterns.len);
    copy->n = s->blocked.n;
    pthread_mutex_unlock(&s->writer);
    return ws_buf_status(&copy->patterns);
}

ws_status ws_suggest_save(ws_suggest *s, const char *file, ws_error *error)
{
    ws_blocklist blocked;
    if (!s || !file)
        return ws_error_set(error, WS_ERR_ARG, "NULL");
    ws_status status = copy_blocked(s, &blocked);
    if (status < 0)
        return ws_error_set(error, status, "out of memory");
    uint32_t slot = ws_epoch_enter(&s->entries.pool.epoch);
    status = ws_suggest_file_save(&s->entries, &blocked, &s->head, file, error);
    ws_epoch_leave(&s->entries.pool.epoch, slot);
    ws_blocklist_fini(&blocked);
    return status;
}

/* --- looking at all of it --- */

ws_status ws_suggest_stats(ws_suggest *s, ws_suggest_stats_data *stats)
{
    if (!s || !stats || stats->size != sizeof *stats)
        return WS_ERR_ARG;
    pthread_mutex_lock(&s->writer);
    stats->n_contexts = s->entries.n_contexts - 1;
    stats->n_entries = ws_entries_count(&s->entries);
    stats->n_learned = s->entries.n_learned;
    stats->n_blocked = s->blocked.n;
    stats->bytes = ws_entries_bytes(&s->entries);
    stats->n_taken_back = s->learner.n_taken_back;
    pthread_mutex_unlock(&s->writer);
    stats->half_life_ms = s->head.half_life_ms;
    stats->origin_ms = s->head.origin_ms;
    return WS_OK;
}

typedef struct {
    ws_suggest *suggest;
    ws_suggest_visit_fn visit;
    void *ctx;
} walk;

static int visit_entry(void *ctx, uint32_t ref, uint32_t score)
{
    walk *w = ctx;
    char normal[WS_ENTRY_TEXT_MAX], key[WS_KEY_MAX], shown[3 * WS_KEY_MAX];
    const ws_entry *e = ws_entry_at(&w->suggest->entries, ref);
    ws_str k = ws_str_make(key, ws_entry_key(e, key));
    ws_suggest_item item = {.text = ws_entry_surface(e),
                            .target = ws_entry_target(e),
                            .context = ws_cstr(w->suggest->entries.names[e->context]),
                            .normalized = ws_entry_normal(e, normal),
                            .keys = ws_str_make(shown, ws_jamo_show(k, shown, sizeof shown)),
                            .score = ws_entry_score(e),
                            .learned = (e->flags & WS_ENTRY_LEARNED) != 0};
    (void)score; /* the entry has it more precisely */
    return w->visit(w->ctx, &item);
}

int ws_suggest_each(ws_suggest *s, ws_suggest_visit_fn visit, void *ctx)
{
    walk w = {s, visit, ctx};
    uint32_t slot = ws_epoch_enter(&s->entries.pool.epoch);
    int result = ws_art_iterate(&s->entries.all.keys, visit_entry, &w);
    ws_epoch_leave(&s->entries.pool.epoch, slot);
    return result;
}
