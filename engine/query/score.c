#include "engine/query/score.h"

#include <math.h>

#include "base/bytes.h"
#include "base/mem.h"
#include "engine/index/norm.h"

#define LENGTH_MAX ((uint64_t)1 << 52)
#define ONE_Q24    ((uint64_t)1 << 24)

uint64_t ws_score_weight(const ws_schema *schema, uint32_t field, uint32_t stream)
{
    if (field >= schema->n_fields || stream >= WS_SCHEMA_STREAMS ||
        schema->fields[field].type != WS_FIELD_TEXT)
        return 0;
    return (uint64_t)schema->fields[field].boost * schema->weights[stream] >> 16;
}

uint64_t ws_score_idf(uint64_t n_docs, uint64_t df)
{
    double n = (double)n_docs, d = (double)WS_MIN(df, n_docs);
    return (uint64_t)(log(1.0 + (n - d + 0.5) / (d + 0.5)) * 0x1p20 + 0.5);
}

/* Below 2^32 * 2^88 above and 2^92 below the line, so 128 bits hold it exactly. */
uint64_t ws_score_length(const ws_schema *schema, uint64_t n_docs, uint64_t sum_length,
                         uint8_t code)
{
    uint64_t b = WS_MIN(schema->b, ONE_Q24);
    if (sum_length == 0)
        return schema->k1 >> 4;
    unsigned __int128 scaled = (unsigned __int128)(ONE_Q24 - b) * sum_length +
                               (unsigned __int128)b * ws_norm_decode(code) * n_docs;
    unsigned __int128 length = scaled * schema->k1 / ((unsigned __int128)sum_length << 28);
    return length < LENGTH_MAX ? (uint64_t)length : LENGTH_MAX;
}

static ws_score_table *new_table(const ws_manifest *m, uint32_t field, uint32_t stream)
{
    const ws_manifest_stream *s = ws_manifest_find_stream(m, field, stream);
    ws_score_table *t = ws_malloc(sizeof *t);
    if (!t)
        return NULL;
    t->n_docs = s ? s->n_docs : 0;
    t->weight = ws_score_weight(&m->schema, field, stream);
    for (uint32_t c = 0; c < WS_SCORE_NORMS; c++) {
        t->length[c] = ws_score_length(&m->schema, t->n_docs, s ? s->sum_length : 0, (uint8_t)c);
        t->rows[c] = 0;
        for (uint32_t tf = 1; tf < WS_SCORE_ROWS; tf++)
            t->rows[tf << 8 | c] = ws_score_fraction(t->length[c], tf);
    }
    return t;
}

ws_status ws_score_tables_new(ws_score_tables **out, const ws_manifest *manifest)
{
    ws_score_tables *tables = *out = ws_calloc(1, sizeof *tables);
    if (!tables)
        return WS_ERR_NOMEM;
    for (uint32_t f = 0; f < manifest->schema.n_fields; f++)
        for (uint32_t s = 0; s < WS_SCHEMA_STREAMS; s++) {
            if (ws_score_weight(&manifest->schema, f, s) == 0)
                continue;
            if (!(tables->streams[f][s] = new_table(manifest, f, s))) {
                ws_score_tables_free(tables);
                *out = NULL;
                return WS_ERR_NOMEM;
            }
        }
    return WS_OK;
}

void ws_score_tables_free(ws_score_tables *tables)
{
    if (!tables)
        return;
    for (uint32_t f = 0; f < WS_MAX_FIELDS; f++)
        for (uint32_t s = 0; s < WS_SCHEMA_STREAMS; s++)
            ws_free(tables->streams[f][s]);
    ws_free(tables);
}
