/* What the files of ingest share: the segments that a writer knows, committed or not. */
#ifndef WS_INDEXER_INGEST_INT_H
#define WS_INDEXER_INGEST_INT_H

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

#include "engine/index/id_map.h"
#include "engine/index/inverter.h"
#include "engine/index/live.h"
#include "engine/index/merge.h"
#include "engine/text/analyzer.h"
#include "indexer/ingest.h"

/* One segment. */
typedef struct {
    ws_manifest_segment entry; /* as the manifest has it, or will */
    ws_segment *ids;           /* identity only; in a memory index the whole segment */
    ws_live live;              /* words NULL until a document is deleted */
    uint64_t *sequences;       /* by document, while pending; NULL once committed */
    uint8_t pending;           /* flushed, not committed */
    uint8_t live_changed;      /* since the last commit */
} ws_member;

struct ws_ingest {
    char dir[4096]; /* "" = memory */
    int lock;       /* descriptor of DIR/LOCK, -1 */
    ws_manifest manifest;
    uint64_t fingerprint;
    uint64_t memory, document_bytes;
    uint32_t n_workers;
    ws_stored_dictionary *dictionary;
    ws_status failed; /* a commit whose durability is unknown: only closing is allowed */

    /* guards members[] and next_segment_id while workers run; committed entries change only while
     * none does */
    pthread_mutex_t mutex;
    ws_member *members; /* ordered by number */
    uint32_t n_members, members_cap;
    uint8_t dropped;          /* members left the list since the last commit */
    uint8_t dropped_in_epoch; /* one of them counted in the statistics epoch */
    pid_t pid;                /* of the process that opened it */
    uint8_t fell_back;        /* the newest MANIFEST was damaged */
    uint64_t next_segment_id;

    _Atomic uint64_t held, peak; /* heap bytes of workers now, and the most so far */
    _Atomic uint64_t documents, replaced, truncated_terms, replaced_utf8, flushes, merges;
};

#define WS_DEAD_SEQUENCE UINT64_MAX

struct ws_ingest_worker {
    ws_ingest *ingest;
    /* one a text field, so that a document's tokens are all there at once */
    ws_analyzer *analyzers[WS_MAX_FIELDS];
    ws_inverter *inverter; /* NULL until a document comes */
    uint64_t *sequences;   /* by document in the inverter; WS_DEAD_SEQUENCE: replaced or deleted */
    uint32_t sequences_cap;
    uint64_t share;   /* of the memory ceiling */
    uint64_t charged; /* what this worker added to ingest->held */
    ws_status failed;
};

/* Adds a flushed segment to the members. Takes ids and sequences over on success. [any] */
ws_status ws_ingest_add_member(ws_ingest *ingest, const ws_member *member);
void ws_member_fini(ws_ingest *ingest, ws_member *member);

/* Deletes document `doc` of a member: live bits are made when needed. */
ws_status ws_member_delete(ws_member *member, uint32_t doc);

/* Live document with this id in a member. */
int ws_member_find(const ws_member *member, ws_str id, uint32_t *doc);

/* Path of a segment file; "" for memory. */
ws_status ws_ingest_segment_path(const ws_ingest *ingest, uint64_t id, char *path, size_t cap);

/* Writes `manifest` (consumed on success) as the next generation: live files, statistics, MANIFEST,
 * sweep. merged: renew the epoch. In ingest_commit.c. */
ws_status ws_ingest_commit_members(ws_ingest *ingest, ws_manifest *next, int merged,
                                   ws_error *error);

/* Begins the next manifest: a copy with the generation counted on. */
ws_status ws_ingest_next_manifest(const ws_ingest *ingest, ws_manifest *next);

/* Opens what a finished output holds as a new member (file or memory). */
ws_status ws_ingest_open_output(ws_ingest *ingest, ws_segment_out *out, uint64_t id,
                                uint64_t length, uint64_t tail_hash, ws_member *member,
                                ws_error *error);

#endif
