/* Stripping particles (josa), the copula and light-verb endings from a run of Hangul syllables, by
 * rule. [any].
 *
 * A run is stripped again and again, longest ending first, until nothing fits: 대한민국에서는 ->
 * 대한민국에서 -> 대한민국. So nearly all inflected forms of a noun end at one stem, even where
 * the rules strip too much. A listed noun that ends like a particle keeps its end (회의 in
 * 국제회의, not in 사회의: one syllable before it is no word), and an ending that leaves one is
 * preferred (고양이 + 라는). Runs of more than 200 syllables are left alone by the analyzer. An
 * ending must agree with the sound before it (은 이 을 과 으로 after a batchim, 는 가 를 와 로
 * otherwise, 로 also after ㄹ), and leave at least two syllables, or one of a few nouns of one
 * syllable (물은, 그는). After a number or a Latin word less is enough: there the run may be a
 * unit, or nothing but a particle.
 */
#ifndef WS_TEXT_KOREAN_H
#define WS_TEXT_KOREAN_H

#include "wikisearch/status.h"

#define WS_SYLLABLE_BYTES 3u /* U+AC00 to U+D7A3 in UTF-8 */

#define WS_KOREAN_ALONE  0u /* the run begins the word */
#define WS_KOREAN_NUMBER 1u /* directly after digits: 년에 in 2018년에 */
#define WS_KOREAN_LATIN  2u /* directly after Latin letters: 를 in Linux를 */

/* The rules by their last syllable. Filled once, then read only: [any]. */
#define WS_KOREAN_BUCKETS 512u
#define WS_KOREAN_RULES   512u
typedef struct {
    uint16_t endings[WS_KOREAN_BUCKETS], nouns[WS_KOREAN_BUCKETS]; /* first rule + 1, 0 = none */
    uint16_t next_ending[WS_KOREAN_RULES], next_noun[WS_KOREAN_RULES];
} ws_korean_rules;

void ws_korean_rules_init(ws_korean_rules *rules);

/* Bytes of the stem of `run` (syllables U+AC00 to U+D7A3 only, three bytes each). 0: the run is a
 * particle and nothing else (after a number or Latin word only). */
size_t ws_korean_stem(const ws_korean_rules *rules, ws_str run, uint32_t after);

#endif
