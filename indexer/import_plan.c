#include "indexer/import_plan.h"

#include "base/bytes.h"
#include "base/error.h"
#include "indexer/import_worker.h"

#define MIB            (1ull << 20)
#define DOCUMENT_MAX   (8 * MIB)
#define DOCUMENT_SHARE 64u  /* of the ceiling */
#define TOKENS_SHARE   48u  /* of a worker's share */
#define LARGE_SHARE    128u /* of a worker's share */
#define READ_BUFFERS   MIB  /* ws_input, chunk of the splitter, thread stacks' touched part */
#define TREE_FACTOR    4u   /* parse tree by text */

static uint64_t document_bytes(uint64_t ceiling)
{
    return WS_MIN(ceiling / DOCUMENT_SHARE, DOCUMENT_MAX);
}

static uint64_t queue_bytes(uint32_t threads, uint64_t document)
{
    return (2 * threads + 1) * (uint64_t)WS_BATCH_MEMORY + document;
}

/* Parse trees: one of a large document at a time, one of an ordinary document a worker. */
static uint64_t tree_bytes(uint32_t threads, uint64_t document)
{
    uint64_t ordinary = WS_MIN(document, (uint64_t)WS_LARGE_DOCUMENT);
    return TREE_FACTOR * (threads * ordinary + (document > ordinary ? document : 0));
}

static uint64_t outside_ingest(uint32_t threads, uint64_t document, uint64_t decoder)
{
    return decoder + READ_BUFFERS + 2 * document + queue_bytes(threads, document) +
           tree_bytes(threads, document) + threads * (uint64_t)WS_IMPORT_STACK;
}

uint64_t ws_import_plan_decoder_max(uint64_t ceiling)
{
    uint64_t rest = outside_ingest(1, document_bytes(ceiling), 0) + WS_PLAN_INGEST_MIN;
    return ceiling > rest ? ceiling - rest : 1;
}

static int fits(uint64_t ceiling, uint32_t threads, uint64_t decoder)
{
    uint64_t need = WS_MAX(WS_PLAN_INGEST_MIN, threads * WS_PLAN_WORKER_MIN);
    return outside_ingest(threads, document_bytes(ceiling), decoder) + need <= ceiling;
}

ws_status ws_import_make_plan(ws_import_plan *plan, uint64_t ceiling, uint32_t threads,
                              uint64_t decoder, ws_error *error)
{
    uint64_t least = MIB;
    while (threads > 1 && !fits(ceiling, threads, decoder))
        threads--;
    if (!fits(ceiling, threads, decoder)) {
        while (!fits(least, 1, decoder))
            least += MIB;
        return ws_error_set(error, WS_ERR_LIMIT,
                            "%llu MiB of memory are too little for this import: at least %llu MiB",
                            (unsigned long long)(ceiling / MIB), (unsigned long long)(least / MIB));
    }
    uint64_t document = document_bytes(ceiling);
    uint64_t share = (ceiling - outside_ingest(threads, document, decoder)) / threads;
    document = WS_MIN(document, share / TOKENS_SHARE);
    plan->threads = threads;
    plan->document_bytes = document;
    plan->large_bytes = WS_MIN(share / LARGE_SHARE, (uint64_t)WS_LARGE_DOCUMENT);
    plan->queue_bytes = queue_bytes(threads, document);
    plan->ingest_memory = ceiling - outside_ingest(threads, document, decoder);
    return WS_OK;
}
