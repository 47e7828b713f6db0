/* wikisearch merge */
#include <signal.h>
#include <string.h>

#include "base/bytes.h"
#include "indexer/cli.h"
#include "indexer/verbs.h"

#define DEFAULT_MEMORY (512ull << 20)

static ws_budget budget;

static void on_signal(int number)
{
    (void)number;
    ws_budget_cancel(&budget);
}

static void catch_signals(void)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    ws_budget_init(&budget, 0, 0);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

static ws_status merge(ws_index *index, uint64_t memory, uint64_t max_segments, ws_error *error)
{
    ws_writer_options writer_options = WS_WRITER_OPTIONS_INIT;
    ws_merge_options options = WS_MERGE_OPTIONS_INIT;
    ws_writer *writer;
    writer_options.memory = memory;
    options.max_segments = (uint32_t)max_segments;
    ws_status status = ws_writer_open(&writer, index, &writer_options, error);
    if (status < 0)
        return status;
    status = ws_writer_merge(writer, &options, &budget, error);
    ws_writer_close(writer);
    return status;
}

static void print_outcome(const ws_cli_common *common, const ws_index_stats_data *before,
                          const ws_index_stats_data *after)
{
    printf(common->json
               ? "{\"segments_before\":%u,\"segments\":%u,\"bytes_before\":%llu,\"bytes\":%llu,"
                 "\"generation\":%llu}\n"
               : "segments %u -> %u, bytes %llu -> %llu, generation %llu\n",
           before->n_segments, after->n_segments, (unsigned long long)before->bytes,
           (unsigned long long)after->bytes, (unsigned long long)after->generation);
}

int ws_cmd_merge(int argc, char **argv)
{
    uint64_t max_segments = 1, memory = DEFAULT_MEMORY;
    const ws_cli_option options[] = {
        {"max-segments", 0, WS_CLI_NUMBER, &max_segments, "N",
         "merge until at most N are left (default 1; 0: what the tiers ask for)", NULL, 0, 4096},
        {"memory", 0, WS_CLI_SIZE, &memory, "SIZE", "ceiling (default 512M)", NULL, 16u << 20, 0},
    };
    const ws_cli_verb verb = {"merge",
                              "",
                              "Merges segments and commits the result.",
                              options,
                              WS_ARRAY_LEN(options),
                              0,
                              0,
                              "index.memory|index.access"};
    ws_cli_common common;
    ws_error error = {0};
    ws_index *index = NULL;
    ws_index_stats_data before = {.size = sizeof before}, after = {.size = sizeof after};
    uint32_t n;
    int code = ws_cli_parse(&verb, argc, argv, &common, NULL, &n);
    if (code != WS_CLI_GO_ON)
        return code;
    if (ws_cli_setting(&common, "index.memory"))
        ws_cli_size(ws_cli_setting(&common, "index.memory"), &memory);
    catch_signals();
    ws_status status = ws_cli_open(&index, &common, &error);
    if (status >= 0)
        status = ws_index_stats(index, &before);
    if (status >= 0)
        status = merge(index, memory, max_segments, &error);
    if (status >= 0)
        status = ws_index_stats(index, &after);
    ws_index_close(index);
    if (status < 0)
        return ws_cli_fail(&error);
    print_outcome(&common, &before, &after);
    if (max_segments && after.n_segments > max_segments)
        ws_cli_note(&common, "%u segments are left: more would not fit the memory (see --memory)",
                    after.n_segments);
    return ws_cli_finish(WS_EXIT_OK);
}
