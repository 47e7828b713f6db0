/* The suggest file: all entries in the order of their keys, contexts, blocked keys. Bytes:
 * docs/format.md, "Suggest file". */
#ifndef WS_TRIE_SUGGEST_FILE_H
#define WS_TRIE_SUGGEST_FILE_H

#include "trie/blocklist.h"
#include "trie/entries.h"

typedef struct {
    int64_t origin_ms; /* trie/decay.h */
    uint64_t half_life_ms;
} ws_suggest_file_head;

/* Writes PATH durably (temporary file, fdatasync, rename, sync of the folder).
 *   blocked  a copy, when others may change it meanwhile
 * Inside an epoch of the entries: a writer may go on beside it; each entry is written as it is at
 * some moment of the call. Errors: WS_ERR_IO, WS_ERR_NOSPC, WS_ERR_FSYNC_FAILED, WS_ERR_NOMEM. */
ws_status ws_suggest_file_save(const ws_entries *entries, const ws_blocklist *blocked,
                               const ws_suggest_file_head *head, const char *path, ws_error *error);

/* Reads a whole file into empty entries and an empty list. WS_ERR_CORRUPT (with the byte),
 * WS_ERR_VERSION, WS_ERR_NOMEM, WS_ERR_LIMIT; what had been read by then stays in the entries,
 * which are of no use. The bytes need not live on. */
ws_status ws_suggest_file_load(ws_entries *entries, ws_blocklist *blocked,
                               ws_suggest_file_head *head, ws_str bytes, ws_error *error);

#endif
