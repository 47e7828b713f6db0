/* Learning from submitted queries. The writer's, [1].
 *
 * - A query that is an entry raises its popularity at once.
 * - One that isn't must come from `min_support` distinct sessions within a day before it becomes an
 *   entry; until then it waits in a table of fixed size.
 * - Half-typed queries stay out: when a session's next query, within half a minute, begins with the
 *   one before (대한민 -> 대한민국), the one before is taken back, and an entry that only such
 *   votes had made goes again. A query that ends in the middle of a syllable (대한ㅁ) is never new.
 * - The same query again from the same session counts once in that time.
 * - Blocked keys are not learned.
 *
 * Tables forget the oldest when they are full; they are not saved. 1.2 MiB from the first
 * observation on.
 */
#ifndef WS_TRIE_LEARNER_H
#define WS_TRIE_LEARNER_H

#include "trie/blocklist.h"
#include "trie/entries.h"

#define WS_LEARN_SUPPORT_MAX 8u
#define WS_LEARN_KEY_MAX     128u /* keys; longer queries are not learned */

typedef struct {
    uint32_t min_support;  /* distinct sessions, 1 to WS_LEARN_SUPPORT_MAX */
    uint64_t half_life_ms; /* trie/decay.h */
    int64_t origin_ms;     /* since 1970: where popularity is counted from */
    uint64_t chain_ms;     /* how long a query may be taken back by a longer one */
    uint64_t support_ms;   /* how long support lasts */
} ws_learner_options;

typedef struct {
    uint64_t session; /* 0 = unknown: every such query is a session of its own */
    ws_str surface;   /* as it would be shown */
    ws_str normal;
    uint32_t context;
    int64_t t_ms; /* since 1970 */
} ws_observation;

#define WS_LEARN_IGNORED 0u /* no key, too long, blocked, repeated, half a syllable */
#define WS_LEARN_WAITING 1u /* not yet enough sessions */
#define WS_LEARN_COUNTED 2u /* an entry is more popular */
#define WS_LEARN_ADDED   3u /* there is a new entry */

typedef struct ws_learn_session ws_learn_session;
typedef struct ws_learn_candidate ws_learn_candidate;

typedef struct {
    ws_learner_options options;
    ws_learn_session *sessions; /* NULL until the first observation */
    ws_learn_candidate *candidates;
    uint64_t n_taken_back, n_removed;
} ws_learner;

/* Sets up; no memory yet. [1] */
void ws_learner_init(ws_learner *learner, const ws_learner_options *options);
void ws_learner_fini(ws_learner *learner);

/* Takes in one submitted query; *effect (NULL allowed) = WS_LEARN_*. WS_ERR_NOMEM, WS_ERR_LIMIT: it
 * was not counted. O(key). */
ws_status ws_learner_observe(ws_learner *learner, ws_entries *entries, const ws_blocklist *blocked,
                             const ws_observation *observation, uint32_t *effect);

#endif
