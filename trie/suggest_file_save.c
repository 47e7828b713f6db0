#include "base/buf.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"
#include "trie/suggest_file.h"
#include "trie/suggest_file_int.h"

#include <string.h>

typedef struct {
    const ws_entries *entries;
    ws_file_writer file;
    ws_hasher *hasher;
    ws_buf buf; /* one piece */
    uint64_t n;
    uint32_t n_contexts;
    char previous[WS_ENTRY_TEXT_MAX];
    size_t n_previous;
} saver;

/* Does nothing after a failure, which the buffer remembers. */
static void flush(saver *s)
{
    if (ws_buf_status(&s->buf))
        return;
    ws_hasher_update(s->hasher, s->buf.data, s->buf.len);
    ws_file_writer_append(&s->file, s->buf.data, s->buf.len);
    ws_buf_clear(&s->buf);
}

static void put_short(ws_buf *buf, ws_str text)
{
    ws_buf_u8(buf, (uint8_t)text.len);
    ws_buf_str(buf, text);
}

static void put_header(saver *s, const ws_suggest_file_head *head, uint32_t n_contexts,
                       uint32_t n_blocked)
{
    ws_buf_append(&s->buf, WS_SUGGEST_FILE_MAGIC, 8);
    ws_buf_u16le(&s->buf, WS_SUGGEST_FILE_MAJOR);
    ws_buf_u16le(&s->buf, WS_SUGGEST_FILE_MINOR);
    ws_buf_u32le(&s->buf, WS_SUGGEST_FILE_ORDER);
    ws_buf_u64le(&s->buf, (uint64_t)head->origin_ms);
    ws_buf_u64le(&s->buf, head->half_life_ms);
    ws_buf_u32le(&s->buf, n_contexts);
    ws_buf_u32le(&s->buf, n_blocked);
    ws_buf_align(&s->buf, WS_SUGGEST_FILE_HEADER);
}

/* The surface: only what differs from the one before. */
static void put_surface(saver *s, ws_str surface)
{
    size_t shared = 0, limit = WS_MIN(surface.len, s->n_previous);
    while (shared < limit && s->previous[shared] == surface.ptr[shared])
        shared++;
    ws_buf_u8(&s->buf, (uint8_t)shared);
    put_short(&s->buf, ws_str_sub(surface, shared, surface.len));
    memcpy(s->previous, surface.ptr, surface.len);
    s->n_previous = surface.len;
}

static int put_entry(void *ctx, uint32_t ref, uint32_t in_tree)
{
    saver *s = ctx;
    char buffer[WS_ENTRY_TEXT_MAX];
    const ws_entry *e = ws_entry_at(s->entries, ref);
    uint64_t score = ws_entry_score(e);
    uint32_t flags = e->flags;
    (void)in_tree; /* the same, but for a moment */
    if (e->context >= s->n_contexts)
        return 0; /* of a context that came after the file was begun */
    flags |= e->context ? WS_SUGGEST_FILE_CONTEXT : 0;
    flags |= (uint16_t)score ? WS_SUGGEST_FILE_FRACTION : 0;
    put_surface(s, ws_entry_surface(e));
    ws_buf_u8(&s->buf, (uint8_t)flags);
    if ((flags & WS_ENTRY_NORMAL) == WS_ENTRY_NORMAL_STORED)
        put_short(&s->buf, ws_entry_normal(e, buffer));
    if (flags & WS_ENTRY_TARGET)
        put_short(&s->buf, ws_entry_target(e));
    if (e->context)
        ws_buf_u8(&s->buf, e->context);
    ws_buf_u32le(&s->buf, (uint32_t)(score >> 16));
    if ((uint16_t)score)
        ws_buf_u16le(&s->buf, (uint16_t)score);
    s->n++;
    if (s->buf.len > 60000)
        flush(s);
    return s->buf.status || s->file.status;
}

static void put_tail(saver *s)
{
    uint8_t hash[8];
    ws_buf_u64le(&s->buf, s->n);
    ws_buf_u64le(&s->buf, s->file.offset + s->buf.len + 8 + 16);
    flush(s);
    ws_store_u64le(hash, ws_hasher_digest(s->hasher));
    ws_file_writer_append(&s->file, hash, sizeof hash);
    ws_file_writer_append(&s->file, WS_SUGGEST_FILE_END, 8);
}

static void put_all(saver *s, const ws_blocklist *blocked, const ws_suggest_file_head *head)
{
    uint32_t n = atomic_load_explicit(&s->entries->n_contexts, memory_order_acquire);
    s->n_contexts = n;
    put_header(s, head, n - 1, blocked->n);
    for (uint32_t i = 1; i < n; i++)
        put_short(&s->buf, ws_cstr(s->entries->names[i]));
    ws_buf_append(&s->buf, blocked->patterns.data, blocked->patterns.len);
    flush(s);
    ws_art_iterate(&s->entries->all.keys, put_entry, s);
    put_tail(s);
}

static ws_status sync_folder(const char *path, ws_error *error)
{
    const char *slash = strrchr(path, '/');
    if (!slash)
        return ws_dir_sync(".", error);
    char *folder = ws_memdup0(path, slash == path ? 1 : (size_t)(slash - path));
    if (!folder)
        return ws_error_set(error, WS_ERR_NOMEM, "out of memory");
    ws_status status = ws_dir_sync(folder, error);
    ws_free(folder);
    return status;
}

ws_status ws_suggest_file_save(const ws_entries *entries, const ws_blocklist *blocked,
                               const ws_suggest_file_head *head, const char *path, ws_error *error)
{
    saver *s = ws_calloc(1, sizeof *s);
    ws_status status = WS_ERR_NOMEM;
    if (!s || !(s->hasher = ws_hasher_new())) {
        ws_free(s);
        return ws_error_set(error, WS_ERR_NOMEM, "out of memory");
    }
    s->entries = entries;
    ws_buf_init(&s->buf);
    status = ws_file_writer_open(&s->file, path, error);
    if (status >= 0) {
        put_all(s, blocked, head);
        status = ws_buf_status(&s->buf);
        if (status < 0)
            ws_error_set(error, status, "out of memory");
        else
            status = ws_file_writer_finish(&s->file, error);
        if (status >= 0)
            status = sync_folder(path, error);
    }
    ws_file_writer_abort(&s->file);
    ws_buf_fini(&s->buf);
    ws_hasher_free(s->hasher);
    ws_free(s);
    return status;
}
