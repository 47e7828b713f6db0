/* Korean stems: what particles do to common nouns, agreement with the sound before them, and what
 * holds for any run of syllables. */
#include "engine/text/korean.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/str.h"
#include "base/utf8.h"
#include "engine/text/jamo.h"
#include "tests/support/rng.h"
#include "tests/support/test.h"

#define WORD_MAX 64u

static ws_korean_rules rules;

static void init(void)
{
    ws_korean_rules_init(&rules);
}

static ws_str stem(ws_str run, uint32_t after)
{
    return ws_str_sub(run, 0, ws_korean_stem(&rules, run, after));
}

/* After a batchim, after a vowel, after ㄹ. */
static const char *const particles[][3] = {
    {"은", "는", "은"},
    {"이", "가", "이"},
    {"을", "를", "을"},
    {"과", "와", "과"},
    {"으로", "로", "로"},
    {"으로는", "로는", "로는"},
    {"으로도", "로도", "로도"},
    {"으로서", "로서", "로서"},
    {"으로써", "로써", "로써"},
    {"으로부터", "로부터", "로부터"},
    {"이라는", "라는", "이라는"},
    {"이라고", "라고", "이라고"},
    {"이라고도", "라고도", "이라고도"},
    {"이라도", "라도", "이라도"},
    {"이나", "나", "이나"},
    {"이란", "란", "이란"},
    {"이랑", "랑", "이랑"},
    {"이었다", "였다", "이었다"},
    {"에", "에", "에"},
    {"에는", "에는", "에는"},
    {"에도", "에도", "에도"},
    {"에서", "에서", "에서"},
    {"에서는", "에서는", "에서는"},
    {"에서도", "에서도", "에서도"},
    {"에서의", "에서의", "에서의"},
    {"에게", "에게", "에게"},
    {"에게서", "에게서", "에게서"},
    {"에게는", "에게는", "에게는"},
    {"한테", "한테", "한테"},
    {"한테서", "한테서", "한테서"},
    {"께서", "께서", "께서"},
    {"께서는", "께서는", "께서는"},
    {"까지", "까지", "까지"},
    {"까지는", "까지는", "까지는"},
    {"까지도", "까지도", "까지도"},
    {"부터", "부터", "부터"},
    {"의", "의", "의"},
    {"도", "도", "도"},
    {"만", "만", "만"},
    {"만은", "만은", "만은"},
    {"마다", "마다", "마다"},
    {"조차", "조차", "조차"},
    {"마저", "마저", "마저"},
    {"밖에", "밖에", "밖에"},
    {"보다", "보다", "보다"},
    {"처럼", "처럼", "처럼"},
    {"만큼", "만큼", "만큼"},
    {"입니다", "입니다", "입니다"},
};

static const char nouns[] =
    "나라 학교 문화 역사 도시 경제 사회 영화 언어 한국어 바다 나무 고양이 호랑이 컴퓨터 전화 회사 "
    "의사 친구 어머니 아버지 여자 남자 김치 자동차 비행기 기차 도로 국가 회의 제주도 바나나 "
    "우리나라 세계 지구 연구 문제 관계 위치 인구 종교 사람 시간 정부 음악 전쟁 과학 기술 부산 하늘 "
    "신문 방송 공장 은행 병원 학생 선생님 가족 이름 마음 생각 사랑 건강 음식 대통령 미국 일본 중국 "
    "태양 방법 중심 지역 마을 가을 결과 백과사전 대한민국 민주공화국 서울 겨울 호텔 브라질 올림픽 "
    "아들 과일 연필 그 책 물 불 산 집 글 왕 땅 꽃 섬 팀 곳 것 때";

/* What the rules make of the others: a noun of two syllables that is known to end in a particle
 * keeps it in longer words too (제로 in 경제로); 이 or 나 go with an ending that holds them. */
static const char *const exceptions[][2] = {
    {"아버지도", "아버지도"},     {"비행기와", "비행기와"},   {"비행기도", "비행기도"},
    {"제주도로", "제주도로"},     {"제주도로는", "제주도로"}, {"제주도로도", "제주도로"},
    {"백과사전과", "백과사전과"}, {"산과", "산과"},           {"불만", "불만"},
    {"불만은", "불만"},
};
static int seen[WS_ARRAY_LEN(exceptions)];

