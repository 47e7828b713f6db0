#include "engine/index/postings_writer.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/mem.h"
#include "engine/index/dictionary_writer.h"
#include "engine/index/doc_block.h"
#include "engine/index/exception_block.h"

/* Directory rows of the term being written, one a posting block. */
typedef struct {
    uint32_t last_doc, doc_offset, tf_offset, pos_offset;
    uint8_t pos_skip;
} directory_row;

struct ws_postings_writer {
    ws_segment_out *out; /* DOC_IDS is open in it until finish */
    ws_spool tf, block_dir, pos, pos_dir;
    ws_dictionary_writer dictionary;
    ws_postings_totals totals;
    ws_status status; /* sticky */

    /* the term being written */
    uint8_t key[WS_TERM_KEY_MAX];
    size_t key_length;
    int positions;
    ws_term_info info;
    uint32_t docs[WS_POSTING_BLOCK], tfs[WS_POSTING_BLOCK], n;
    uint32_t last_doc; /* of the block before */
    uint32_t values[WS_POSITION_BLOCK], n_values;
    uint32_t block_pos_offset; /* where the position block being filled will begin */
    uint32_t first_position;   /* of the term's first posting */
    directory_row *rows;
    uint32_t n_rows, rows_cap;
    uint8_t bytes[WS_EXCEPTION_BLOCK_MAX];
};

ws_status ws_postings_writer_new(ws_postings_writer **out_w, ws_segment_out *out,
                                 const char *spool_dir, size_t spool_limit)
{
    ws_postings_writer *w = ws_calloc(1, sizeof *w);
    *out_w = w;
    if (!w)
        return WS_ERR_NOMEM;
    w->out = out;
    ws_spool_init(&w->tf, spool_dir, spool_limit);
    ws_spool_init(&w->block_dir, spool_dir, spool_limit);
    ws_spool_init(&w->pos, spool_dir, spool_limit);
    ws_spool_init(&w->pos_dir, spool_dir, spool_limit);
    ws_dictionary_writer_init(&w->dictionary, spool_dir, spool_limit);
    ws_segment_out_begin(out, WS_KIND_DOC_IDS, WS_ALL_FIELDS, WS_ALL_STREAMS, 0);
    return WS_OK;
}

void ws_postings_writer_free(ws_postings_writer *w)
{
    if (!w)
        return;
    ws_spool_fini(&w->tf);
    ws_spool_fini(&w->block_dir);
    ws_spool_fini(&w->pos);
    ws_spool_fini(&w->pos_dir);
    ws_dictionary_writer_fini(&w->dictionary);
    ws_free(w->rows);
    ws_free(w);
}

ws_status ws_postings_writer_begin(ws_postings_writer *w, ws_str key, int positions)
{
    WS_TRY(w->status);
    if (key.len > WS_TERM_KEY_MAX)
        return WS_ERR_ARG;
    memcpy(w->key, key.ptr, key.len);
    w->key_length = key.len;
    w->positions = positions;
    memset(&w->info, 0, sizeof w->info);
    w->info.positions = (uint8_t)(positions != 0);
    w->info.doc_offset = ws_segment_out_section_length(w->out);
    w->info.tf_offset = ws_spool_length(&w->tf);
    w->info.pos_offset = ws_spool_length(&w->pos);
    w->info.dir_offset = ws_spool_length(&w->block_dir);
    w->info.posdir_offset = ws_spool_length(&w->pos_dir);
    w->n = w->n_values = w->n_rows = 0;
    w->block_pos_offset = 0;
    w->last_doc = WS_BEFORE_FIRST;
    return WS_OK;
}

/* --- blocks --- */

static ws_status add_row(ws_postings_writer *w, directory_row row)
{
    if (w->n_rows == w->rows_cap) {
        uint32_t cap = w->rows_cap ? w->rows_cap * 2 : 64;
        directory_row *grown = ws_reallocarray(w->rows, cap, sizeof *grown);
        if (!grown)
            return w->status = WS_ERR_NOMEM;
        w->rows = grown;
        w->rows_cap = cap;
    }
    w->rows[w->n_rows++] = row;
    return WS_OK;
}

/* Writes the documents and frequencies that wait; their directory row got its position fields when
 * the block began. */
static void write_block(ws_postings_writer *w)
{
    directory_row *row = &w->rows[w->n_rows - 1];
    row->last_doc = w->docs[w->n - 1];
    row->doc_offset = (uint32_t)(ws_segment_out_section_length(w->out) - w->info.doc_offset);
    row->tf_offset = (uint32_t)(ws_spool_length(&w->tf) - w->info.tf_offset);
    size_t n = ws_doc_block_encode(w->docs, w->n, w->last_doc, w->bytes);
    ws_segment_out_write(w->out, w->bytes, n);
    n = ws_tf_block_encode(w->tfs, w->n, w->bytes);
    ws_spool_append(&w->tf, w->bytes, n);
    w->last_doc = w->docs[w->n - 1];
    w->n = 0;
}

static void write_values(ws_postings_writer *w)
{
    size_t n = ws_pos_block_encode(w->values, w->n_values, w->bytes);
    ws_spool_append(&w->pos, w->bytes, n);
    w->n_values = 0;
    w->block_pos_offset = (uint32_t)(ws_spool_length(&w->pos) - w->info.pos_offset);
}

