#include "engine/text/korean.h"

#include "base/bytes.h"
#include "base/str.h"
#include "base/utf8.h"
#include "engine/text/jamo.h"

/* What must stand before an ending. */
#define ANY               0u
#define CLOSED            1u /* a batchim */
#define OPEN              2u /* none */
#define RO                3u /* none, or ㄹ: 로 and what begins with it */
#define NOUN              4u /* light verbs and the like: never after a number or Latin word */
#define KEEP_AFTER_NUMBER 8u /* 만, 도: units there */

typedef struct {
    ws_str text;
    uint32_t before;
} ending;

#define E(text, before)                                                                            \
 {                                                                                                 \
  {"" text, sizeof(text) - 1}, before                                                              \
 }

/* clang-format off */
static const ending endings[] = {
    /* four syllables and more */
    E("으로부터", CLOSED), E("이라고는", CLOSED), E("이라고도", CLOSED), E("이었으며", CLOSED), E("이었는데", CLOSED),
    E("하였으며", NOUN), E("하였지만", NOUN), E("되었으며", NOUN), E("되었지만", NOUN),
    /* three */
    E("이었는가", CLOSED), E("하였는가", NOUN), E("되었는가", NOUN), E("이었나", CLOSED), E("했는가", NOUN),
    E("하는가", NOUN), E("되는가", NOUN), E("였는가", OPEN), E("인가요", ANY), E("인가", ANY), E("인지", ANY),
    E("였나", OPEN), E("했나", NOUN), E("됐나", NOUN), E("하려고", NOUN), E("해야", NOUN), E("하였으나", NOUN),
    E("했으나", NOUN), E("되었으나", NOUN), E("하도록", NOUN), E("되도록", NOUN), E("하자", NOUN), E("되자", NOUN),
    E("시킨", NOUN), E("시켜", NOUN), E("하면", NOUN), E("되면", NOUN), E("하였던", NOUN), E("되었던", NOUN),
    E("하려는", NOUN), E("받은", NOUN), E("당한", NOUN), E("당했다", NOUN),
    E("에게서", ANY), E("한테서", ANY), E("이라는", CLOSED), E("이라고", CLOSED), E("이라도", CLOSED),
    E("이라면", CLOSED), E("이라며", CLOSED), E("이든지", CLOSED), E("이었다", CLOSED), E("이었던", CLOSED),
    E("이었고", CLOSED),
    E("이지만", CLOSED), E("이므로", CLOSED), E("이면서", CLOSED), E("으로써", CLOSED), E("으로서", CLOSED),
    E("로부터", RO), E("만큼은", ANY), E("까지도", ANY), E("라고도", OPEN),
    E("였으며", OPEN), E("였지만", OPEN), E("입니다", ANY),
    E("하였다", NOUN), E("하였고", NOUN), E("했으며", NOUN), E("했지만", NOUN), E("하면서", NOUN),
    E("하기도", NOUN), E("하지만", NOUN), E("되었다", NOUN), E("되었고", NOUN), E("되면서", NOUN),
    E("됐으며", NOUN), E("하게도", NOUN), E("시켰다", NOUN), E("시키는", NOUN),
    /* two */
    E("에서", ANY), E("에게", ANY), E("한테", ANY), E("께서", ANY), E("까지", ANY), E("부터", ANY),
    E("마다", ANY), E("조차", ANY), E("마저", ANY), E("밖에", ANY), E("보다", ANY), E("처럼", ANY),
    E("만큼", ANY), E("하고", NOUN), E("으로", CLOSED),
    E("로써", RO), E("로서", RO), E("이나", CLOSED), E("이란", CLOSED), E("이며", CLOSED), E("이고", CLOSED),
    E("이든", CLOSED), E("이랑", CLOSED), E("이자", CLOSED), E("이다", CLOSED), E("이여", CLOSED),
    E("든지", OPEN), E("라는", OPEN), E("라고", OPEN), E("라도", OPEN), E("라면", OPEN),
    E("였다", OPEN), E("였던", OPEN), E("였고", OPEN), E("하다", NOUN), E("한다", NOUN), E("하는", NOUN),
    E("하며", NOUN), E("하여", NOUN), E("하게", NOUN), E("하기", NOUN), E("하지", NOUN), E("하던", NOUN),
    E("했다", NOUN), E("했던", NOUN), E("했고", NOUN), E("해서", NOUN), E("되다", NOUN), E("된다", NOUN),
    E("되는", NOUN), E("되며", NOUN), E("되어", NOUN), E("되고", NOUN), E("되지", NOUN), E("됐다", NOUN),
    /* one */
    E("들", NOUN), E("해", NOUN), E("돼", NOUN),
    E("의", ANY), E("에", ANY), E("도", KEEP_AFTER_NUMBER), E("만", KEEP_AFTER_NUMBER), E("께", ANY),
    E("은", CLOSED), E("이", CLOSED), E("을", CLOSED), E("과", CLOSED), E("는", OPEN), E("가", OPEN),
    E("를", OPEN), E("와", OPEN), E("로", RO), E("나", OPEN), E("란", OPEN), E("랑", OPEN),
    E("한", NOUN), E("된", NOUN), E("할", NOUN), E("될", NOUN),
};

