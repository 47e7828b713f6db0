/* The verbs of `wikisearch`, one file each: argv[0] is the verb; they return the exit code. */
#ifndef WS_INDEXER_VERBS_H
#define WS_INDEXER_VERBS_H

int ws_cmd_import(int argc, char **argv);
int ws_cmd_search(int argc, char **argv);
int ws_cmd_analyze(int argc, char **argv);
int ws_cmd_get(int argc, char **argv);
int ws_cmd_put(int argc, char **argv);
int ws_cmd_delete(int argc, char **argv);
int ws_cmd_stats(int argc, char **argv);
int ws_cmd_inspect(int argc, char **argv);
int ws_cmd_check(int argc, char **argv);
int ws_cmd_merge(int argc, char **argv);
int ws_cmd_suggest(int argc, char **argv);
int ws_cmd_trie(int argc, char **argv);
int ws_cmd_cache_replay(int argc, char **argv);

#endif
