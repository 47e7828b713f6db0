/* The suggest file from any bytes. The first byte says whether length and hash are made right
 * before it is read. */
#include <stdlib.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "trie/suggest_file.h"
#include "trie/tiers.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int condition)
{
    if (!condition)
        abort();
}

typedef struct {
    ws_entries *entries;
    uint64_t n;
    ws_tiers_scratch *scratch;
} walk;

/* Every entry is found by its own key. */
static int visit(void *ctx, uint32_t ref, uint32_t score)
{
    walk *w = ctx;
    char key[WS_KEY_MAX], normal[WS_ENTRY_TEXT_MAX];
    const ws_entry *e = ws_entry_at(w->entries, ref);
    size_t n = ws_entry_key(e, key);
    w->n++;
    must(ws_utf8_valid(ws_entry_surface(e)) && ws_utf8_valid(ws_entry_target(e)));
    must(ws_entries_find(w->entries, ws_str_make(key, n), e->context) == ref);
    must((uint32_t)(ws_entry_score(e) >> 16) == score);
    if (w->n % 16 == 1) {
        ws_typed typed;
        ws_tiers_options options = {10, e->context, WS_TIERS_ALL};
        ws_typed_init(&typed, ws_entry_normal(e, normal), ws_str_make(NULL, 0));
        must(ws_tiers_find(w->entries, &typed, &options, w->scratch) > 0);
    }
    return 0;
}

/* What was accepted can be walked, searched, changed and emptied. */
static void check(ws_entries *entries)
{
    walk w = {entries, 0, ws_malloc(sizeof *w.scratch)};
    uint32_t id, score;
    must(w.scratch != NULL);
    must(ws_art_iterate(&entries->all.keys, visit, &w) == 0);
    must(w.n == ws_entries_count(entries));
    while (ws_art_maximum(&entries->all.keys, &id, &score) == WS_OK) {
        ws_entries_set_score(entries, id, 77);
        must(ws_entries_remove(entries, id) == WS_OK);
    }
    must(ws_entries_count(entries) == 0 && entries->all.initials.n == 0);
    ws_free(w.scratch);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ws_entries entries;
    ws_blocklist blocked;
    ws_suggest_file_head head;
    ws_error error = {0};
    if (size < 1)
        return 0;
    size_t n = size - 1;
    uint8_t *bytes = ws_malloc(n);
    must(bytes != NULL && ws_entries_init(&entries) == WS_OK);
    memcpy(bytes, data + 1, n);
    if (data[0] && n >= 96) {
        ws_store_u64le(bytes + n - 24, n);
        ws_store_u64le(bytes + n - 16, ws_hash64(bytes, n - 16));
    }
    ws_blocklist_init(&blocked);
    ws_status status = ws_suggest_file_load(&entries, &blocked, &head,
                                            ws_str_make((const char *)bytes, n), &error);
    must(status == WS_OK ||
         ((status == WS_ERR_CORRUPT || status == WS_ERR_VERSION) && error.message[0]));
    ws_free(bytes);
    if (status == WS_OK)
        check(&entries);
    ws_blocklist_fini(&blocked);
    ws_entries_fini(&entries);
    return 0;
}
