/* The container: what is written is read, whatever is damaged is found, nothing half-written stays.
 */
#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include "tests/support/faults.h"
#include "tests/support/sample_index.h"
#include "tests/support/test.h"
#include "tests/support/tmpdir.h"

static char dir[WS_TMPDIR_CAP];

static void make_dir(void)
{
    ws_tmpdir_make(dir);
}

static void remove_dir(void)
{
    ws_tmpdir_remove(dir);
}

static uint32_t count_files(void)
{
    uint32_t n = 0;
    DIR *d = opendir(dir);
    cr_assert_not_null(d);
    for (struct dirent *e; (e = readdir(d)) != NULL;)
        n += e->d_name[0] != '.';
    closedir(d);
    return n;
}

/* --- a container of a few sections of random bytes --- */

#define N_SECTIONS 6u

typedef struct {
    uint32_t kind, field, stream, flags;
    uint8_t *bytes;
    size_t n;
} part;

static void make_parts(ws_rng *rng, part parts[N_SECTIONS], size_t most)
{
    static const uint32_t kinds[N_SECTIONS][3] = {
        {WS_KIND_META, 255, 255}, {WS_KIND_NORMS, 0, 0},      {WS_KIND_NORMS, 0, 2},
        {WS_KIND_COLUMN, 3, 255}, {WS_KIND_STORED, 255, 255}, {WS_KIND_POS, 255, 255}};
    for (uint32_t i = 0; i < N_SECTIONS; i++) {
        parts[i] = (part){kinds[i][0], kinds[i][1], kinds[i][2], 0, NULL, 0};
        parts[i].n = (size_t)ws_rng_below(rng, most + 1);
        parts[i].bytes = malloc(parts[i].n + 1);
        ws_rng_fill(rng, parts[i].bytes, parts[i].n);
    }
}

static void free_parts(part parts[N_SECTIONS])
{
    for (uint32_t i = 0; i < N_SECTIONS; i++)
        free(parts[i].bytes);
}

static ws_status write_parts(const part parts[N_SECTIONS], const char *path, uint8_t **data,
                             size_t *size, ws_error *error)
{
    ws_segment_out *out;
    uint64_t length, hash;
    WS_TRY(ws_segment_out_new(&out, path, 0xabcdef, 0x1234567890, error));
    for (uint32_t i = 0; i < N_SECTIONS; i++) {
        const part *p = &parts[i];
        ws_segment_out_begin(out, p->kind, p->field, p->stream, p->flags);
        ws_segment_out_write(out, p->bytes, p->n / 3);
        ws_segment_out_write(out, p->bytes + p->n / 3, p->n - p->n / 3);
        ws_segment_out_end(out);
    }
    ws_segment_out_set_docs(out, 77);
    ws_status status = ws_segment_out_finish(out, &length, &hash, error);
    if (!status && !path)
        status = ws_segment_out_take(out, data, size);
    ws_segment_out_free(out);
    return status;
}

static uint8_t *small_container(size_t *size)
{
    uint8_t *data;
    part parts[N_SECTIONS];
    ws_rng rng = ws_rng_make(5);
    make_parts(&rng, parts, 60);
    cr_assert_eq(write_parts(parts, NULL, &data, size, NULL), WS_OK);
    free_parts(parts);
    return data;
}

static ws_status open_copy(ws_segment_file *file, const uint8_t *data, size_t size, ws_error *error)
{
    uint8_t *copy = ws_malloc(size);
    cr_assert_not_null(copy);
    if (size)
        memcpy(copy, data, size);
    return ws_segment_file_open_memory(file, copy, size, error);
}

static void expect_parts(const ws_segment_file *file, const part parts[N_SECTIONS])
{
    cr_assert_eq(file->id, (uint64_t)0xabcdef);
    cr_assert_eq(file->fingerprint, (uint64_t)0x1234567890);
    cr_assert_eq(file->n_docs, 77u);
    cr_assert_eq(file->n_sections, N_SECTIONS + 1);
    for (uint32_t i = 0; i < N_SECTIONS; i++) {
        ws_section s =
            ws_segment_file_section(file, parts[i].kind, parts[i].field, parts[i].stream);
        cr_assert_eq(s.size, parts[i].n);
        cr_assert_eq((s.data - file->map.data) % WS_SECTION_ALIGN, 0);
        if (s.size)
            cr_assert_arr_eq(s.data, parts[i].bytes, s.size);
        cr_assert_eq(ws_segment_file_verify_section(file, i), WS_OK);
    }
    cr_assert_null(ws_segment_file_section(file, WS_KIND_NORMS, 0, 1).data);
    cr_assert_null(ws_segment_file_section(file, WS_KIND_META, 0, 255).data);
}

