/* The page in a real browser against the real daemon over a small index; errors are played by answering single requests in its place. */
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

const env = process.env;
const { chromium } = createRequire(join(env.WIKISEARCH_NODE_MODULES, "x.js"))("playwright-core");
const shots = env.WIKISEARCH_SHOTS;

const XSS = "<img src=x onerror=\"window.hacked=1\"><script>window.hacked=1</script>";
const articles = [
  { id: 1, title: "대한민국", text: "대한민국은 동아시아의 나라이다. 대한민국의 역사는 길다.\n\n둘째 문단이다.", categories: ["나라"], lang: "ko" },
  { id: 2, title: "History", text: "History is the study of the past. World history is wide.", categories: [], lang: "en" },
  { id: 3, title: XSS, text: `Markup ${XSS} in a text`, categories: [XSS], lang: "en" },
  ...Array.from({ length: 25 }, (_, i) => ({ id: 100 + i, title: `도시 ${i}`, text: `도시 ${i}는 나라에 있다.`, categories: [], lang: "ko" })),
];

/* --- the daemon --- */

const work = mkdtempSync(join(tmpdir(), "wikisearch-web-"));
function importArticles() {
  const file = join(work, "articles.jsonl");
  writeFileSync(file, articles.map((a) => JSON.stringify({ ...a, source: "test" })).join("\n") + "\n");
  const done = spawnSync(env.WIKISEARCH_BIN, ["import", "-i", join(work, "index"), file], { encoding: "utf8" });
  if (done.status !== 0) throw new Error(`import failed: ${done.stderr}`);
}

function startDaemon() {
  const daemon = spawn(env.WIKISEARCHD_BIN, ["--index", join(work, "index"), "--listen", "127.0.0.1:0"], { stdio: ["ignore", "ignore", "pipe"] });
  return new Promise((resolve, reject) => {
    let text = "";
    daemon.stderr.on("data", (chunk) => {
      text += chunk;
      const found = /listening on (http:\/\/\S+)/.exec(text);
      if (found) resolve({ daemon, url: found[1] });
    });
    daemon.on("exit", (code) => reject(new Error(`wikisearchd ended with ${code}: ${text}`)));
  });
}

/* --- checks --- */

const results = { passed: 0, failed: 0 };

function check(condition, message) {
  if (!condition) throw new Error(message);
}

async function until(what, condition, ms = 10000) {
  const end = Date.now() + ms;
  while (Date.now() < end) {
    if (await condition()) return;
    await new Promise((r) => setTimeout(r, 25));
  }
  throw new Error(`never: ${what}`);
}

const text = (page, selector) => page.locator(selector).allTextContents();
const status = (page) => page.locator("#status").textContent();

async function search(page, q) {
  await page.fill("#q", q);
  await page.press("#q", "Enter");
}

async function shot(page, name) {
  if (!shots) return;
  mkdirSync(shots, { recursive: true });
  await page.screenshot({ path: join(shots, `${name}.png`) });
}

/* Plays the server for requests that match; returns a function that stops it. */
async function play(page, pattern, answer) {
  await page.route(pattern, answer);
  return () => page.unroute(pattern, answer);
}

const problem = (code, detail, headers = {}) => (route) => route.fulfill({
  status: code, headers: { "Content-Type": "application/problem+json", ...headers }, body: JSON.stringify({ title: "x", status: code, code: "x", detail }),
});

/* --- what a person does --- */