/* Nouns that end like noun + particle: a run that ends in one of these is not stripped of it. The
 * commonest only; other words lose the syllable in every form alike, so they still find each
 * other. */
static const ws_str whole[] = {
#define W(text) {"" text, sizeof(text) - 1}
    W("백과"), W("학과"), W("효과"), W("결과"), W("성과"), W("교과"), W("내과"), W("외과"), W("치과"), W("안과"),
    W("경과"), W("통과"), W("초과"), W("투과"), W("전과"), W("문과"), W("이과"), W("법과"), W("공과"), W("의과"),
    W("산과"), W("장미과"), W("콩과"), W("국화과"), W("고양잇과"), W("갯과"),
    W("고양이"), W("어린이"), W("거북이"), W("호랑이"), W("원숭이"), W("젊은이"), W("늙은이"), W("떡볶이"), W("목걸이"),
    W("귀걸이"), W("놀이"), W("풀이"), W("맞이"), W("쟁이"), W("둥이"), W("팽이"), W("지팡이"), W("곰팡이"), W("구렁이"),
    W("길이"), W("높이"), W("깊이"), W("넓이"), W("먹이"), W("덩이"), W("몽둥이"), W("이순신"),
    W("바나나"), W("코로나"), W("아르헨티나"), W("우크라이나"), W("바르셀로나"), W("캐롤라이나"), W("애리조나"), W("페르소나"),
    W("아테나"), W("베로나"),
    W("주의"), W("회의"), W("정의"), W("강의"), W("논의"), W("합의"), W("동의"), W("창의"), W("편의"), W("결의"),
    W("토의"), W("협의"), W("문의"), W("예의"), W("상의"), W("심의"), W("발의"), W("건의"), W("항의"),
    W("제주도"), W("경기도"), W("강원도"), W("충청도"), W("경상도"), W("전라도"), W("함경도"), W("평안도"), W("황해도"),
    W("북도"), W("남도"), W("홋카이도"), W("지도"), W("제도"), W("온도"), W("속도"), W("정도"), W("태도"), W("각도"),
    W("밀도"), W("농도"), W("수도"), W("의도"), W("반도"), W("철도"), W("궤도"), W("기도"), W("보도"), W("유도"),
    W("고도"), W("위도"), W("경도"), W("습도"), W("강도"), W("빈도"), W("용도"), W("난이도"), W("인지도"), W("만족도"),
    W("정치가"), W("전문가"), W("추가"), W("허가"), W("휴가"), W("요가"), W("물가"), W("주가"), W("만화가"), W("대가"),
    W("평가"), W("국가"), W("증가"),
    W("도로"), W("미로"), W("회로"), W("경로"), W("통로"), W("활주로"), W("종로"), W("유로"), W("제로"), W("프로"),
    W("카이로"), W("가로"), W("세로"), W("서로"), W("스스로"), W("대로"), W("바로"),
    W("마을"), W("가을"), W("대만"), W("불만"), W("비만"), W("페르시아만"), W("아산만"), W("기와"), W("하와이"),
    W("우리나라"), W("한나라"), W("만나"), W("누구나"), W("하나"), W("언제나"), W("북한"), W("남한"), W("대한"), W("무한"),
    W("유한"), W("제한"), W("권한"), W("역할"), W("분할"), W("관할"), W("위한"), W("관한"), W("의한"), W("또한"),
    W("최대한"),
#undef W
};
/* clang-format on */

/* Nouns of one syllable that may stand alone before a particle. Others keep it: most runs of two
 * syllables are words of their own. */
static const ws_str single[] = {
#define W(text)                                                                                    \
 {                                                                                                 \
  "" text, sizeof(text) - 1                                                                        \
 }
    W("그"), W("책"), W("물"), W("불"), W("산"), W("집"), W("글"), W("왕"),
    W("땅"), W("꽃"), W("섬"), W("팀"), W("곳"), W("것"), W("때"),
#undef W
};

_Static_assert(WS_ARRAY_LEN(endings) < WS_KOREAN_RULES && WS_ARRAY_LEN(whole) < WS_KOREAN_RULES,
               "rules");

