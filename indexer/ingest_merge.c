/* Merging committed segments under the memory ceiling. */
#include "base/budget.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/mem.h"
#include "indexer/ingest_int.h"

/* Inputs of a merge are mapped: their share of the ceiling, the rest is buffers. */
#define INPUT_SHARE(memory) ((memory) / 10 * 6)

typedef struct {
    ws_segment *segments[WS_MERGE_MAX_INPUTS];
    ws_merge_input inputs[WS_MERGE_MAX_INPUTS];
    uint32_t n;
} input_list;

static void close_inputs(input_list *list)
{
    for (uint32_t i = 0; i < list->n; i++)
        ws_segment_unref(list->segments[i]);
}

static ws_status open_input(ws_ingest *ingest, const ws_member *m, ws_segment **out,
                            ws_error *error)
{
    char path[4096];
    ws_segment_options options = {WS_ACCESS_MMAP, WS_VERIFY_LAZY, 0};
    if (!ingest->dir[0]) {
        *out = ws_segment_ref(m->ids);
        return WS_OK;
    }
    WS_TRY(ws_ingest_segment_path(ingest, m->entry.id, path, sizeof path));
    return ws_segment_open(out, path, &options, error);
}

/* Oldest documents first, so that DOC_KEYs keep ascending in the result. */
static void order_inputs(input_list *list)
{
    for (uint32_t i = 1; i < list->n; i++)
        for (uint32_t j = i; j > 0; j--) {
            ws_merge_input *a = &list->inputs[j - 1], *b = &list->inputs[j], t = *a;
            if (a->segment->meta.min_doc_key <= b->segment->meta.min_doc_key)
                break;
            *a = *b;
            *b = t;
        }
}

static ws_status open_inputs(ws_ingest *ingest, const uint32_t *picks, uint32_t n, input_list *list,
                             ws_error *error)
{
    list->n = 0;
    for (uint32_t i = 0; i < n; i++) {
        const ws_member *m = &ingest->members[picks[i]];
        WS_TRY(open_input(ingest, m, &list->segments[i], error));
        list->inputs[i] = (ws_merge_input){list->segments[i], m->live.words ? &m->live : NULL};
        list->n++;
    }
    order_inputs(list);
    return WS_OK;
}

static void remove_members(ws_ingest *ingest, const uint32_t *picks, uint32_t n)
{
    uint32_t kept = 0, next = 0;
    for (uint32_t i = 0; i < ingest->n_members; i++) {
        if (next < n && picks[next] == i) {
            ws_member_fini(ingest, &ingest->members[i]);
            next++;
        } else {
            ingest->members[kept++] = ingest->members[i];
        }
    }
    ingest->n_members = kept;
}

/* Writes the merged segment; *member describes it, n_docs 0 when nothing was alive. */
static ws_status write_merged(ws_ingest *ingest, const input_list *list, ws_member *member,
                              uint32_t *n_docs, const ws_budget *budget, ws_error *error)
{
    char path[4096];
    ws_segment_out *out;
    uint64_t id = ingest->next_segment_id++, length, hash;
    WS_TRY(ws_ingest_segment_path(ingest, id, path, sizeof path));
    WS_TRY(ws_segment_out_new(&out, ingest->dir[0] ? path : NULL, id, ingest->fingerprint, error));
    ws_status status = ws_merge_segments(list->inputs, list->n, &ingest->manifest.schema,
                                         ingest->dir[0] ? ingest->dir : NULL, out, n_docs, budget);
    if (status)
        ws_error_at(error, status, path, 0, "cannot merge: %s", ws_status_text(status));
    else if (*n_docs) {
        status = ws_segment_out_finish(out, &length, &hash, error);
        if (!status)
            status = ws_ingest_open_output(ingest, out, id, length, hash, member, error);
    }
    ws_segment_out_free(out);
    return status;
}

