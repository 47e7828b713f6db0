/* Where an import stood at a commit: one value in the index's user map, written with every commit.
 *
 *   import.checkpoint   "1 SIZE HASH OFFSET LINES DOCUMENTS PATH"
 *
 * Numbers are decimal, HASH hexadecimal, PATH is cut on the left. */
#ifndef WS_INDEXER_IMPORT_CHECKPOINT_H
#define WS_INDEXER_IMPORT_CHECKPOINT_H

#include "indexer/import_queue.h"
#include "indexer/input.h"

#define WS_CHECKPOINT_KEY   "import.checkpoint"
#define WS_CHECKPOINT_BYTES 512u

typedef struct {
    ws_input_identity identity; /* of the file being read */
    uint64_t offset, lines, documents;
    char path[300]; /* for people; not part of the identity */
} ws_checkpoint;

void ws_checkpoint_set_path(ws_checkpoint *checkpoint, const char *path);
void ws_checkpoint_encode(const ws_checkpoint *checkpoint, char out[WS_CHECKPOINT_BYTES]);

/* WS_ERR_SYNTAX when it is not one. */
ws_status ws_checkpoint_decode(ws_checkpoint *checkpoint, ws_str text);

#endif
