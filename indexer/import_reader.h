/* The reading side of an import: several inputs as one sequence of documents, cut into batches.
 * [1]. */
#ifndef WS_INDEXER_IMPORT_READER_H
#define WS_INDEXER_IMPORT_READER_H

#include "indexer/import.h"
#include "indexer/import_checkpoint.h"
#include "indexer/import_queue.h"

typedef struct {
    const char *path;
    ws_input_identity identity;
    ws_input *kept; /* standard input: it cannot be opened twice */
} ws_import_source;

typedef struct {
    const ws_import_options *options;
    ws_import_source *sources;      /* options->n_files */
    uint64_t decoder_memory;        /* most that one of them takes */
    uint64_t file_total;            /* bytes of all files; 0 = not known */
    uint64_t file_done, bytes_done; /* of the inputs before the present one */
    uint64_t start_offset;          /* where reading of the present one began */
    uint64_t commit_every, line_max;
    ws_input *input; /* the present one, NULL between two */
    ws_splitter *splitter;
    uint32_t format; /* of the present one, WS_IMPORT_AUTO until its first line was seen */
    ws_import_position at;
    uint64_t sequence; /* of the next document in the commit interval */
    ws_line line;      /* read but not in a batch yet */
    int has_line;
} ws_import_reader;

/* Looks at every input: that it is there, its identity, the memory that decompressing takes.
 * `options` is borrowed. Errors: as ws_input_open; WS_ERR_ARG when standard input is named twice.
 * Call fini also after a failure. */
ws_status ws_import_reader_init(ws_import_reader *r, const ws_import_options *options,
                                ws_error *error);
void ws_import_reader_fini(ws_import_reader *r);

/* Sets the place to begin at: that of a checkpoint. WS_ERR_ARG when none of the inputs is the one
 * it was made of. */
ws_status ws_import_reader_resume(ws_import_reader *r, const ws_checkpoint *checkpoint,
                                  ws_error *error);

/* Next batch, the caller's then. Ends behind a document that makes a commit due, at the end of an
 * input, and when `stop` is set. WS_ERR_NOT_FOUND at the end of all, or of the limit. Errors of an
 * input come after the batches before them, and again. */
ws_status ws_import_reader_next(ws_import_reader *r, ws_import_queue *queue, ws_batch **batch,
                                ws_error *error);

void ws_import_reader_progress(const ws_import_reader *r, ws_import_progress *progress);

/* What a commit of everything up to `position` records. */
void ws_import_reader_checkpoint(const ws_import_reader *r, const ws_import_position *position,
                                 ws_checkpoint *checkpoint);

#endif