static ws_status commit_merged(ws_ingest *ingest, const uint32_t *picks, uint32_t n,
                               ws_member *member, uint32_t n_docs, ws_error *error)
{
    ws_manifest next;
    ws_status status = ws_ingest_next_manifest(ingest, &next);
    if (status)
        return ws_error_set(error, status, "no memory for the manifest");
    if (n_docs)
        status = ws_ingest_add_member(ingest, member);
    if (status) {
        ws_manifest_fini(&next);
        return status;
    }
    memset(member, 0, sizeof *member); /* the ingest's now */
    remove_members(ingest, picks, n);
    status = ws_ingest_commit_members(ingest, &next, 1, error);
    if (status) {
        /* The members no longer are what the manifest says: nothing but closing may follow. */
        ingest->failed = status;
        ws_manifest_fini(&next);
    }
    return status;
}

static ws_status merge_picks(ws_ingest *ingest, const uint32_t *picks, uint32_t n,
                             const ws_budget *budget, ws_error *error)
{
    input_list list;
    ws_member member;
    uint32_t n_docs = 0;
    memset(&member, 0, sizeof member);
    ws_status status = open_inputs(ingest, picks, n, &list, error);
    if (!status)
        status = write_merged(ingest, &list, &member, &n_docs, budget, error);
    close_inputs(&list);
    if (!status)
        status = commit_merged(ingest, picks, n, &member, n_docs, error);
    if (status && member.ids)
        ws_member_fini(ingest, &member);
    if (!status)
        atomic_fetch_add(&ingest->merges, 1);
    return status;
}

/* The smallest segments, as many as bring the number down to `wanted`, as long as they fit the
 * ceiling. */
static uint32_t pick_smallest(const ws_ingest *ingest, uint32_t wanted, uint32_t *picks)
{
    uint32_t n = 0, target = WS_MIN(ingest->n_members - wanted + 1, WS_MERGE_MAX_INPUTS);
    uint64_t total = 0;
    uint8_t taken[WS_MAX_SEGMENTS] = {0};
    while (n < target) {
        uint32_t best = UINT32_MAX;
        for (uint32_t i = 0; i < ingest->n_members; i++)
            if (!taken[i] && (best == UINT32_MAX ||
                              ingest->members[i].entry.length < ingest->members[best].entry.length))
                best = i;
        total += ingest->members[best].entry.length;
        if (total > INPUT_SHARE(ingest->memory))
            break;
        taken[best] = 1;
        n++;
    }
    if (n < 2)
        return 0;
    for (uint32_t i = 0, k = 0; i < ingest->n_members; i++)
        if (taken[i])
            picks[k++] = i;
    return n;
}

static uint32_t pick_tier(const ws_ingest *ingest, uint32_t *picks)
{
    uint64_t *bytes = ws_reallocarray(NULL, ingest->n_members + 1u, sizeof *bytes);
    uint32_t *docs = ws_reallocarray(NULL, 2u * ingest->n_members + 1u, sizeof *docs);
    uint32_t n = 0;
    uint32_t m = WS_MIN(ingest->n_members, WS_MAX_SEGMENTS);
    for (uint32_t i = 0; bytes && docs && i < m; i++) {
        bytes[i] = ingest->members[i].entry.length;
        docs[i] = ingest->members[i].entry.n_docs;
        docs[m + i] = ingest->members[i].entry.n_deleted;
    }
    if (bytes && docs)
        n = ws_merge_pick(bytes, docs, docs + m, m, INPUT_SHARE(ingest->memory), picks);
    ws_free(bytes);
    ws_free(docs);
    return n;
}

ws_status ws_ingest_merge(ws_ingest *ingest, uint32_t max_segments, const ws_budget *budget,
                          uint32_t *merged, ws_error *error)
{
    uint32_t picks[WS_MERGE_MAX_INPUTS], n, count = 0;
    ws_status status = WS_OK;
    while (!status && !ingest->failed) {
        if (max_segments && ingest->n_members > max_segments)
            n = pick_smallest(ingest, max_segments, picks);
        else
            n = max_segments ? 0 : pick_tier(ingest, picks);
        if (n == 0)
            break;
        status = merge_picks(ingest, picks, n, budget, error);
        count += status == WS_OK;
    }
    if (merged)
        *merged = count;
    return status;
}
