#include "indexer/import_reader.h"

#include "base/error.h"
#include "base/mem.h"
#include "base/str.h"
#include "indexer/import_plan.h"

static int is_stdin(const char *path)
{
    return !strcmp(path, "-");
}

static int stopped(const ws_import_reader *r)
{
    return r->options->stop && atomic_load_explicit(r->options->stop, memory_order_relaxed);
}

/* --- the inputs --- */

static ws_status open_source(ws_import_reader *r, uint32_t i, uint64_t decoder_memory,
                             ws_input **input, ws_error *error)
{
    ws_import_source *source = &r->sources[i];
    ws_input_options options = {.decoder_memory = decoder_memory, .stop = r->options->stop};
    if (source->kept) {
        *input = source->kept;
        source->kept = NULL;
        return WS_OK;
    }
    return ws_input_open(input, source->path, &options, error);
}

static ws_status look_at(ws_import_reader *r, uint32_t i, uint64_t decoder_max, ws_error *error)
{
    ws_input *input;
    ws_import_source *source = &r->sources[i];
    source->path = r->options->files[i];
    for (uint32_t before = 0; before < i; before++)
        if (is_stdin(source->path) && is_stdin(r->sources[before].path))
            return ws_error_set(error, WS_ERR_ARG, "standard input can be read only once");
    WS_TRY(open_source(r, i, decoder_max, &input, error));
    source->identity = ws_input_identify(input);
    if (ws_input_decoder_memory(input) > r->decoder_memory)
        r->decoder_memory = ws_input_decoder_memory(input);
    /* What has no size may be a pipe, and bytes that were looked at come only once. */
    if (is_stdin(source->path) || source->identity.size == 0)
        source->kept = input;
    else
        ws_input_close(input);
    return WS_OK;
}

static uint64_t total_size(const ws_import_reader *r)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < r->options->n_files; i++) {
        if (r->sources[i].identity.size == 0)
            return 0;
        total += r->sources[i].identity.size;
    }
    return total;
}

ws_status ws_import_reader_init(ws_import_reader *r, const ws_import_options *options,
                                ws_error *error)
{
    memset(r, 0, sizeof *r);
    r->options = options;
    r->format = options->format;
    r->commit_every = options->commit_every ? options->commit_every : WS_IMPORT_COMMIT_DOCS;
    uint64_t ceiling = options->memory ? options->memory : WS_IMPORT_MEMORY;
    r->sources = ws_calloc(options->n_files + 1u, sizeof *r->sources);
    if (!r->sources)
        return ws_error_set(error, WS_ERR_NOMEM, "no memory for the list of inputs");
    for (uint32_t i = 0; i < options->n_files; i++)
        WS_TRY(look_at(r, i, ws_import_plan_decoder_max(ceiling), error));
    r->file_total = total_size(r);
    return WS_OK;
}

static void close_input(ws_import_reader *r)
{
    ws_splitter_free(r->splitter);
    ws_input_close(r->input);
    r->splitter = NULL;
    r->input = NULL;
}

void ws_import_reader_fini(ws_import_reader *r)
{
    close_input(r);
    for (uint32_t i = 0; r->sources && i < r->options->n_files; i++)
        ws_input_close(r->sources[i].kept);
    ws_free(r->sources);
    memset(r, 0, sizeof *r);
}

/* Opens input at.file and goes to at.offset in it. */
static ws_status open_input(ws_import_reader *r, ws_error *error)
{
    WS_TRY(open_source(r, r->at.file, r->decoder_memory, &r->input, error));
    WS_TRY(ws_input_skip(r->input, r->at.offset, error));
    r->start_offset = r->at.offset;
    r->format = r->options->format;
    if (ws_splitter_new(&r->splitter, r->input, (size_t)r->line_max))
        return ws_error_set(error, WS_ERR_NOMEM, "no memory for reading");
    return WS_OK;
}

static void next_input(ws_import_reader *r)
{
    r->file_done += ws_input_file_offset(r->input);
    r->bytes_done += ws_input_stream_offset(r->input) - r->start_offset;
    close_input(r);
    r->at.file++;
    r->at.offset = 0;
}

/* --- resuming --- */

static int same(const ws_input_identity *a, const ws_input_identity *b)
{
    return a->size == b->size && a->hash == b->hash;
}

ws_status ws_import_reader_resume(ws_import_reader *r, const ws_checkpoint *c, ws_error *error)
{
    for (uint32_t i = 0; i < r->options->n_files; i++) {
        if (!same(&r->sources[i].identity, &c->identity)) {
            r->file_done += r->sources[i].identity.size;
            continue;
        }
        r->at = (ws_import_position){i, c->offset, c->lines, c->documents};
        return WS_OK;
    }
    return ws_error_set(
        error, WS_ERR_ARG,
        "the last import read %s (%llu bytes): name the same inputs, or leave out --resume",
        c->path, (unsigned long long)c->identity.size);
}