static void add_positions(ws_postings_writer *w, const uint32_t *positions, uint32_t tf)
{
    uint32_t before = 0;
    for (uint32_t i = 0; i < tf; i++) {
        w->values[w->n_values++] = positions[i] - before;
        before = positions[i];
        if (w->n_values == WS_POSITION_BLOCK)
            write_values(w);
    }
}

ws_status ws_postings_writer_add(ws_postings_writer *w, uint32_t doc, uint32_t tf,
                                 const uint32_t *positions)
{
    WS_TRY(w->status);
    if (tf == 0 || (w->info.df && doc <= (w->n ? w->docs[w->n - 1] : w->last_doc)))
        return WS_ERR_ARG;
    if (w->n == WS_POSTING_BLOCK)
        write_block(w);
    if (w->n == 0)
        WS_TRY(add_row(w, (directory_row){.pos_offset = w->block_pos_offset,
                                          .pos_skip = (uint8_t)w->n_values}));
    if (w->info.df == 0 && w->positions)
        w->first_position = positions[0];
    w->docs[w->n] = doc;
    w->tfs[w->n++] = tf;
    w->info.df++;
    w->info.cf += tf;
    if (w->positions)
        add_positions(w, positions, tf);
    return WS_OK;
}

/* --- the end of a term --- */

static void append_u32(ws_spool *spool, uint32_t value)
{
    uint8_t bytes[4];
    ws_store_u32le(bytes, value);
    ws_spool_append(spool, bytes, sizeof bytes);
}

static void write_directory(ws_postings_writer *w)
{
    static const uint8_t zeros[4] = {0};
    for (uint32_t i = 0; i < w->n_rows; i++)
        append_u32(&w->block_dir, w->rows[i].last_doc);
    for (uint32_t i = 0; i < w->n_rows; i++)
        append_u32(&w->block_dir, w->rows[i].doc_offset);
    for (uint32_t i = 0; i < w->n_rows; i++)
        append_u32(&w->block_dir, w->rows[i].tf_offset);
    if (!w->positions)
        return;
    for (uint32_t i = 0; i < w->n_rows; i++)
        append_u32(&w->pos_dir, w->rows[i].pos_offset);
    for (uint32_t i = 0; i < w->n_rows; i++)
        ws_spool_append(&w->pos_dir, &w->rows[i].pos_skip, 1);
    ws_spool_append(&w->pos_dir, zeros, (4 - w->n_rows % 4) % 4);
}

/* One posting lies in the dictionary; its positions do when there is one. */
static void end_single(ws_postings_writer *w)
{
    w->info.doc = w->docs[0];
    w->info.position = w->positions ? w->first_position : 0;
    if (w->info.cf == 1)
        w->n_values = 0;
    else if (w->n_values)
        write_values(w);
}

static void end_many(ws_postings_writer *w)
{
    write_block(w);
    if (w->n_values)
        write_values(w);
    if (w->n_rows > 1)
        write_directory(w);
}

static ws_status spool_status(const ws_postings_writer *w)
{
    const ws_spool *spools[] = {&w->tf, &w->block_dir, &w->pos, &w->pos_dir};
    for (size_t i = 0; i < WS_ARRAY_LEN(spools); i++)
        if (spools[i]->status)
            return spools[i]->status;
    return WS_OK;
}

ws_status ws_postings_writer_end(ws_postings_writer *w)
{
    WS_TRY(w->status);
    if (w->info.df == 0)
        return WS_OK;
    if (w->info.df == 1)
        end_single(w);
    else
        end_many(w);
    w->info.doc_length = ws_segment_out_section_length(w->out) - w->info.doc_offset;
    w->info.tf_length = ws_spool_length(&w->tf) - w->info.tf_offset;
    w->info.pos_length = ws_spool_length(&w->pos) - w->info.pos_offset;
    w->totals.n_terms++;
    w->totals.n_postings += w->info.df;
    w->totals.n_positions += w->positions ? w->info.cf : 0;
    if ((w->info.doc_length | w->info.tf_length | w->info.pos_length) > UINT32_MAX)
        return w->status = WS_ERR_LIMIT; /* directory offsets are 32 bits */
    w->status = ws_dictionary_writer_add(&w->dictionary,
                                         (ws_str){(const char *)w->key, w->key_length}, &w->info);
    return w->status ? w->status : (w->status = spool_status(w));
}

ws_status ws_postings_writer_finish(ws_postings_writer *w, ws_postings_totals *totals)
{
    static const uint8_t zeros[WS_SECTION_PADDING] = {0};
    WS_TRY(w->status);
    ws_segment_out_write(w->out, zeros, sizeof zeros);
    ws_segment_out_end(w->out);
    ws_segment_out_spool(w->out, WS_KIND_TF, WS_ALL_FIELDS, WS_ALL_STREAMS, &w->tf,
                         WS_SECTION_PADDING);
    ws_segment_out_spool(w->out, WS_KIND_BLOCK_DIR, WS_ALL_FIELDS, WS_ALL_STREAMS, &w->block_dir,
                         0);
    ws_segment_out_spool(w->out, WS_KIND_POS, WS_ALL_FIELDS, WS_ALL_STREAMS, &w->pos,
                         WS_SECTION_PADDING);
    ws_segment_out_spool(w->out, WS_KIND_POS_DIR, WS_ALL_FIELDS, WS_ALL_STREAMS, &w->pos_dir, 0);
    *totals = w->totals;
    return ws_dictionary_writer_finish(&w->dictionary, w->out);
}
