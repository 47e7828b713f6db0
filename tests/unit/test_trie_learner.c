/* Learning from submitted queries: support, half-typed queries, decay, blocking. */
#include <stdio.h>

#include "base/bytes.h"
#include "base/str.h"
#include "tests/support/faults.h"
#include "tests/support/rng.h"
#include "tests/support/test.h"
#include "wikisearch/suggest.h"

#define DAY    86400000LL
#define ORIGIN 1000000

static ws_suggest *suggest;

static void open_suggest(void)
{
    ws_suggest_options options = WS_SUGGEST_OPTIONS_INIT;
    options.origin_ms = ORIGIN;
    cr_assert_eq(ws_suggest_open(&suggest, NULL, &options, NULL), WS_OK);
}

static void close_suggest(void)
{
    ws_suggest_close(suggest);
}

static uint32_t observe(uint64_t session, const char *text, int64_t t_ms)
{
    ws_suggest_event event = WS_SUGGEST_EVENT_INIT;
    event.session = session;
    event.text = ws_cstr(text);
    event.t_ms = ORIGIN + t_ms;
    cr_assert_eq(ws_suggest_observe_event(suggest, &event), WS_OK);
    return event.effect;
}

/* The suggestion with this text among the ten for what was typed; NULL when there is none. */
static const ws_suggestion *find(const char *typed, const char *text)
{
    static ws_suggestion out[10];
    uint32_t n = 10;
    cr_assert_eq(ws_suggest_query(suggest, ws_cstr(typed), NULL, out, &n), WS_OK);
    for (uint32_t i = 0; i < n; i++)
        if (strcmp(out[i].text, text) == 0)
            return &out[i];
    return NULL;
}

static void put(const char *text, uint64_t weight)
{
    ws_str none = {NULL, 0};
    cr_assert_eq(ws_suggest_put(suggest, ws_cstr(text), none, none, weight), WS_OK);
}

#define TEST(name) Test(learner, name, .init = open_suggest, .fini = close_suggest)

TEST(a_query_of_three_sessions_is_suggested_at_once)
{
    cr_assert_eq(observe(1, "뉴진스 컴백", 0), WS_OBSERVED_WAITING);
    cr_assert_eq(observe(2, "뉴진스컴백", 10), WS_OBSERVED_WAITING);
    cr_assert_null(find("뉴지", "뉴진스 컴백"));
    cr_assert_eq(observe(3, "뉴진스 컴백", 20), WS_OBSERVED_ADDED);
    const ws_suggestion *s = find("뉴지", "뉴진스 컴백");
    cr_assert_not_null(s);
    cr_assert_eq(s->learned, 1);
    uint32_t before = s->score;
    cr_assert_eq(observe(4, "뉴진스 컴백", 30), WS_OBSERVED_COUNTED);
    cr_assert_gt(find("뉴지", "뉴진스 컴백")->score, before);
}

TEST(one_session_is_not_support)
{
    for (int i = 0; i < 20; i++) /* minutes apart: no chain */
        cr_assert_neq(observe(7, "나만 찾는 말", i * 60000), WS_OBSERVED_ADDED);
    cr_assert_null(find("나만", "나만 찾는 말"));
    cr_assert_eq(observe(7, "나만 찾는 말", 20 * 60000), WS_OBSERVED_IGNORED);
}

TEST(support_of_yesterday_has_lapsed)
{
    observe(1, "어제의 말", 0);
    observe(2, "어제의 말", 1000);
    cr_assert_eq(observe(3, "어제의 말", 2 * DAY), WS_OBSERVED_WAITING);
    cr_assert_null(find("어제", "어제의 말"));
}

/* Every session submits 대한민 on its way to 대한민국. */
TEST(half_typed_queries_stay_out)
{
    for (uint64_t s = 1; s <= 30; s++) {
        observe(s, "대한", (int64_t)s * 100000);
        observe(s, "대한ㅁ", (int64_t)s * 100000 + 300);
        observe(s, "대한민", (int64_t)s * 100000 + 600);
        observe(s, "대한민국", (int64_t)s * 100000 + 900);
    }
    cr_assert_not_null(find("대", "대한민국"));
    cr_assert_null(find("대", "대한"));
    cr_assert_null(find("대", "대한ㅁ"));
    cr_assert_null(find("대", "대한민"));
}

