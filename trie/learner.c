#include "trie/learner.h"

#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "engine/text/jamo.h"
#include "trie/decay.h"

/* Both tables are sets of four: the oldest of a set gives way. */
#define WAYS           4u
#define SESSION_SETS   1024u
#define CANDIDATE_SETS 2048u

/* The last query of a session. */
struct ws_learn_session {
    uint64_t session; /* 0 = free */
    int64_t t_ms;
    uint64_t age; /* weight that its query was counted with */
    uint32_t context;
    uint32_t n; /* bytes of key */
    char key[WS_LEARN_KEY_MAX];
};

/* A query that is no entry yet, or has become one lately. */
struct ws_learn_candidate {
    uint64_t hash; /* of key and context; 0 = free */
    int64_t t_ms;  /* last vote */
    uint64_t score;
    uint32_t support; /* votes of distinct sessions */
    uint32_t n_voters;
    uint32_t voters[WS_LEARN_SUPPORT_MAX]; /* hashes of the first of them */
};

typedef struct {
    ws_learner *learner;
    ws_entries *entries;
    const ws_observation *o;
    ws_str key;
    uint64_t age;
} event;

void ws_learner_init(ws_learner *learner, const ws_learner_options *options)
{
    memset(learner, 0, sizeof *learner);
    learner->options = *options;
}

void ws_learner_fini(ws_learner *learner)
{
    ws_free(learner->sessions);
    ws_free(learner->candidates);
}

static ws_status make_tables(ws_learner *l)
{
    if (!l->sessions)
        l->sessions = ws_calloc(SESSION_SETS * WAYS, sizeof *l->sessions);
    if (!l->candidates)
        l->candidates = ws_calloc(CANDIDATE_SETS * WAYS, sizeof *l->candidates);
    return l->sessions && l->candidates ? WS_OK : WS_ERR_NOMEM;
}

/* --- tables --- */

static ws_learn_session *find_session(const ws_learner *l, uint64_t session)
{
    uint64_t set = ws_hash64(&session, sizeof session) % SESSION_SETS;
    ws_learn_session *s = &l->sessions[set * WAYS], *oldest = s;
    for (uint32_t i = 0; i < WAYS; i++) {
        if (s[i].session == session)
            return &s[i];
        if (s[i].session == 0 || s[i].t_ms < oldest->t_ms)
            oldest = &s[i];
        if (oldest->session == 0)
            break;
    }
    *oldest = (ws_learn_session){.session = session, .t_ms = INT64_MIN};
    return oldest;
}

static uint64_t hash_of(ws_str key, uint32_t context)
{
    uint64_t hash = ws_hash64_seed(key.ptr, key.len, context);
    return hash ? hash : 1;
}

static ws_learn_candidate *find_candidate(const ws_learner *l, uint64_t hash, int make)
{
    ws_learn_candidate *c = &l->candidates[hash % CANDIDATE_SETS * WAYS], *oldest = c;
    for (uint32_t i = 0; i < WAYS; i++) {
        if (c[i].hash == hash)
            return &c[i];
        if (oldest->hash && (c[i].hash == 0 || c[i].t_ms < oldest->t_ms))
            oldest = &c[i];
    }
    if (!make)
        return NULL;
    *oldest = (ws_learn_candidate){.hash = hash, .t_ms = INT64_MIN};
    return oldest;
}

static uint32_t voter_of(uint64_t session)
{
    return (uint32_t)ws_hash64(&session, sizeof session);
}

static uint32_t find_voter(const ws_learn_candidate *c, uint32_t voter)
{
    uint32_t i = 0;
    while (i < c->n_voters && c->voters[i] != voter)
        i++;
    return i;
}

static int within(int64_t from, int64_t to, uint64_t ms)
{
    return from != INT64_MIN && to >= from && (uint64_t)to - (uint64_t)from <= ms;
}

/* --- votes --- */

/* One vote more, unless the session has voted already. Returns 0 then. */
static int vote(const event *e, ws_learn_candidate *c)
{
    if (!within(c->t_ms, e->o->t_ms, e->learner->options.support_ms))
        c->support = c->n_voters = 0;
    uint32_t voter = voter_of(e->o->session);
    if (e->o->session && find_voter(c, voter) < c->n_voters)
        return 0;
    c->score = c->support ? ws_decay_add(c->score, e->age) : e->age;
    c->t_ms = e->o->t_ms;
    c->support++;
    if (e->o->session && c->n_voters < WS_LEARN_SUPPORT_MAX)
        c->voters[c->n_voters++] = voter;
    return 1;
}

/* A query that is no entry. */
static ws_status support(const event *e, uint32_t *effect)
{
    ws_learn_candidate *c = find_candidate(e->learner, hash_of(e->key, e->o->context), 1);
    *effect = vote(e, c) ? WS_LEARN_WAITING : WS_LEARN_IGNORED;
    if (c->support < e->learner->options.min_support)
        return WS_OK;
    ws_entry_text text = {.surface = e->o->surface,
                          .normal = e->o->normal,
                          .context = e->o->context,
                          .learned = 1,
                          .score = c->score};
    WS_TRY(ws_entries_put(e->entries, &text, NULL));
    *effect = WS_LEARN_ADDED;
    return WS_OK;
}