const scenarios = {
  async "start page lists the latest articles"(page, url) {
    await page.goto(url);
    await until("articles", async () => (await text(page, "li h2")).length === 10);
    check((await text(page, "li h2"))[0] === "도시 24", "the newest comes first");
  },
  async "search shows highlighted results, total and cost"(page, url) {
    await page.goto(url);
    await search(page, "대한민국 역사");
    await until("result", async () => (await text(page, "li h2"))[0] === "대한민국");
    const marks = await text(page, "li:first-child p mark");
    check(marks.includes("대한민국") && marks.includes("역사"), `marks: ${marks}`);
    check(/결과 \d+건/.test(await status(page)), await status(page));
    check(/ms/.test(await page.locator("#cost").textContent()), "no cost");
    await shot(page, "results");
  },
  async "language filter narrows and stays in the address"(page, url) {
    await page.goto(`${url}/?q=나라`);
    await until("results", async () => (await text(page, "li")).length === 10);
    await page.locator("#langs label", { hasText: "English" }).click();
    await until("none", async () => /문서가 없습니다/.test(await status(page)));
    check(page.url().includes("lang=en"), page.url());
  },
  async "no result is said in words"(page, url) {
    await page.goto(url);
    await search(page, "qqqqqq");
    await until("words", async () => /‘qqqqqq’에 대한 문서가 없습니다/.test(await status(page)));
    check((await text(page, "li")).length === 0, "there are results");
  },
  async "garbage and half-typed Hangul are answered"(page, url) {
    await page.goto(url);
    for (const q of ["!!! \"\" -", "대ㅎ", "\"", "-나라", "a".repeat(1000)]) {
      await search(page, q);
      await until(q, async () => (await status(page)) !== "" && !/오류|연결/.test(await status(page)));
    }
  },
  async "paging by buttons and back by history"(page, url) {
    await page.goto(`${url}/?q=나라`);
    await until("first page", async () => (await text(page, "li h2")).length === 10);
    const first = await text(page, "li h2");
    await page.click("#next");
    await until("second page", async () => (await text(page, "#page"))[0].startsWith("2 / ") && (await text(page, "li h2"))[0] !== first[0]);
    await page.goBack();
    await until("first again", async () => (await text(page, "li h2"))[0] === first[0]);
    check(await page.locator("#prev").isDisabled(), "there is nothing before the first page");
  },
  async "a document opens, escape goes back"(page, url) {
    await page.goto(`${url}/?q=동아시아`);
    await page.locator("li a", { hasText: "대한민국" }).click();
    await until("article", async () => (await text(page, "article h1"))[0] === "대한민국");
    check((await text(page, "article > p")).includes("둘째 문단이다."), "paragraphs");
    check(page.url().includes("doc=1"), page.url());
    await page.keyboard.press("Escape");
    await until("results", async () => (await text(page, "li h2"))[0] === "대한민국");
  },
  async "keyboard alone"(page, url) {
    await page.goto(`${url}/?q=history`);
    await until("result", async () => (await text(page, "li")).length === 1);
    await page.locator("#q").blur();
    await page.keyboard.press("/");
    check(await page.evaluate(() => document.activeElement.id) === "q", "/ goes to the box");
    for (let i = 0; i < 8 && !(await page.evaluate(() => Boolean(document.activeElement.closest("li")))); i++) await page.keyboard.press("Tab");
    check(await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle) !== "none", "the focus is not visible");
    await page.keyboard.press("Enter");
    await until("article", async () => (await text(page, "article h1"))[0] === "History");
  },
  async "Enter while a syllable is composed does not submit"(page, url) {
    await page.goto(url);
    await until("start", async () => (await text(page, "li")).length === 10);
    let searches = 0;
    page.on("request", (r) => { if (r.url().includes("/v1/search")) searches++; });
    const cdp = await page.context().newCDPSession(page);
    await page.focus("#q");
    await cdp.send("Input.imeSetComposition", { text: "역사", selectionStart: 2, selectionEnd: 2 });
    await cdp.send("Input.dispatchKeyEvent", { type: "rawKeyDown", key: "Enter", code: "Enter", windowsVirtualKeyCode: 229 });
    await cdp.send("Input.dispatchKeyEvent", { type: "keyUp", key: "Enter", code: "Enter", windowsVirtualKeyCode: 229 });
    check(searches === 0 && !page.url().includes("q="), "it was submitted");
    await cdp.send("Input.insertText", { text: "역사" });
    await page.keyboard.press("Enter");
    await until("result", async () => (await text(page, "li h2"))[0] === "대한민국");
    check(searches === 1, `${searches} searches`);
  },
  async "markup in titles, texts and queries stays text"(page, url) {
    await page.goto(`${url}/?q=${encodeURIComponent(`markup ${XSS}`)}`);
    await until("result", async () => (await text(page, "li h2"))[0] === XSS);
    await page.locator("li a").first().click();
    await until("article", async () => (await text(page, "article h1"))[0] === XSS);
    check(await page.evaluate(() => window.hacked) === undefined, "a script ran");
  },
  async "the newest query wins over a slow older one"(page, url) {
    await page.goto(url);
    const stop = await play(page, "**/v1/search?q=history*", async (route) => {
      await new Promise((r) => setTimeout(r, 700));
      await route.continue().catch(() => {});
    });
    await search(page, "history");
    await search(page, "동아시아");
    await until("second", async () => (await text(page, "li h2"))[0] === "대한민국");
    await page.waitForTimeout(1000);
    check((await text(page, "li h2"))[0] === "대한민국", "the older answer was drawn");
    await stop();
  },
  async "a refused search, a failed server and no network are said in words"(page, url) {
    await page.goto(url);
    let stop = await play(page, "**/v1/search*", problem(400, "the filter ends too early"));
    await search(page, "a");
    await until("400", async () => (await status(page)).includes("the filter ends too early"));
    await stop();
    stop = await play(page, "**/v1/search*", problem(500, "x"));
    await search(page, "b");
    await until("500", async () => /서버 오류/.test(await status(page)));
    await stop();
    stop = await play(page, "**/v1/search*", (route) => route.abort());
    await search(page, "c");
    await until("network", async () => /연결할 수 없습니다/.test(await status(page)));
    await stop();
  },
  async "a busy server is asked again when it says so"(page, url) {
    await page.goto(url);
    const stop = await play(page, "**/v1/search*", problem(503, "x", { "Retry-After": "1" }));
    await search(page, "history");
    await until("busy", async () => /서버가 바쁩니다/.test(await status(page)));
    await stop();
    await until("answer", async () => (await text(page, "li h2"))[0] === "History");
  },
  async "phone width needs no sideways scrolling"(page, url) {
    await page.setViewportSize({ width: 360, height: 700 });
    await page.goto(`${url}/?q=나라`);
    await until("results", async () => (await text(page, "li")).length === 10);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    check(wide <= 360, `${wide} pixels wide`);
    await shot(page, "phone");
  },
  async "text has contrast in light and in dark"(page, url) {
    for (const scheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme: scheme });
      await page.goto(`${url}/?q=history`);
      await until("result", async () => (await text(page, "li mark")).length > 0);
      const poor = await page.evaluate(poorContrast);
      check(poor.length === 0, `${scheme}: ${poor.join("; ")}`);
      await shot(page, scheme);
    }
  },
};