Test(segment_file, gives_back_every_section, .init = make_dir, .fini = remove_dir)
{
    static const size_t sizes[] = {0, 10, 1000, 70000, 300000};
    static const uint32_t verify[] = {WS_VERIFY_LAZY, WS_VERIFY_FULL, WS_VERIFY_OFF};
    char path[1024];
    ws_rng rng = ws_rng_seeded(6);
    ws_tmpdir_path(path, sizeof path, dir, "a.wsg");
    for (size_t i = 0; i < WS_ARRAY_LEN(sizes); i++) {
        part parts[N_SECTIONS];
        ws_segment_file file;
        uint8_t *data;
        size_t size;
        make_parts(&rng, parts, sizes[i]);
        cr_assert_eq(write_parts(parts, path, NULL, NULL, NULL), WS_OK);
        cr_assert_eq(write_parts(parts, NULL, &data, &size, NULL), WS_OK);
        for (uint32_t v = 0; v < 6; v++) {
            cr_assert_eq(ws_segment_file_open(&file, path, v / 3 ? WS_ACCESS_READ : WS_ACCESS_MMAP,
                                              verify[v % 3], NULL),
                         WS_OK);
            expect_parts(&file, parts);
            cr_assert_eq(file.map.size, size, "a file and memory hold the same");
            cr_assert_arr_eq(file.map.data, data, size);
            cr_assert_eq(ws_segment_file_touch(&file, file.map.data, size), WS_OK);
            ws_segment_file_close(&file);
        }
        cr_assert_eq(ws_segment_file_open_memory(&file, data, size, NULL), WS_OK);
        expect_parts(&file, parts);
        ws_segment_file_close(&file);
        free_parts(parts);
    }
}

Test(segment_file, spools_become_sections, .init = make_dir, .fini = remove_dir)
{
    static uint8_t bytes[100000];
    ws_rng rng = ws_rng_seeded(7);
    ws_segment_out *out;
    ws_segment_file file;
    uint8_t *data;
    size_t size;
    uint64_t length, hash;
    ws_spool spool;
    ws_rng_fill(&rng, bytes, sizeof bytes);
    ws_spool_init(&spool, dir, 1000);
    for (size_t at = 0; at < sizeof bytes; at += 500)
        ws_spool_append(&spool, bytes + at, 500);
    cr_assert_eq(ws_segment_out_new(&out, NULL, 1, 1, NULL), WS_OK);
    ws_segment_out_section(out, WS_KIND_META, 255, 255, "meta", 4);
    ws_segment_out_spool(out, WS_KIND_POS, 255, 255, &spool, 64);
    ws_segment_out_set_docs(out, 1);
    cr_assert_eq(ws_segment_out_finish(out, &length, &hash, NULL), WS_OK);
    cr_assert_eq(ws_segment_out_take(out, &data, &size), WS_OK);
    cr_assert_eq(length, size);
    cr_assert_eq(ws_segment_file_open_memory(&file, data, size, NULL), WS_OK);
    cr_assert_eq(file.tail_hash, hash);
    ws_section s = ws_segment_file_section(&file, WS_KIND_POS, 255, 255);
    cr_assert_eq(s.size, sizeof bytes + 64);
    cr_assert_arr_eq(s.data, bytes, sizeof bytes);
    for (size_t i = 0; i < 64; i++)
        cr_assert_eq(s.data[sizeof bytes + i], 0);
    ws_segment_file_close(&file);
    ws_segment_out_free(out);
    ws_spool_fini(&spool);
}

/* --- damage --- */

Test(segment_file, every_inverted_byte_is_found, .init = make_dir, .fini = remove_dir)
{
    char path[1024];
    size_t size;
    uint8_t *data = small_container(&size);
    ws_tmpdir_path(path, sizeof path, dir, "a.wsg");
    ws_tmpdir_write(path, data, size);
    for (size_t i = 0; i < size; i++) {
        ws_segment_file file;
        ws_error error = {0};
        sample_poke(path, i, (uint8_t)~data[i]);
        ws_status status =
            ws_segment_file_open(&file, path, WS_ACCESS_READ, WS_VERIFY_FULL, &error);
        cr_assert_eq(status, WS_ERR_CORRUPT, "byte %zu: %d", i, status);
        cr_assert(error.message[0] && error.path[0]);
        status = ws_segment_file_open(&file, path, WS_ACCESS_READ, WS_VERIFY_LAZY, &error);
        if (!status) {
            status = ws_segment_file_touch(&file, file.map.data, size);
            ws_segment_file_close(&file);
        }
        cr_assert_eq(status, WS_ERR_CORRUPT, "byte %zu: %d", i, status);
        sample_poke(path, i, data[i]);
    }
    ws_free(data);
}