TEST(an_entry_made_by_half_typed_queries_goes_again)
{
    for (uint64_t s = 1; s <= 3; s++)
        observe(s, "대한민", 1000 + (int64_t)s);
    cr_assert_not_null(find("대한", "대한민"));
    for (uint64_t s = 1; s <= 3; s++)
        observe(s, "대한민국", 2000 + (int64_t)s);
    cr_assert_null(find("대한", "대한민"));
    cr_assert_not_null(find("대한", "대한민국"));
    ws_suggest_stats_data stats = {.size = sizeof stats};
    cr_assert_eq(ws_suggest_stats(suggest, &stats), WS_OK);
    cr_assert_eq(stats.n_taken_back, 3);
    cr_assert_eq(stats.n_entries, 1);
    cr_assert_eq(stats.n_learned, 1);
}

TEST(a_title_keeps_its_place_when_votes_are_taken_back)
{
    put("대한", 5);
    uint32_t before = find("대", "대한")->score;
    for (uint64_t s = 1; s <= 9; s++)
        cr_assert_eq(observe(s, "대한", 1000), WS_OBSERVED_COUNTED);
    cr_assert_gt(find("대", "대한")->score, before);
    for (uint64_t s = 1; s <= 9; s++)
        observe(s, "대한민국", 2000);
    cr_assert_float_eq((double)find("대", "대한")->score, (double)before, 3.0);
}

TEST(a_longer_query_later_takes_nothing_back)
{
    for (uint64_t s = 1; s <= 3; s++)
        observe(s, "세종", 0);
    for (uint64_t s = 1; s <= 3; s++)
        observe(s, "세종대왕", 10 * 60000);
    cr_assert_not_null(find("세", "세종"));
    cr_assert_not_null(find("세", "세종대왕"));
}

TEST(half_a_syllable_is_not_learned_but_a_known_one_counts)
{
    for (uint64_t s = 1; s <= 9; s++)
        cr_assert_eq(observe(s, "ㅋㅋㅋ", 0), WS_OBSERVED_IGNORED);
    put("ㅋㅋㅋ", 1);
    cr_assert_eq(observe(1, "ㅋㅋㅋ", 100000), WS_OBSERVED_COUNTED);
}

TEST(unwanted_queries_are_ignored)
{
    char overlong[400];
    ws_suggest_event event = WS_SUGGEST_EVENT_INIT;
    memset(overlong, 'a', sizeof overlong - 1);
    overlong[sizeof overlong - 1] = 0;
    const char *const texts[] = {"", "  ", "a\nb", "\xff\xfe", overlong, "\xc2\xad"};
    for (size_t i = 0; i < WS_ARRAY_LEN(texts); i++)
        for (uint64_t s = 1; s < 5; s++)
            cr_assert_eq(observe(s, texts[i], 0), WS_OBSERVED_IGNORED, "%zu", i);
    event.text = ws_cstr("아무것도 없다");
    for (event.session = 1; event.session < 9; event.session++) {
        event.hits = 0;
        cr_assert_eq(ws_suggest_observe_event(suggest, &event), WS_OK);
        cr_assert_eq(event.effect, WS_OBSERVED_IGNORED);
    }
    event.context = ws_cstr("nobody put anything here");
    event.hits = 4;
    cr_assert_eq(ws_suggest_observe_event(suggest, &event), WS_OK);
    cr_assert_eq(event.effect, WS_OBSERVED_IGNORED);
    event.size--;
    cr_assert_eq(ws_suggest_observe_event(suggest, &event), WS_ERR_ARG);
}

TEST(times_out_of_this_world_do_no_harm)
{
    const int64_t times[] = {INT64_MIN, INT64_MAX, -1, 0};
    put("가", 1);
    for (size_t i = 0; i < WS_ARRAY_LEN(times); i++) {
        ws_suggest_event event = WS_SUGGEST_EVENT_INIT;
        event.text = ws_cstr("가");
        event.t_ms = times[i];
        for (event.session = 0; event.session < 3; event.session++)
            cr_assert_eq(ws_suggest_observe_event(suggest, &event), WS_OK);
    }
    cr_assert_not_null(find("가", "가"));
}

