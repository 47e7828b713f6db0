/* Whatever may be typed. The first byte picks the context and how many are wanted, the rest is the
 * text. The answer keeps its rules. */
#include <stdlib.h>
#include <string.h>

#include "wikisearch/suggest.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const texts[] = {
    "대한민국", "대한 제국",
    "History",  "한글",
    "한글날",   "서울특별시 강남구",
    "값",       "과일",
    "ㅋㅋㅋ",   "까치",
    "Straße",   "5㎞ 달리기",
    "東京",     "東京都",
    "café",     "Ａpple",
    "리눅스",   "linux",
    "BTS 노래", "a",
    "aa",       "aaa",
    "aaaa",     "aaab",
    "삼성전자", "삼성",
    "사과",     "사과나무",
    "가",       "각",
    "갂",       "가나다라마바사",
};

static ws_suggest *suggest;

static void must(int condition)
{
    if (!condition)
        abort();
}

static void make(void)
{
    ws_str none = {NULL, 0};
    must(ws_suggest_open(&suggest, NULL, NULL, NULL) == WS_OK);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        must(ws_suggest_put(suggest, ws_cstr(texts[i]), none, none, i * i) == WS_OK);
        if (i % 3 == 0)
            must(ws_suggest_put(suggest, ws_cstr(texts[i]), ws_cstr(texts[i / 2]), ws_cstr("셋"),
                                i) == WS_OK);
    }
}

static void check(const ws_suggestion *s, uint32_t i)
{
    must(strlen(s[i].text) == s[i].text_length && strlen(s[i].target) == s[i].target_length);
    must(s[i].highlight_start == 0 && s[i].highlight_end <= s[i].text_length);
    must(s[i].highlight_end == s[i].text_length ||
         ((uint8_t)s[i].text[s[i].highlight_end] & 0xc0) != 0x80);
    must(ws_match_name(s[i].match)[0] != 0);
    if (i == 0)
        return;
    must(s[i - 1].match <= s[i].match);
    /* The layout tiers begin with what is exact, once for each layout. */
    must(s[i].match == WS_MATCH_LAYOUT || s[i - 1].match < s[i].match ||
         s[i - 1].score >= s[i].score);
    for (uint32_t j = 0; j < i; j++)
        must(strcmp(s[i].target, s[j].target) != 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static ws_suggestion out[WS_SUGGEST_K_MAX];
    ws_suggest_query_options options = WS_SUGGEST_QUERY_OPTIONS_INIT;
    if (size == 0)
        return 0;
    if (!suggest)
        make();
    uint32_t n = 1 + (data[0] & 63);
    if (data[0] & 64)
        options.context = ws_cstr("셋");
    ws_str typed = {(const char *)data + 1, size - 1};
    ws_status status = ws_suggest_query(suggest, typed, &options, out, &n);
    must(status == WS_OK || status == WS_TRUNCATED);
    for (uint32_t i = 0; i < n; i++)
        check(out, i);
    if (data[0] & 128) { /* learning takes the same bytes */
        ws_suggest_event event = WS_SUGGEST_EVENT_INIT;
        event.text = typed;
        must(ws_suggest_observe_event(suggest, &event) == WS_OK);
        if (event.effect == WS_OBSERVED_ADDED)
            must(ws_suggest_remove(suggest, typed, ws_cstr("")) == WS_OK);
    }
    return 0;
}