Test(segment_file, every_cut_and_every_tail_is_found)
{
    size_t size;
    uint8_t *data = small_container(&size);
    ws_segment_file file;
    ws_error error;
    for (size_t n = 0; n < size; n++)
        cr_assert_eq(open_copy(&file, data, n, &error), WS_ERR_CORRUPT, "cut at %zu", n);
    uint8_t *longer = malloc(size + 40);
    memcpy(longer, data, size);
    for (size_t n = 1; n <= 40; n++) {
        memset(longer + size, 0, n);
        cr_assert_eq(open_copy(&file, longer, size + n, &error), WS_ERR_CORRUPT, "%zu more", n);
    }
    free(longer);
    ws_free(data);
}

Test(segment_file, damage_is_found_where_it_is_touched, .init = make_dir, .fini = remove_dir)
{
    char path[1024];
    part parts[N_SECTIONS];
    ws_segment_file file;
    ws_rng rng = ws_rng_seeded(8);
    ws_tmpdir_path(path, sizeof path, dir, "a.wsg");
    make_parts(&rng, parts, 0);
    parts[5].n = 5 * WS_SUM_BLOCK_BYTES;
    parts[5].bytes = realloc(parts[5].bytes, parts[5].n);
    ws_rng_fill(&rng, parts[5].bytes, parts[5].n);
    cr_assert_eq(write_parts(parts, path, NULL, NULL, NULL), WS_OK);
    int fd = open(path, O_RDWR);
    cr_assert_geq(fd, 0);
    cr_assert_eq(pwrite(fd, "?!", 2, 3 * WS_SUM_BLOCK_BYTES + 77), 2);
    close(fd);
    cr_assert_eq(ws_segment_file_open(&file, path, WS_ACCESS_MMAP, WS_VERIFY_LAZY, NULL), WS_OK);
    const uint8_t *block = file.map.data;
    for (int twice = 0; twice < 2; twice++)
        for (uint32_t b = 0; b < 5; b++)
            cr_assert_eq(ws_segment_file_touch(&file, block + b * WS_SUM_BLOCK_BYTES, 10),
                         b == 3 ? WS_ERR_CORRUPT : WS_OK, "block %u", b);
    cr_assert_eq(ws_segment_file_touch(&file, block + 3 * WS_SUM_BLOCK_BYTES - 1, 1), WS_OK);
    cr_assert_eq(ws_segment_file_touch(&file, block + 3 * WS_SUM_BLOCK_BYTES - 1, 2),
                 WS_ERR_CORRUPT);
    cr_assert_eq(ws_segment_file_touch(&file, block + 3 * WS_SUM_BLOCK_BYTES, 0), WS_OK);
    uint64_t bad = 0;
    cr_assert_eq(ws_segment_file_verify_blocks(&file, &bad), WS_ERR_CORRUPT);
    cr_assert_eq(bad, (uint64_t)3 * WS_SUM_BLOCK_BYTES);
    ws_segment_file_close(&file);
    cr_assert_eq(ws_segment_file_open(&file, path, WS_ACCESS_MMAP, WS_VERIFY_OFF, NULL), WS_OK);
    cr_assert_eq(ws_segment_file_touch(&file, file.map.data, file.map.size), WS_OK, "off is off");
    ws_segment_file_close(&file);
    free_parts(parts);
}

/* --- files that another writer might have made: their hashes are right --- */

static uint8_t *entry_of(uint8_t *data, size_t size, uint32_t i)
{
    return data + ws_load_u64le(data + size - WS_SEGMENT_TAIL_BYTES) + i * WS_SECTION_ENTRY_BYTES;
}

static ws_status open_changed(void (*change)(uint8_t *data, size_t size))
{
    size_t size;
    uint8_t *data = small_container(&size);
    ws_segment_file file;
    change(data, size);
    sample_rehash(data, size);
    ws_status status = ws_segment_file_open_memory(&file, data, size, NULL);
    if (!status)
        ws_segment_file_close(&file);
    return status;
}

static void change_nothing(uint8_t *data, size_t size)
{
    (void)data;
    (void)size;
}

static void newer_major(uint8_t *data, size_t size)
{
    (void)size;
    data[8] = 2;
}

static void newer_minor(uint8_t *data, size_t size)
{
    (void)size;
    data[10] = 9;
}

static void feature_to_understand(uint8_t *data, size_t size)
{
    (void)size;
    data[23] = 0x80;
}

