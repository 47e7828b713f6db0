/* The search page: state lives in the address (?q=&lang=&page= or ?doc=), every view is drawn from it. Text is only ever set as
 * textContent, so nothing that an article or a query holds can become markup. */
"use strict";

const PAGE = 10;

const WORDS = {
  ko: {
    search: "검색", placeholder: "위키백과 검색", skip: "결과로 건너뛰기", languages: "언어", all: "전체",
    prev: "← 이전", next: "다음 →", page: (p) => `${p}쪽`, found: (n, more) => `결과 ${n}${more ? "건 이상" : "건"}`,
    none: (q) => `‘${q}’에 대한 문서가 없습니다. 낱말을 줄이거나 다르게 써 보세요.`, beyond: "이 쪽에는 결과가 없습니다.", latest: "최근 문서",
    loading: "찾는 중…", back: "← 결과로", partial: "시간이 모자라 일부만 찾았습니다.", missing: "그런 문서가 없습니다.",
    network: "서버에 연결할 수 없습니다. 잠시 뒤 다시 해 보세요.", busy: (s) => `서버가 바쁩니다. ${s}초 뒤 다시 찾습니다.`,
    refused: (d) => `찾을 수 없는 검색입니다: ${d}`, failed: (c) => `서버 오류입니다 (${c}).`, untitled: "(제목 없음)",
    cost: (c) => `${c.took} ms · CPU ${c.cpu} µs · 포스팅 ${c.postings}개 · 읽은 본문 ${c.bytes} B`,
  },
  en: {
    search: "Search", placeholder: "Search Wikipedia", skip: "Skip to results", languages: "Language", all: "All",
    prev: "← Previous", next: "Next →", page: (p) => `Page ${p}`, found: (n, more) => `${more ? "At least " : ""}${n} ${n === "1" ? "result" : "results"}`,
    none: (q) => `No article matches “${q}”. Try fewer or other words.`, beyond: "There are no results on this page.", latest: "Latest articles",
    loading: "Searching…", back: "← Back to results", partial: "Time ran out: these are only some of the results.", missing: "There is no such article.",
    network: "The server cannot be reached. Try again in a moment.", busy: (s) => `The server is busy. Trying again in ${s} s.`,
    refused: (d) => `This search cannot be answered: ${d}`, failed: (c) => `The server failed (${c}).`, untitled: "(untitled)",
    cost: (c) => `${c.took} ms · ${c.cpu} µs CPU · ${c.postings} postings · ${c.bytes} B of text read`,
  },
};
const locale = navigator.language.toLowerCase().startsWith("ko") ? "ko" : "en";
const T = WORDS[locale];
const number = new Intl.NumberFormat(locale);
const $ = (id) => document.getElementById(id);

let sequence = 0; /* of the newest request: older answers are dropped */
let controller = null;
let retry = 0;
let composing = false;

/* --- state in the address --- */

function readState() {
  const p = new URLSearchParams(location.search);
  const page = Number.parseInt(p.get("page") || "1", 10);
  return { q: p.get("q") || "", lang: p.get("lang") || "", page: page >= 1 ? page : 1, doc: p.get("doc") };
}

function address(state) {
  const p = new URLSearchParams();
  if (state.q) p.set("q", state.q);
  if (state.lang) p.set("lang", state.lang);
  if (state.page > 1) p.set("page", String(state.page));
  if (state.doc !== null && state.doc !== undefined) p.set("doc", state.doc);
  const text = p.toString();
  return text ? `/?${text}` : "/";
}

function go(state) {
  history.pushState(null, "", address(state));
  show();
}

/* --- small pieces --- */

function element(name, attributes, ...children) {
  const e = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value !== null && value !== undefined) e.setAttribute(key, value);
  }
  e.append(...children);
  return e;
}

/* Text with marks at [start, end) in UTF-16 units. */
function marked(text, spans) {
  const out = [];
  let at = 0;
  for (const [start, end] of spans || []) {
    if (start < at || end <= start || end > text.length) continue;
    out.push(text.slice(at, start), element("mark", null, text.slice(start, end)));
    at = end;
  }
  out.push(text.slice(at));
  return out;
}