static const char *expected(const char *run, const char *noun)
{
    for (size_t i = 0; i < WS_ARRAY_LEN(exceptions); i++)
        if (strcmp(run, exceptions[i][0]) == 0) {
            seen[i]++;
            return exceptions[i][1];
        }
    return noun;
}

/* Which form of a particle follows a word. */
static int form_after(const char *word)
{
    uint32_t last;
    int rieul;
    ws_utf8_decode(ws_cstr(word), strlen(word) - WS_SYLLABLE_BYTES, &last);
    return !ws_syllable_batchim(last, &rieul) ? 1 : rieul ? 2 : 0;
}

static void check_noun(const char *noun)
{
    char run[WORD_MAX];
    ws_str bare = stem(ws_cstr(noun), WS_KOREAN_ALONE);
    cr_expect_eq(bare.len, strlen(noun), "%s alone: %.*s", noun, (int)bare.len, bare.ptr);
    for (size_t i = 0; i < WS_ARRAY_LEN(particles); i++) {
        snprintf(run, sizeof run, "%s%s", noun, particles[i][form_after(noun)]);
        const char *want = expected(run, noun);
        ws_str got = stem(ws_cstr(run), WS_KOREAN_ALONE);
        cr_expect(ws_str_eq(got, ws_cstr(want)), "%s: %.*s, expected %s", run, (int)got.len,
                  got.ptr, want);
    }
}

Test(korean, particles_leave_the_noun, .init = init)
{
    char all[sizeof nouns], *rest = NULL;
    memcpy(all, nouns, sizeof nouns);
    for (char *noun = strtok_r(all, " ", &rest); noun; noun = strtok_r(NULL, " ", &rest))
        check_noun(noun);
    for (size_t i = 0; i < WS_ARRAY_LEN(exceptions); i++)
        cr_expect_eq(seen[i], 1, "%s was not met", exceptions[i][0]);
}

/* --- agreement --- */

/* Adds the run to the list when it is stripped to `base` and should not be, or the reverse. */
static void note(const char *base, const char *particle, int should, char *list, size_t cap)
{
    char run[WORD_MAX];
    snprintf(run, sizeof run, "%s%s", base, particle);
    int is = stem(ws_cstr(run), WS_KOREAN_ALONE).len == strlen(base);
    size_t n = strlen(list);
    if (is != should)
        snprintf(list + n, cap - n, "%s%s", n ? " " : "", run + 2 * WS_SYLLABLE_BYTES);
}

/* Under every last syllable: the form that its sound asks for is stripped, the other is not.
 * After ㄹ 으로 is taken for 로. */
static void list_disagreements(const char *const forms[3], char *list, size_t cap)
{
    char base[WORD_MAX] = "쀼쀼"; /* ends no known word */
    for (uint32_t c = 0xac00; c <= 0xd7a3; c++) {
        base[2 * WS_SYLLABLE_BYTES + ws_utf8_encode(c, base + 2 * WS_SYLLABLE_BYTES)] = 0;
        if (stem(ws_cstr(base), WS_KOREAN_ALONE).len != strlen(base))
            continue; /* the syllable is a particle itself */
        int form = form_after(base);
        note(base, forms[0], form != 1, list, cap);
        note(base, forms[1], form == 1 || (form == 2 && forms[1] == forms[2]), list, cap);
    }
}

Test(korean, particles_agree_with_the_sound_before, .init = init)
{
    /* Words on which another rule has the say: nouns that end so, longer endings. */
    static const char *const known[] = {
        "되는 라는 받은 하는",
        "길이 깊이 넓이 놀이 높이 대가 덩이 둥이 맞이 먹이 요가 쟁이 주가 추가 팽이 풀이 허가 휴가",
        "",
        "갯과 결과 경과 공과 기와 문과 백과 법과 산과 성과 안과 전과 콩과 통과 학과",
        "대로 미로 바로 서로 세로 유로 제로 프로 회로",
    };
    for (size_t i = 0; i < WS_ARRAY_LEN(known); i++) {
        char list[1024] = "";
        list_disagreements(particles[i], list, sizeof list);
        cr_expect_str_eq(list, known[i]);
    }
}

/* --- one syllable, numbers, Latin --- */