static void feature_to_ignore(uint8_t *data, size_t size)
{
    (void)size;
    data[24] = 1;
}

static void no_documents(uint8_t *data, size_t size)
{
    (void)size;
    ws_store_u32le(data + 48, 0);
}

static void too_many_documents(uint8_t *data, size_t size)
{
    (void)size;
    ws_store_u32le(data + 48, WS_DOCS_MAX + 1);
}

static void unknown_kind(uint8_t *data, size_t size)
{
    ws_store_u16le(entry_of(data, size, 1), 22);
}

static void unknown_kind_to_ignore(uint8_t *data, size_t size)
{
    unknown_kind(data, size);
    ws_store_u32le(entry_of(data, size, 1) + 4, WS_SECTION_MAY_IGNORE);
}

static void overlap(uint8_t *data, size_t size)
{
    uint8_t *entry = entry_of(data, size, 2);
    ws_store_u64le(entry + 8, ws_load_u64le(entry - WS_SECTION_ENTRY_BYTES + 8));
    ws_store_u64le(entry - WS_SECTION_ENTRY_BYTES + 16, 1);
}

static void unaligned(uint8_t *data, size_t size)
{
    uint8_t *entry = entry_of(data, size, 2);
    ws_store_u64le(entry + 8, ws_load_u64le(entry + 8) + 8);
}

static void inside_header(uint8_t *data, size_t size)
{
    ws_store_u64le(entry_of(data, size, 0) + 8, 0);
}

static void beyond_table(uint8_t *data, size_t size)
{
    ws_store_u64le(entry_of(data, size, 5) + 16, size);
}

static void overflowing(uint8_t *data, size_t size)
{
    ws_store_u64le(entry_of(data, size, 5) + 16, UINT64_MAX - 10);
}

static void sums_are_not_last(uint8_t *data, size_t size)
{
    ws_store_u16le(entry_of(data, size, N_SECTIONS), WS_KIND_POS);
}

static void sums_too_short(uint8_t *data, size_t size)
{
    ws_store_u64le(entry_of(data, size, N_SECTIONS) + 16, 0);
}

static void gap_not_zero(uint8_t *data, size_t size)
{
    const uint8_t *entry = entry_of(data, size, N_SECTIONS);
    data[ws_load_u64le(entry + 8) + ws_load_u64le(entry + 16)] = 1;
}

static void byte_order(uint8_t *data, size_t size)
{
    (void)size;
    ws_store_u32le(data + 12, 0x0d0c0b0a);
}

Test(segment_file, structure_is_checked_behind_right_hashes)
{
    static const struct {
        void (*change)(uint8_t *, size_t);
        ws_status expected;
        const char *what;
    } cases[] = {
        {change_nothing, WS_OK, "nothing changed"},
        {newer_major, WS_ERR_VERSION, "major 2"},
        {newer_minor, WS_OK, "minor 9"},
        {feature_to_understand, WS_ERR_VERSION, "feature to understand"},
        {feature_to_ignore, WS_OK, "feature to ignore"},
        {no_documents, WS_ERR_CORRUPT, "no documents"},
        {too_many_documents, WS_ERR_CORRUPT, "too many documents"},
        {unknown_kind, WS_ERR_VERSION, "unknown kind"},
        {unknown_kind_to_ignore, WS_OK, "unknown kind to ignore"},
        {overlap, WS_ERR_CORRUPT, "overlap"},
        {unaligned, WS_ERR_CORRUPT, "unaligned"},
        {inside_header, WS_ERR_CORRUPT, "inside the header"},
        {beyond_table, WS_ERR_CORRUPT, "beyond the table"},
        {overflowing, WS_ERR_CORRUPT, "overflow"},
        {sums_are_not_last, WS_ERR_CORRUPT, "sums are not last"},
        {sums_too_short, WS_ERR_CORRUPT, "sums too short"},
        {gap_not_zero, WS_ERR_CORRUPT, "gap"},
        {byte_order, WS_ERR_CORRUPT, "byte order"},
    };
    for (size_t i = 0; i < WS_ARRAY_LEN(cases); i++)
        cr_expect_eq(open_changed(cases[i].change), cases[i].expected, "%s", cases[i].what);
}

/* --- failures while writing --- */