function link(state, ...children) {
  const a = element("a", { href: address(state) }, ...children);
  a.addEventListener("click", (event) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    go(state);
  });
  return a;
}

function say(text, bad) {
  $("status").textContent = text;
  $("status").classList.toggle("bad", Boolean(bad));
}

function draw(...children) {
  $("view").replaceChildren(...children);
  $("view").classList.remove("busy");
  $("view").removeAttribute("aria-busy");
}

/* --- asking the server --- */

class Refusal extends Error {
  constructor(status, problem, after) {
    super(problem.detail || problem.title || String(status));
    this.status = status;
    this.code = problem.code || String(status);
    this.after = after;
  }
}

async function ask(path, signal) {
  const response = await fetch(path, { signal, headers: { Accept: "application/json" } });
  if (response.ok) return response.json();
  const problem = await response.json().catch(() => ({}));
  throw new Refusal(response.status, problem, Number.parseInt(response.headers.get("Retry-After") || "1", 10));
}

/* Waits for the server's own word on when to come back, counting down. */
function tryAgain(seconds) {
  const mine = sequence;
  const tick = (left) => {
    if (mine !== sequence) return;
    if (left <= 0) { show(); return; }
    say(T.busy(left), true);
    retry = setTimeout(tick, 1000, left - 1);
  };
  tick(Math.max(1, Math.min(60, seconds || 1)));
}

function explain(error) {
  draw();
  $("pages").hidden = true;
  if (!(error instanceof Refusal)) say(T.network, true);
  else if (error.status === 503) tryAgain(error.after);
  else if (error.status === 404) say(T.missing, true);
  else if (error.status < 500) say(T.refused(error.message), true);
  else say(T.failed(error.code), true);
}

/* Runs one view: cancels the one before, drops its answer, shows what goes wrong in words. */
async function run(path, render) {
  const mine = ++sequence;
  clearTimeout(retry);
  if (controller) controller.abort();
  controller = new AbortController();
  $("view").classList.add("busy");
  $("view").setAttribute("aria-busy", "true");
  try {
    const answer = await ask(path, controller.signal);
    if (mine === sequence) render(answer);
  } catch (error) {
    if (mine === sequence && error.name !== "AbortError") explain(error);
  }
}

/* --- views --- */

function tags(hit) {
  const parts = [hit.lang === "ko" ? "한국어" : hit.lang === "en" ? "English" : hit.lang, ...(hit.categories || []).slice(0, 4)];
  return parts.filter(Boolean).join(" · ");
}

function item(state, hit) {
  const marks = hit._highlight || {};
  const title = hit.title || T.untitled;
  return element("li", { lang: hit.lang },
    element("h2", null, link({ ...state, doc: hit.id }, ...marked(title, hit.title ? marks.title : []))),
    element("p", null, ...marked(hit.snippet || "", marks.snippet)),
    element("p", { class: "tags" }, tags(hit)));
}

function drawCost(answer) {
  const c = answer.cost || {};
  $("cost").textContent = answer.took_ms === undefined ? "" : T.cost({
    took: number.format(answer.took_ms), cpu: number.format(c.cpu_us || 0),
    postings: number.format(c.postings || 0), bytes: number.format(c.fetch_bytes || 0),
  });
}

function drawPages(state, total) {
  const last = Math.max(1, Math.ceil(Math.min(total, 10000) / PAGE));
  $("pages").hidden = last <= 1 && state.page === 1;
  $("prev").disabled = state.page <= 1;
  $("next").disabled = state.page >= last;
  $("page").textContent = T.page(`${number.format(state.page)} / ${number.format(last)}`);
}

function drawResults(state, answer) {
  const total = answer.total ? answer.total.value : answer.hits.length;
  const notes = [T.found(number.format(total), answer.total && answer.total.relation === "gte")];
  if (answer.partial) notes.push(T.partial);
  for (const warning of answer.warnings || []) notes.push(warning.message);
  if (answer.hits.length === 0) say(total === 0 ? T.none(state.q) : T.beyond);
  else say(notes.join(" · "));
  draw(element("ol", { "aria-label": state.q }, ...answer.hits.map((hit) => item(state, hit))));
  drawPages(state, total);
  drawCost(answer);
}

