#include "tests/support/corpus.h"

#include <string.h>

static const char *const nouns[] = {
    "대한민국", "역사",   "학교",     "사람",   "문화",       "서울",     "한국",     "민국",
    "대한",     "세계",   "경제",     "정치",   "나라",       "조선",     "일본",     "중국",
    "미국",     "전쟁",   "음악",     "영화",   "도시",       "철도",     "대학",     "대학교",
    "과학",     "물",     "책",       "컴퓨터", "프로그램",   "언어",     "한국어",   "영어",
    "문학",     "소설",   "작가",     "왕",     "왕조",       "고려",     "신라",     "백제",
    "고구려",   "지하철", "공항",     "바다",   "산",         "강",       "국민",     "국회",
    "대통령",   "선거",   "민주주의", "공화국", "민주공화국", "위키백과", "백과사전", "축구",
    "야구",     "선수",   "국가대표", "올림픽"};
static const char *const particles[] = {"",   "",   "",   "",     "은",   "는",     "이",   "가",
                                        "을", "를", "의", "에",   "에서", "에서는", "으로", "로",
                                        "와", "과", "도", "부터", "까지", "이다"};
static const char *const english[] = {
    "history",  "histories", "the",    "of",        "university", "world",    "war",
    "running",  "run",       "runs",   "city",      "cities",     "railway",  "station",
    "Linux",    "K-POP",     "C++",    "C#",        "e-mail",     "don't",    "music",
    "musical",  "film",      "films",  "state",     "united",     "national", "nation",
    "nations",  "king",      "Kings",  "computer",  "computing",  "program",  "language",
    "football", "player",    "played", "president", "election",   "river",    "sea",
    "airport",  "iPhone15",  "x86-64", "café"};
static const char *const others[] = {"2018년", "1945년에",   "3.5km를",    "1,234명", "10",
                                     "15",     "5·18",       "서울特別市", "東京",    "カタカナ",
                                     ".NET",   "(주)카카오", "ㄱ"};

#define COUNT(a)     (sizeof(a) / sizeof(a)[0])
#define PICK(rng, a) ((a)[ws_rng_below(rng, COUNT(a))])

/* Index below n, small ones far more often. */
static size_t skewed(ws_rng *rng, size_t n)
{
    double u = ws_rng_double(rng);
    return (size_t)((double)n * u * u * u);
}

static size_t append(char *out, size_t cap, size_t at, const char *text)
{
    size_t n = strlen(text);
    if (at + n >= cap)
        return at; /* whole words only */
    memcpy(out + at, text, n + 1);
    return at + n;
}

size_t ws_corpus_word(ws_rng *rng, char *out, size_t cap)
{
    size_t at = 0;
    uint64_t kind = ws_rng_below(rng, 100);
    out[0] = '\0';
    if (kind < 55) {
        at = append(out, cap, at, nouns[skewed(rng, COUNT(nouns))]);
        if (ws_rng_below(rng, 12) == 0)
            at = append(out, cap, at, nouns[skewed(rng, COUNT(nouns))]);
        return append(out, cap, at, PICK(rng, particles));
    }
    if (kind < 91)
        return append(out, cap, at, english[skewed(rng, COUNT(english))]);
    if (kind < 95) {
        char name[32]; /* a long tail of rare words */
        snprintf(name, sizeof name, "name%u", (unsigned)ws_rng_skewed(rng, 12));
        return append(out, cap, at, name);
    }
    return append(out, cap, at, PICK(rng, others));
}

size_t ws_corpus_text(ws_rng *rng, uint32_t n, char *out, size_t cap)
{
    static const char *const between[] = {" ", " ", " ", " ", " ", " ", ", ", ". ", "\n", " - "};
    size_t at = 0;
    out[0] = '\0';
    for (uint32_t i = 0; i < n; i++) {
        if (i)
            at = append(out, cap, at, PICK(rng, between));
        at += ws_corpus_word(rng, out + at, cap - at);
    }
    return at;
}

/* --- queries --- */

static void to_capitals(char *text)
{
    for (; *text; text++)
        if (*text >= 'a' && *text <= 'z')
            *text = (char)(*text - 'a' + 'A');
}

/* One to `most` words that follow one another in `source`. */
static size_t cut_source(ws_rng *rng, const char *source, uint64_t most, char *out, size_t cap)
{
    size_t len = strlen(source), from = len ? ws_rng_below(rng, len) : 0;
    while (from > 0 && source[from - 1] != ' ')
        from--;
    size_t to = from;
    for (uint64_t words = ws_rng_between(rng, 1, most); words && to < len; words--)
        for (to += to > from; to < len && source[to] != ' ';)
            to++;
    size_t n = to - from < cap - 1 ? to - from : 0;
    memcpy(out, source + from, n);
    out[n] = '\0';
    return n;
}

static size_t phrase(ws_rng *rng, const char *source, char *out, size_t cap)
{
    size_t at = append(out, cap, 0, "\"");
    if (ws_rng_below(rng, 4))
        at += cut_source(rng, source, 4, out + at, cap - at - 2);
    else
        at += ws_corpus_text(rng, (uint32_t)ws_rng_between(rng, 1, 3), out + at, cap - at - 2);
    return append(out, cap, at, "\"");
}

size_t ws_corpus_query(ws_rng *rng, const char *source, char *out, size_t cap)
{
    static const char *const spaces[] = {" ", " ", " ", "  ", "\t", "\xe3\x80\x80"};
    size_t at = 0;
    out[0] = '\0';
    for (uint64_t n = ws_rng_between(rng, 1, 6); n; n--) {
        char word[512];
        if (ws_rng_below(rng, 6) == 0)
            at = append(out, cap, at, "-");
        if (ws_rng_below(rng, 5) == 0)
            phrase(rng, source, word, sizeof word);
        else if (ws_rng_below(rng, 3) == 0)
            cut_source(rng, source, 1, word, sizeof word);
        else
            ws_corpus_word(rng, word, sizeof word);
        if (ws_rng_below(rng, 8) == 0)
            to_capitals(word);
        at = append(out, cap, at, word);
        at = append(out, cap, at, n > 1 ? PICK(rng, spaces) : "");
    }
    return at;
}