/* Runs in the page: elements whose text has less than 4.5 : 1 against what is behind it (WCAG 2.1, contrast ratio). */
function poorContrast() {
  const parse = (c) => c.match(/[\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((v) => v / 255).map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (e) => {
    for (; e; e = e.parentElement) {
      const c = parse(getComputedStyle(e).backgroundColor);
      if (c.length < 4 || c[3] > 0) return c;
    }
    return [255, 255, 255];
  };
  return [...document.querySelectorAll("a, p, h2, mark, span, input[type=search]")].filter((e) => e.textContent.trim() && e.offsetParent && !e.closest(".skip, .hidden")).flatMap((e) => {
    const [a, b] = [light(parse(getComputedStyle(e).color)), light(behind(e))].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    return ratio < 4.5 ? [`${e.tagName} "${e.textContent.slice(0, 20)}" ${ratio.toFixed(2)}`] : [];
  });
}

/* --- running --- */

async function runScenario(browser, url, name, scenario) {
  const context = await browser.newContext({ locale: "ko-KR" });
  const page = await context.newPage();
  const outside = [], errors = [];
  page.on("request", (r) => { if (!r.url().startsWith(url) && !r.url().startsWith("data:")) outside.push(r.url()); });
  page.on("pageerror", (e) => errors.push(e.message));
  try {
    await scenario(page, url);
    check(outside.length === 0, `requests to elsewhere: ${outside}`);
    check(errors.length === 0, `errors in the page: ${errors}`);
    results.passed++;
  } catch (error) {
    results.failed++;
    console.log(`FAILED ${name}: ${error.message}`);
    await shot(page, `failed-${results.failed}`);
  }
  await context.close();
}

importArticles();
const { daemon, url } = await startDaemon();
const browser = await chromium.launch({
  executablePath: env.WIKISEARCH_CHROMIUM || "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});
for (const [name, scenario] of Object.entries(scenarios)) await runScenario(browser, url, name, scenario);
await browser.close();
daemon.removeAllListeners("exit");
daemon.kill("SIGTERM");
await new Promise((resolve) => daemon.on("exit", resolve));
rmSync(work, { recursive: true, force: true });
console.log(`${results.passed} passed, ${results.failed} failed`);
process.exit(results.failed ? 1 : 0);
