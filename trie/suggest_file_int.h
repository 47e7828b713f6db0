/* What writer and reader of the suggest file share. */
#ifndef WS_TRIE_SUGGEST_FILE_INT_H
#define WS_TRIE_SUGGEST_FILE_INT_H

#define WS_SUGGEST_FILE_MAGIC  "WSSUG\r\n\x1a"
#define WS_SUGGEST_FILE_END    "WSSUGEND"
#define WS_SUGGEST_FILE_MAJOR  1u
#define WS_SUGGEST_FILE_MINOR  0u
#define WS_SUGGEST_FILE_ORDER  0x0a0b0c0du
#define WS_SUGGEST_FILE_HEADER 64u
#define WS_SUGGEST_FILE_TAIL   32u

/* Flags of an entry: those of trie/entry.h, and which fields follow. */
#define WS_SUGGEST_FILE_CONTEXT  16u
#define WS_SUGGEST_FILE_FRACTION 32u
#define WS_SUGGEST_FILE_FLAGS    63u

#endif