void ws_import_reader_checkpoint(const ws_import_reader *r, const ws_import_position *p,
                                 ws_checkpoint *c)
{
    memset(c, 0, sizeof *c);
    c->identity = r->sources[p->file].identity;
    c->offset = p->offset;
    c->lines = p->lines;
    c->documents = p->documents;
    ws_checkpoint_set_path(c, r->sources[p->file].path);
}

/* --- lines --- */

static int is_blank(ws_str s)
{
    for (size_t i = 0; i < s.len; i++)
        if (!memchr(" \t\r\n", s.ptr[i], 4))
            return 0;
    return 1;
}

static ws_status detect(ws_import_reader *r, ws_str line, ws_error *error)
{
    size_t i = 0;
    const char *path = ws_input_path(r->input);
    while (memchr(" \t\r", line.ptr[i], 3))
        i++;
    if (line.ptr[i] == '{') {
        r->format = WS_IMPORT_JSONL;
        return WS_OK;
    }
    if (line.ptr[i] == '<')
        return ws_error_at(error, WS_ERR_ARG, path, 0,
                           "looks like XML: the format mediawiki cannot be read yet");
    return ws_error_at(error, WS_ERR_ARG, path, 0,
                       "the format is not plain from its first line: say --format jsonl or lines");
}

/* Takes the next line that is a document into r->line. WS_ERR_NOT_FOUND at the end of the input. */
static ws_status next_line(ws_import_reader *r, ws_error *error)
{
    while (!r->has_line) {
        WS_TRY(ws_splitter_next(r->splitter, &r->line, error));
        r->has_line = 1;
        if (r->line.too_long || (r->format != WS_IMPORT_LINES && !is_blank(r->line.bytes)))
            break;
        if (r->format == WS_IMPORT_LINES)
            return WS_OK;
        r->has_line = 0;
        r->at.lines++;
        r->at.offset = r->line.offset + r->line.length;
    }
    return r->format == WS_IMPORT_AUTO && !r->line.too_long ? detect(r, r->line.bytes, error)
                                                            : WS_OK;
}

/* --- batches --- */

static int limit_reached(const ws_import_reader *r)
{
    return r->options->limit && r->at.documents >= r->options->limit;
}

static int is_full(const ws_batch *batch, const ws_line *next)
{
    return batch->n_lines &&
           (batch->n_lines == WS_BATCH_LINES || batch->len + next->bytes.len > WS_BATCH_BYTES);
}

static ws_status take_line(ws_import_reader *r, ws_batch *batch, ws_error *error)
{
    if (ws_batch_add(batch, &r->line, r->at.lines))
        return ws_error_set(error, WS_ERR_NOMEM, "no memory for a batch");
    r->has_line = 0;
    r->at.lines++;
    r->at.documents++;
    r->at.offset = r->line.offset + r->line.length;
    r->sequence++;
    if (r->at.documents % r->commit_every == 0) {
        batch->commit_after = 1;
        r->sequence = 0;
    }
    return WS_OK;
}

/* Lines of the present input until the batch is full, a commit is due, or the input ends
 * (WS_ERR_NOT_FOUND). */
static ws_status fill(ws_import_reader *r, ws_batch *batch, ws_error *error)
{
    while (!limit_reached(r)) {
        WS_TRY(next_line(r, error));
        if (is_full(batch, &r->line))
            return WS_OK;
        batch->format = r->format;
        WS_TRY(take_line(r, batch, error));
        if (batch->commit_after || stopped(r))
            return WS_OK;
    }
    return WS_ERR_NOT_FOUND;
}

static void begin(const ws_import_reader *r, ws_batch *batch)
{
    batch->file = r->at.file;
    batch->format = r->format;
    batch->first_document = r->at.documents;
    batch->first_sequence = r->sequence;
}

/* Fills from the present input and the ones after it until there is something. */
static ws_status fill_from_any(ws_import_reader *r, ws_batch *batch, ws_error *error)
{
    while (r->at.file < r->options->n_files && !limit_reached(r)) {
        if (!r->input)
            WS_TRY(open_input(r, error));
        begin(r, batch);
        ws_status status = fill(r, batch, error);
        batch->after = r->at;
        if (batch->n_lines || status != WS_ERR_NOT_FOUND)
            return batch->n_lines ? WS_OK : status;
        next_input(r);
    }
    return WS_ERR_NOT_FOUND;
}

ws_status ws_import_reader_next(ws_import_reader *r, ws_import_queue *queue, ws_batch **out,
                                ws_error *error)
{
    *out = NULL;
    ws_batch *batch = ws_import_queue_batch(queue);
    if (!batch)
        return ws_error_set(error, WS_ERR_NOMEM, "no memory for a batch");
    ws_status status = fill_from_any(r, batch, error);
    if (status) {
        ws_batch_free(batch);
        return status;
    }
    *out = batch;
    return WS_OK;
}

void ws_import_reader_progress(const ws_import_reader *r, ws_import_progress *p)
{
    p->documents = r->at.documents;
    p->bytes = r->bytes_done;
    p->file_bytes = r->file_done;
    p->file_total = r->file_total;
    if (r->input) {
        p->bytes += ws_input_stream_offset(r->input) - r->start_offset;
        p->file_bytes += ws_input_file_offset(r->input);
    }
}
