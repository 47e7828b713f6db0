/* Numbers of docs/format.md that more than one file needs. The page is normative; this mirrors
 * it. */
#ifndef WS_INDEX_FORMAT_H
#define WS_INDEX_FORMAT_H

#include <stdint.h>

#define WS_FORMAT_MAJOR 1
#define WS_FORMAT_MINOR 0

#define WS_MAGIC_SEGMENT  "WSSEG\r\n\x1a"
#define WS_MAGIC_END      "WSEND\r\n\x1a"
#define WS_MAGIC_MANIFEST "WSMAN\r\n\x1a"
#define WS_MAGIC_DELETES  "WSDEL\r\n\x1a"
#define WS_MAGIC_BYTES    8

#define WS_SEGMENT_HEADER_BYTES 64u
#define WS_SEGMENT_TAIL_BYTES   40u
#define WS_SECTION_ENTRY_BYTES  32u
#define WS_SECTION_ALIGN        64u
#define WS_SECTION_MAY_IGNORE   1u
#define WS_SECTION_PADDING      64u /* zero bytes at the end of DOC_IDS, TF and POS */
#define WS_SUM_BLOCK_BYTES      65536u

#define WS_KIND_META        1u
#define WS_KIND_TERM_HASH   2u
#define WS_KIND_TERM_BLOCKS 3u
#define WS_KIND_DOC_IDS     4u
#define WS_KIND_TF          5u
#define WS_KIND_BLOCK_DIR   6u
#define WS_KIND_POS         7u
#define WS_KIND_POS_DIR     8u
#define WS_KIND_NORMS       9u
#define WS_KIND_STORED      10u
#define WS_KIND_STORED_DIR  11u
#define WS_KIND_TOKEN_MAP   12u
#define WS_KIND_ID_MAP      13u
#define WS_KIND_DOC_KEY     14u
#define WS_KIND_COLUMN      15u
#define WS_KIND_ZONE        16u
#define WS_KIND_WINDOW_MAX  17u
#define WS_KIND_SUPER_MAX   18u
#define WS_KIND_CHAMPIONS   19u
#define WS_KIND_PAIRS       20u
#define WS_KIND_BLOCK_SUMS  21u
#define WS_KIND_MAX         21u

#define WS_ALL_FIELDS  255u
#define WS_ALL_STREAMS 255u

#define WS_POSTING_BLOCK   256u /* postings in a block */
#define WS_POSITION_BLOCK  128u /* positions in a block */
#define WS_TERMS_PER_BLOCK 16u
#define WS_TERM_MAX        240u /* bytes of a term in its key */
#define WS_TERM_KEPT       224u /* bytes kept of a longer one */
#define WS_TERM_KEY_MAX    (2u + WS_TERM_MAX)

#define WS_DOCS_MAX        0x7ffffffeu
#define WS_MAX_FIELDS      32u
#define WS_MAX_TEXT_FIELDS 8u
#define WS_MAX_SEGMENTS    4096u
#define WS_USER_MAP_MAX    4096u
#define WS_ID_MAX          512u

#define WS_STORED_SHORT_MAX   1024u /* longer values are chunked */
#define WS_STORED_CHUNK_MAX   4096u
#define WS_TOKEN_MAP_INTERVAL 64u

/* Name of a section kind ("DOC_IDS"), "?" when unknown. */
const char *ws_kind_name(uint32_t kind);

#endif
