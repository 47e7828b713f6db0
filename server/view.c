#include "server/view.h"

#include <jansson.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/mem.h"

/* Members of a hit that are ours; a field of that name stays out of it. */
static int is_taken(const char *name)
{
    static const char *const taken[] = {"id", "title", "snippet", "_score", "_highlight"};
    for (size_t i = 0; i < WS_ARRAY_LEN(taken); i++) {
        if (strcmp(name, taken[i]) == 0)
            return 1;
    }
    return 0;
}

static int is_shown(const json_t *field)
{
    const char *type = json_string_value(json_object_get(field, "type"));
    const char *name = json_string_value(json_object_get(field, "name"));
    const json_t *stored = json_object_get(field, "stored");
    return type && name && strcmp(type, "text") != 0 && !json_is_false(stored) && !is_taken(name);
}

static ws_status add_field(ws_view *view, const json_t *field)
{
    const char *name = json_string_value(json_object_get(field, "name"));
    const char *type = json_string_value(json_object_get(field, "type"));
    ws_view_field *f = &view->fields[view->n_fields];
    f->name = ws_memdup0(name, strlen(name));
    if (f->name == NULL)
        return WS_ERR_NOMEM;
    f->is_int = strcmp(type, "int") == 0;
    f->is_multi = json_is_true(json_object_get(field, "multi"));
    view->n_fields++;
    return WS_OK;
}

static ws_status read_fields(ws_view *view, const json_t *fields)
{
    size_t n = json_array_size(fields);
    view->fields = ws_calloc(n ? n : 1, sizeof *view->fields);
    if (view->fields == NULL)
        return WS_ERR_NOMEM;
    for (size_t i = 0; i < n; i++) {
        const json_t *field = json_array_get(fields, i);
        if (is_shown(field))
            WS_TRY(add_field(view, field));
    }
    return WS_OK;
}

static ws_status read_schema(ws_view *view, ws_error *error)
{
    json_t *root = json_loadb(view->describe.ptr, view->describe.len, 0, NULL);
    json_t *fields = json_object_get(json_object_get(root, "schema"), "fields");
    ws_status status = json_is_array(fields) ? read_fields(view, fields) : WS_ERR_CORRUPT;
    json_decref(root);
    if (status < 0)
        ws_error_set(error, status, "the description of the index can't be read");
    return status;
}

ws_status ws_view_open(ws_view **out, ws_index *index, ws_error *error)
{
    *out = NULL;
    ws_view *view = ws_calloc(1, sizeof *view);
    if (view == NULL)
        return ws_error_set(error, WS_ERR_NOMEM, "out of memory");
    atomic_init(&view->references, 1);
    view->stats.size = sizeof view->stats;
    ws_status status = ws_searcher_open(&view->searcher, index, error);
    if (status >= 0)
        status = ws_index_stats(index, &view->stats);
    if (status >= 0)
        status = ws_index_describe(index, &view->describe, error);
    if (status >= 0)
        status = read_schema(view, error);
    if (status < 0) {
        ws_view_unref(view);
        return status;
    }
    view->generation = ws_searcher_generation(view->searcher);
    *out = view;
    return WS_OK;
}

ws_view *ws_view_ref(ws_view *view)
{
    atomic_fetch_add_explicit(&view->references, 1, memory_order_relaxed);
    return view;
}

void ws_view_unref(ws_view *view)
{
    /* Release what this thread did with the view, acquire what others did, before it is freed. */
    if (view == NULL || atomic_fetch_sub_explicit(&view->references, 1, memory_order_acq_rel) != 1)
        return;
    ws_searcher_close(view->searcher);
    ws_text_free(&view->describe);
    for (uint32_t i = 0; i < view->n_fields; i++)
        ws_free(view->fields[i].name);
    ws_free(view->fields);
    ws_free(view);
}
