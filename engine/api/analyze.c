/* Showing what the analyzer makes of a text, and the fingerprint of its rules. */
#include "base/error.h"
#include "base/str.h"
#include "engine/api/api_int.h"
#include "engine/api/schema_json.h"

#define TEXT_MAX ((size_t)INT32_MAX)

/* The analyzer kind of a field; the standard one without an index. */
static ws_status kind_of(const ws_index *index, ws_str field, uint32_t *kind, ws_error *error)
{
    *kind = WS_ANALYZER_STANDARD;
    if (!index)
        return field.len ? ws_error_set(error, WS_ERR_SCHEMA, "a field needs an index") : WS_OK;
    int f =
        field.len ? ws_schema_find(&index->schema, field) : ws_schema_body_field(&index->schema);
    if (f < 0 || index->schema.fields[f].type != WS_FIELD_TEXT)
        return ws_error_set(error, WS_ERR_SCHEMA, "no text field \"" WS_STR_FMT "\"",
                            WS_STR_ARG(field));
    *kind = index->schema.fields[f].analyzer;
    return WS_OK;
}

static ws_status borrow(ws_index *index, ws_analyzer **analyzer)
{
    return index ? ws_index_lend_analyzer(index, analyzer) : ws_analyzer_new(analyzer, NULL);
}

static void give_back(ws_index *index, ws_analyzer *analyzer)
{
    if (index)
        ws_index_give_back(index, analyzer);
    else
        ws_analyzer_free(analyzer);
}

static void report(const ws_tokens *tokens, ws_analyze_fn callback, void *ctx)
{
    for (uint32_t i = 0; i < tokens->n_tokens; i++) {
        const ws_token *t = &tokens->tokens[i];
        ws_analyzed_token token = {t->text, ws_stream_name(t->stream), t->start, t->end,
                                   t->position};
        callback(ctx, &token);
    }
}

ws_status ws_analyze(ws_index *index, ws_str field, ws_str text, uint32_t mode,
                     ws_analyze_fn callback, void *ctx, ws_error *error)
{
    ws_analyzer *analyzer;
    ws_tokens tokens;
    uint32_t kind;
    if (!callback || mode > WS_ANALYZE_AS_QUERY)
        return ws_error_set(error, WS_ERR_ARG, "analyze needs a callback and mode 0 or 1");
    if (index)
        WS_TRY(ws_index_check_process(index));
    if (text.len > TEXT_MAX)
        return ws_error_set(error, WS_ERR_LIMIT, "the text is longer than 2 GiB");
    WS_TRY(kind_of(index, field, &kind, error));
    ws_status status = borrow(index, &analyzer);
    if (status)
        return ws_error_set(error, status, "cannot make an analyzer: %s", ws_status_text(status));
    status = ws_analyzer_run(analyzer, kind, mode, text, &tokens);
    if (status < 0)
        ws_error_set(error, status, "cannot analyse: %s", ws_status_text(status));
    else
        report(&tokens, callback, ctx);
    give_back(index, analyzer);
    return status;
}

ws_status ws_fingerprint(uint64_t *fingerprint)
{
    ws_analyzer *analyzer;
    *fingerprint = 0;
    WS_TRY(ws_analyzer_new(&analyzer, NULL));
    ws_status status = ws_analyzer_fingerprint(analyzer, fingerprint);
    ws_analyzer_free(analyzer);
    return status;
}