Test(korean, context_by_example, .init = init)
{
    static const struct {
        const char *run;
        uint32_t after;
        const char *stem;
    } rows[] = {
        {"문은", WS_KOREAN_ALONE, "문은"}, /* two syllables stay, but for a few nouns */
        {"차를", WS_KOREAN_ALONE, "차를"},
        {"물은", WS_KOREAN_ALONE, "물"},
        {"은", WS_KOREAN_ALONE, "은"},
        {"에서", WS_KOREAN_ALONE, "에서"},
        {"년에", WS_KOREAN_NUMBER, "년"},
        {"년까지는", WS_KOREAN_NUMBER, "년"},
        {"명의", WS_KOREAN_NUMBER, "명"},
        {"만", WS_KOREAN_NUMBER, "만"}, /* ten thousand */
        {"도", WS_KOREAN_NUMBER, "도"}, /* degrees */
        {"만을", WS_KOREAN_NUMBER, "만"},
        {"의", WS_KOREAN_NUMBER, ""},
        {"은", WS_KOREAN_NUMBER, ""},
        {"는", WS_KOREAN_NUMBER, ""},
        {"를", WS_KOREAN_LATIN, ""},
        {"을", WS_KOREAN_LATIN, ""},
        {"만", WS_KOREAN_LATIN, ""},
        {"에서는", WS_KOREAN_LATIN, ""},
        {"이라는", WS_KOREAN_LATIN, ""},
        {"프로는", WS_KOREAN_LATIN, "프로"},
        {"들", WS_KOREAN_LATIN, "들"}, /* light verbs and plurals follow nouns only */
        {"하는", WS_KOREAN_LATIN, "하"},
        {"공부하는", WS_KOREAN_ALONE, "공부"},
        {"학생들에게서는", WS_KOREAN_ALONE, "학생"},
    };
    for (size_t i = 0; i < WS_ARRAY_LEN(rows); i++) {
        ws_str got = stem(ws_cstr(rows[i].run), rows[i].after);
        cr_expect(ws_str_eq(got, ws_cstr(rows[i].stem)), "%s after %u: %.*s, expected %s",
                  rows[i].run, rows[i].after, (int)got.len, got.ptr, rows[i].stem);
    }
}

/* --- any run --- */

/* Syllables at random, or a few of them and particles behind. */
static size_t random_run(ws_rng *rng, char *out, size_t cap)
{
    size_t n = 0;
    for (uint64_t i = ws_rng_between(rng, 1, 6); i > 0; i--)
        n += ws_utf8_encode((uint32_t)ws_rng_between(rng, 0xac00, 0xd7a3), out + n);
    for (uint64_t i = ws_rng_below(rng, 5); i > 0 && n + 16 < cap; i--) {
        const char *p = particles[ws_rng_below(rng, WS_ARRAY_LEN(particles))][ws_rng_below(rng, 3)];
        memcpy(out + n, p, strlen(p));
        n += strlen(p);
    }
    return n;
}

static void check_run(ws_str run, uint64_t seed)
{
    for (uint32_t after = WS_KOREAN_ALONE; after <= WS_KOREAN_LATIN; after++) {
        ws_str s = stem(run, after);
        int ok = s.len % WS_SYLLABLE_BYTES == 0 && s.len <= run.len;
        if (after == WS_KOREAN_ALONE)
            ok = ok && s.len > 0 && (s.len == run.len || s.len >= WS_SYLLABLE_BYTES);
        ok = ok && (s.len == 0 || stem(s, after).len == s.len);
        if (!ok)
            cr_assert_fail("%.*s after %u: %zu bytes, seed %llu", (int)run.len, run.ptr, after,
                           s.len, (unsigned long long)seed);
    }
}

Test(korean, any_run, .init = init)
{
    ws_rng rng = ws_rng_seeded(51);
    char text[128];
    for (int round = 0; round < 60000; round++) {
        size_t n = random_run(&rng, text, sizeof text);
        size_t cut = n - WS_SYLLABLE_BYTES *
                             ws_rng_below(&rng, n / WS_SYLLABLE_BYTES); /* particles alone, too */
        char *run = malloc(cut); /* a read beyond either end is an error */
        memcpy(run, text + n - cut, cut);
        check_run(ws_str_make(run, cut), rng.seed);
        free(run);
    }
}