function showResults(state) {
  const p = new URLSearchParams({ q: state.q, limit: String(PAGE), offset: String((state.page - 1) * PAGE), profile: "1" });
  if (state.lang) p.set("filter", `lang = "${state.lang}"`);
  document.title = `${state.q} - wikisearch`;
  return run(`/v1/search?${p}`, (answer) => drawResults(state, answer));
}

function showStart(state) {
  const p = new URLSearchParams({ order: "latest", limit: String(PAGE) });
  if (state.lang) p.set("filter", `lang = "${state.lang}"`);
  document.title = "wikisearch";
  return run(`/v1/documents?${p}`, (answer) => {
    say("");
    $("cost").textContent = "";
    $("pages").hidden = true;
    draw(element("h2", { class: "start" }, T.latest), element("ol", null, ...answer.documents.map((d) => item(state, d))));
  });
}

function showDocument(state) {
  return run(`/v1/documents/${encodeURIComponent(state.doc)}`, (d) => {
    const back = link({ ...state, doc: null }, T.back);
    const paragraphs = (d.body || "").split(/\n+/).filter((text) => text.trim());
    document.title = `${d.title || T.untitled} - wikisearch`;
    say("");
    $("cost").textContent = "";
    $("pages").hidden = true;
    draw(element("article", { lang: d.lang }, element("p", { lang: locale }, back), element("h1", { tabindex: "-1" }, d.title || T.untitled),
      element("p", { class: "tags" }, tags(d)), ...paragraphs.map((text) => element("p", null, text))));
    $("view").querySelector("h1").focus({ preventScroll: true });
    scrollTo(0, 0);
  });
}

function show() {
  const state = readState();
  if (document.activeElement !== $("q")) $("q").value = state.q;
  for (const radio of document.querySelectorAll('input[name="lang"]')) radio.checked = radio.value === state.lang;
  if (state.doc !== null) return showDocument(state);
  if (!state.q.trim()) return showStart(state);
  return showResults(state);
}

/* --- what a person does --- */

function submit() {
  go({ q: $("q").value.trim(), lang: readState().lang, page: 1, doc: null });
}

function turn(step) {
  const state = readState();
  go({ ...state, page: Math.max(1, state.page + step) });
  scrollTo(0, 0);
  $("main").focus({ preventScroll: true });
}

$("q").addEventListener("compositionstart", () => { composing = true; });
$("q").addEventListener("compositionend", () => { composing = false; });
/* Enter that ends a Hangul syllable belongs to the input method; some browsers send it as key code 229 or after compositionend. */
$("q").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.isComposing || composing || event.keyCode === 229)) event.preventDefault();
  if (event.key === "Escape" && !event.isComposing && $("q").value) { $("q").value = ""; event.preventDefault(); }
});
$("form").addEventListener("submit", (event) => {
  event.preventDefault();
  if (!composing) submit();
});
$("langs").addEventListener("change", (event) => {
  go({ ...readState(), lang: event.target.value, page: 1, doc: null, q: $("q").value.trim() });
});
$("prev").addEventListener("click", () => turn(-1));
$("next").addEventListener("click", () => turn(1));
$("home").addEventListener("click", (event) => {
  event.preventDefault();
  $("q").value = "";
  go({ q: "", lang: "", page: 1, doc: null });
  $("q").focus();
});
document.addEventListener("keydown", (event) => {
  const typing = event.target instanceof HTMLInputElement && event.target.type === "search";
  if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    $("q").focus();
    $("q").select();
  } else if (event.key === "Escape" && !typing && readState().doc !== null) {
    go({ ...readState(), doc: null });
  }
});
addEventListener("popstate", () => { $("q").blur(); show(); });

document.documentElement.lang = locale;
$("skip").textContent = T.skip;
$("go").textContent = T.search;
$("q").placeholder = T.placeholder;
$("q").setAttribute("aria-label", T.placeholder);
$("langs-legend").textContent = T.languages;
$("lang-all").textContent = T.all;
$("prev").textContent = T.prev;
$("next").textContent = T.next;
$("q").value = readState().q;
show();