TEST(what_is_blocked_is_neither_put_nor_learned)
{
    ws_str none = {NULL, 0};
    put("나쁜 말", 5);
    put("나쁜 말 사전", 5);
    put("좋은 말", 5);
    cr_assert_eq(ws_suggest_block(suggest, ws_cstr("나쁜말"), 1), WS_OK);
    cr_assert_null(find("나쁘", "나쁜 말"));
    cr_assert_not_null(find("나쁘", "나쁜 말 사전"));
    cr_assert_eq(ws_suggest_put(suggest, ws_cstr("나쁜  말"), none, none, 9), WS_TRUNCATED);
    for (uint64_t s = 1; s < 6; s++)
        cr_assert_eq(observe(s, "나쁜 말", 0), WS_OBSERVED_IGNORED);
    cr_assert_eq(ws_suggest_block(suggest, ws_cstr("나쁜*"), 1), WS_OK);
    cr_assert_null(find("나쁘", "나쁜 말 사전"));
    cr_assert_eq(ws_suggest_block(suggest, ws_cstr("*은 말"), 1), WS_OK);
    cr_assert_null(find("좋", "좋은 말"));
    cr_assert_eq(ws_suggest_block(suggest, ws_cstr("나쁜말"), 0), WS_OK);
    cr_assert_eq(ws_suggest_block(suggest, ws_cstr("나쁜*"), 0), WS_OK);
    put("나쁜 말", 5);
    cr_assert_not_null(find("나쁘", "나쁜 말"));
    put("술도박장", 1);
    cr_assert_eq(ws_suggest_block(suggest, ws_cstr("*도박*"), 1), WS_OK);
    cr_assert_null(find("술", "술도박장"));
    cr_assert_eq(ws_suggest_block(suggest, ws_cstr("**"), 1), WS_ERR_ARG);
    cr_assert_eq(ws_suggest_block(suggest, ws_cstr(""), 1), WS_ERR_ARG);
}

TEST(popularity_fades_by_half_lives)
{
    for (uint64_t s = 1; s <= 1000; s++)
        observe(s, "지난 노래", 0);
    for (uint64_t s = 2001; s <= 2020; s++)
        observe(s, "지난 노을", 70 * DAY);
    ws_suggest_query_options options = WS_SUGGEST_QUERY_OPTIONS_INIT;
    ws_suggestion out[2];
    uint32_t n = 2;
    options.now_ms = ORIGIN + 70 * DAY;
    cr_assert_eq(ws_suggest_query(suggest, ws_cstr("지난 노"), &options, out, &n), WS_OK);
    cr_assert_eq(n, 2);
    cr_assert_str_eq(out[0].text, "지난 노을");
    cr_assert_float_eq(out[0].popularity, 20.0, 0.01);
    cr_assert_float_eq(out[1].popularity, 1000.0 / 1024, 0.01);
}

/* Tables of fixed size forget; they never grow, and what they forget does no harm. */
TEST(a_flood_of_sessions_and_queries_is_survived)
{
    ws_rng rng = ws_rng_seeded(61);
    char text[32];
    for (int i = 0; i < 60000; i++) {
        snprintf(text, sizeof text, "flood %llu", (unsigned long long)ws_rng_below(&rng, 40000));
        observe(1 + ws_rng_below(&rng, 20000), text, i);
    }
    ws_suggest_stats_data stats = {.size = sizeof stats};
    cr_assert_eq(ws_suggest_stats(suggest, &stats), WS_OK);
    cr_assert_lt(stats.n_learned, 10000);
}

TEST(an_observation_that_finds_no_memory_is_an_error_and_no_more)
{
    int failed = 1;
    for (uint64_t nth = 0; failed && nth < 100; nth++) {
        ws_faults faults;
        ws_suggest_event event = WS_SUGGEST_EVENT_INIT;
        event.text = ws_cstr("기억이 없다");
        event.session = nth + 1;
        ws_faults_arm(&faults, nth);
        ws_status status = ws_suggest_observe_event(suggest, &event);
        failed = ws_faults_disarm(&faults);
        cr_assert_eq(status, failed ? WS_ERR_NOMEM : WS_OK);
    }
    for (uint64_t s = 1000; s < 1003; s++)
        observe(s, "기억이 없다", 0);
    cr_assert_not_null(find("기억", "기억이 없다"));
}