Test(segment_file, a_failed_step_leaves_no_file, .init = make_dir, .fini = remove_dir)
{
    static const char *const points[] = {"file.create", "file.write",     "segment.sync",
                                         "file.sync",   "segment.rename", "file.rename"};
    static const char *const actions[] = {"eio", "enospc", "short"};
    char path[1024], spec[64];
    part parts[N_SECTIONS];
    ws_rng rng = ws_rng_seeded(9);
    make_parts(&rng, parts, 1000);
    ws_tmpdir_path(path, sizeof path, dir, "a.wsg");
    for (size_t p = 0; p < WS_ARRAY_LEN(points); p++)
        for (size_t a = 0; a < WS_ARRAY_LEN(actions); a++) {
            ws_error error = {0};
            snprintf(spec, sizeof spec, "%s:%s", points[p], actions[a]);
            cr_assert_eq(ws_failpoint_set(spec), WS_OK);
            ws_status status = write_parts(parts, path, NULL, NULL, &error);
            ws_failpoint_set(NULL);
            int is_sync = strstr(points[p], ".sync") != NULL;
            cr_expect_eq(status,
                         is_sync  ? WS_ERR_FSYNC_FAILED
                         : a == 1 ? WS_ERR_NOSPC
                                  : WS_ERR_IO,
                         "%s: %d", spec, status);
            cr_expect_eq(error.code, status, "%s", spec);
            cr_expect(strstr(error.path, "a.wsg") != NULL, "%s: %s", spec, error.path);
            cr_expect_eq(count_files(), 0u, "%s", spec);
        }
    free_parts(parts);
}

Test(segment_file, an_early_error_ends_the_work, .init = make_dir, .fini = remove_dir)
{
    static uint8_t bytes[1u << 20];
    char path[1024];
    ws_segment_out *out;
    ws_error error = {0};
    uint64_t length, hash;
    cr_assert_eq(ws_failpoint_set("file.write:enospc:2"), WS_OK);
    cr_assert_eq(
        ws_segment_out_new(&out, ws_tmpdir_path(path, sizeof path, dir, "a.wsg"), 1, 1, NULL),
        WS_OK);
    ws_segment_out_begin(out, WS_KIND_POS, 255, 255, 0);
    for (int i = 0; i < 8; i++)
        ws_segment_out_write(out, bytes, sizeof bytes);
    cr_assert_eq(ws_segment_out_section_length(out), (uint64_t)8 * sizeof bytes,
                 "lengths stay right");
    cr_assert_eq(ws_segment_out_status(out), WS_ERR_NOSPC);
    ws_segment_out_end(out);
    ws_segment_out_set_docs(out, 1);
    cr_assert_eq(ws_segment_out_finish(out, &length, &hash, &error), WS_ERR_NOSPC);
    cr_assert_eq(error.code, WS_ERR_NOSPC);
    cr_assert(strstr(error.message, "space") != NULL, "%s", error.message);
    ws_segment_out_free(out);
    cr_assert_eq(count_files(), 0u);
    ws_failpoint_set(NULL);
}

Test(segment_file, an_unfinished_file_is_removed, .init = make_dir, .fini = remove_dir)
{
    char path[1024];
    ws_segment_out *out;
    uint64_t length, hash;
    cr_assert_eq(
        ws_segment_out_new(&out, ws_tmpdir_path(path, sizeof path, dir, "a.wsg"), 1, 1, NULL),
        WS_OK);
    ws_segment_out_section(out, WS_KIND_META, 255, 255, "x", 1);
    cr_assert_eq(count_files(), 1u);
    cr_assert_eq(ws_segment_out_finish(out, &length, &hash, NULL), WS_ERR_STATE, "no documents");
    ws_segment_out_free(out);
    cr_assert_eq(count_files(), 0u);
}

Test(segment_file, no_memory_is_a_status, .init = make_dir, .fini = remove_dir)
{
    char path[1024];
    part parts[N_SECTIONS];
    ws_rng rng = ws_rng_seeded(10);
    ws_faults faults;
    int failed = 1;
    make_parts(&rng, parts, 100000);
    ws_tmpdir_path(path, sizeof path, dir, "a.wsg");
    for (uint64_t n = 0; failed; n++) {
        uint8_t *data = NULL;
        size_t size = 0;
        ws_segment_file file;
        ws_faults_arm(&faults, n);
        ws_status status = write_parts(parts, n % 2 ? path : NULL, &data, &size, NULL);
        if (!status && n % 2)
            status = ws_segment_file_open(&file, path, WS_ACCESS_READ, WS_VERIFY_LAZY, NULL);
        else if (!status)
            status = ws_segment_file_open_memory(&file, data, size, NULL);
        failed = ws_faults_disarm(&faults);
        cr_assert_eq(status, failed ? WS_ERR_NOMEM : WS_OK, "allocation %llu",
                     (unsigned long long)n);
        if (!status)
            ws_segment_file_close(&file);
    }
    cr_assert_geq(faults.seen, (uint64_t)10);
    free_parts(parts);
}