static void count(const event *e, uint32_t ref, uint32_t *effect)
{
    ws_learn_candidate *c = find_candidate(e->learner, hash_of(e->key, e->o->context), 0);
    const ws_entry *entry = ws_entry_at(e->entries, ref);
    if (c && entry->flags & WS_ENTRY_LEARNED)
        vote(e, c);
    ws_entries_set_score(e->entries, ref, ws_decay_add(ws_entry_score(entry), e->age));
    *effect = WS_LEARN_COUNTED;
}

/* The session's last query was half of this one. Its vote goes, and the entry that it made, when
 * too few votes are left. */
static ws_status take_back(const event *e, const ws_learn_session *s)
{
    ws_str key = ws_str_make(s->key, s->n);
    ws_learn_candidate *c = find_candidate(e->learner, hash_of(key, s->context), 0);
    uint32_t ref = ws_entries_find(e->entries, key, s->context);
    e->learner->n_taken_back++;
    if (c && c->support) {
        uint32_t i = find_voter(c, voter_of(s->session));
        if (i < c->n_voters)
            c->voters[i] = c->voters[--c->n_voters];
        c->support--;
        c->score = ws_decay_sub(c->score, s->age);
    }
    if (!ref)
        return WS_OK;
    const ws_entry *entry = ws_entry_at(e->entries, ref);
    if (c && (entry->flags & WS_ENTRY_LEARNED) && c->support < e->learner->options.min_support) {
        e->learner->n_removed++;
        return ws_entries_remove(e->entries, ref);
    }
    ws_entries_set_score(e->entries, ref, ws_decay_sub(ws_entry_score(entry), s->age));
    return WS_OK;
}

/* --- what is worth learning --- */

/* Jamo that are not part of a syllable: the query was sent off in the middle of one. */
static int is_half_typed(ws_str normal)
{
    for (size_t at = 0, n; at < normal.len; at += n) {
        char keys[8];
        uint32_t c;
        n = ws_utf8_decode(normal, at, &c);
        ws_str one = ws_str_make(normal.ptr + at, n);
        if (!ws_is_syllable(c) && ws_jamo_key(one, keys, sizeof keys) > 0 &&
            (uint8_t)keys[0] >= WS_JAMO_CONSONANT && (uint8_t)keys[0] < WS_JAMO_END)
            return 1;
    }
    return 0;
}

static int is_longer(ws_str key, const ws_learn_session *s)
{
    return s->n && key.len > s->n && ws_str_starts_with(key, ws_str_make(s->key, s->n));
}

static void remember(const event *e, ws_learn_session *s)
{
    s->t_ms = e->o->t_ms;
    s->age = e->age;
    s->context = e->o->context;
    s->n = (uint32_t)e->key.len;
    memcpy(s->key, e->key.ptr, e->key.len);
}

static ws_status take_in(const event *e, uint32_t *effect)
{
    ws_learn_session *s = e->o->session ? find_session(e->learner, e->o->session) : NULL;
    if (s && s->context == e->o->context &&
        within(s->t_ms, e->o->t_ms, e->learner->options.chain_ms)) {
        if (ws_str_eq(e->key, ws_str_make(s->key, s->n)))
            return WS_OK; /* once more the same: not counted */
        if (is_longer(e->key, s))
            WS_TRY(take_back(e, s));
        s->n = 0; /* what follows may fail: it must not be taken back twice */
    }
    uint32_t ref = ws_entries_find(e->entries, e->key, e->o->context);
    if (ref)
        count(e, ref, effect);
    else if (!is_half_typed(e->o->normal))
        WS_TRY(support(e, effect));
    if (s && *effect != WS_LEARN_IGNORED)
        remember(e, s);
    return WS_OK;
}

ws_status ws_learner_observe(ws_learner *learner, ws_entries *entries, const ws_blocklist *blocked,
                             const ws_observation *observation, uint32_t *effect)
{
    char key[WS_LEARN_KEY_MAX];
    uint32_t ignored;
    effect = effect ? effect : &ignored;
    *effect = WS_LEARN_IGNORED;
    size_t n = ws_jamo_key(observation->normal, key, sizeof key);
    if (n == 0 || n > sizeof key || memchr(key, 0, n) ||
        observation->surface.len > WS_ENTRY_TEXT_MAX ||
        observation->normal.len > WS_ENTRY_TEXT_MAX ||
        ws_blocklist_matches(blocked, ws_str_make(key, n)))
        return WS_OK;
    WS_TRY(make_tables(learner));
    const ws_learner_options *options = &learner->options;
    int64_t since;
    if (__builtin_sub_overflow(observation->t_ms, options->origin_ms, &since))
        since = 0; /* no time that a clock shows */
    event e = {learner, entries, observation, ws_str_make(key, n),
               ws_decay_age(since, options->half_life_ms)};
    return take_in(&e, effect);
}