/* Bucket of the last syllable: its last two bytes hold 12 of its bits. */
static uint32_t bucket_of(ws_str text)
{
    uint32_t middle = (uint8_t)text.ptr[text.len - 2], last = (uint8_t)text.ptr[text.len - 1];
    return (middle << 6 ^ last) % WS_KOREAN_BUCKETS;
}

/* Backwards, so that each chain is in the order of its table: longest first. */
void ws_korean_rules_init(ws_korean_rules *rules)
{
    memset(rules, 0, sizeof *rules);
    for (uint32_t i = WS_ARRAY_LEN(endings); i-- > 0;) {
        uint16_t *head = &rules->endings[bucket_of(endings[i].text)];
        rules->next_ending[i] = *head;
        *head = (uint16_t)(i + 1);
    }
    for (uint32_t i = WS_ARRAY_LEN(whole); i-- > 0;) {
        uint16_t *head = &rules->nouns[bucket_of(whole[i])];
        rules->next_noun[i] = *head;
        *head = (uint16_t)(i + 1);
    }
}

static int ends_with(ws_str run, ws_str end)
{
    return run.len >= end.len && memcmp(run.ptr + run.len - end.len, end.ptr, end.len) == 0;
}

/* True when the ending would take the end of a listed noun that is longer than it (지도 in 까지도
 * is none). A single syllable before the noun is no word: 사회의 is 사회 + 의, 국제회의 holds 회의.
 */
static int is_whole(const ws_korean_rules *rules, ws_str run, size_t ending_len)
{
    for (uint32_t i = rules->nouns[bucket_of(run)]; i; i = rules->next_noun[i - 1]) {
        ws_str noun = whole[i - 1];
        if (noun.len > ending_len && run.len - noun.len != WS_SYLLABLE_BYTES &&
            ends_with(run, noun))
            return 1;
    }
    return 0;
}

static int is_listed(const ws_korean_rules *rules, ws_str stem)
{
    for (uint32_t i = stem.len ? rules->nouns[bucket_of(stem)] : 0; i; i = rules->next_noun[i - 1])
        if (ws_str_eq(stem, whole[i - 1]))
            return 1;
    return 0;
}

static int is_single(ws_str stem)
{
    for (size_t i = 0; i < WS_ARRAY_LEN(single); i++)
        if (ws_str_eq(stem, single[i]))
            return 1;
    return 0;
}

static int agrees(ws_str stem, uint32_t before)
{
    uint32_t last;
    int rieul;
    ws_utf8_decode(stem, stem.len - WS_SYLLABLE_BYTES, &last);
    int closed = ws_syllable_batchim(last, &rieul);
    switch (before) {
    case CLOSED:
        return closed;
    case OPEN:
        return !closed;
    case RO:
        return !closed || rieul;
    default:
        return 1;
    }
}

static int allowed(uint32_t before, uint32_t after)
{
    if (before == NOUN)
        return after == WS_KOREAN_ALONE;
    return before != KEEP_AFTER_NUMBER || after != WS_KOREAN_NUMBER;
}

static int fits(const ending *e, ws_str run, size_t least, uint32_t after)
{
    if (!ends_with(run, e->text) || !allowed(e->before, after))
        return 0;
    ws_str stem = ws_str_sub(run, 0, run.len - e->text.len);
    if (stem.len < least && (e->before == NOUN || !is_single(stem)))
        return 0;
    /* What stands before may be Latin or a digit, whose sound we don't know: both forms are right
     * there. */
    return stem.len == 0 || agrees(stem, e->before);
}

/* Bytes that the longest fitting ending leaves, or a shorter one that leaves a listed noun (고양이
 * + 라는, not 고양 + 이라는); run.len when none fits. The endings are ordered longest first. */
static size_t strip_once(const ws_korean_rules *rules, ws_str run, size_t least, uint32_t after)
{
    size_t longest = run.len;
    for (uint32_t i = rules->endings[bucket_of(run)]; i; i = rules->next_ending[i - 1]) {
        if (!fits(&endings[i - 1], run, least, after))
            continue;
        ws_str stem = ws_str_sub(run, 0, run.len - endings[i - 1].text.len);
        if (is_listed(rules, stem))
            return stem.len;
        longest = WS_MIN(longest, stem.len);
    }
    return longest;
}

size_t ws_korean_stem(const ws_korean_rules *rules, ws_str run, uint32_t after)
{
    size_t least = after == WS_KOREAN_ALONE ? 2 * WS_SYLLABLE_BYTES : 0;
    while (run.len > (least ? WS_SYLLABLE_BYTES : 0)) {
        size_t left = strip_once(rules, run, least, after);
        if (left == run.len || is_whole(rules, run, run.len - left))
            break;
        run.len = left;
    }
    return run.len;
}
