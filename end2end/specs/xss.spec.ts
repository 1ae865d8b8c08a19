// The corpus of attacks in every place where somebody else's text is shown, in a real browser.

import { readFileSync } from "node:fs";
import { ADA, expect, test, type Action, type Page } from "../support/test";
import type { Agent } from "../support/agent";
import { approve, card, confirmed, content, decision, field, reject } from "../support/inbox";

interface Vector {
  name: string;
  text: string;
}

const corpus: Vector[] = JSON.parse(readFileSync(new URL("../../tests/fixtures/xss.json", import.meta.url), "utf8"));
// PostgreSQL can't hold NUL, so the API refuses it.
const vectors = corpus.filter(({ text }) => !text.includes("\0"));
const BREAK_OUT = "</textarea><script>window.__xss=1</script>";
// As many in one body as fit one screen or two; markdown would let one swallow the next.
const PER_ACTION = 44;

const packs = Array.from({ length: Math.ceil(vectors.length / PER_ACTION) }, (_, pack) => vectors.slice(pack * PER_ACTION, (pack + 1) * PER_ACTION));

/** Nothing ran, nothing was loaded, nobody went anywhere; the rest is the watch's. */
async function expectHarmless(page: Page, path: string | RegExp) {
  await expect(page).toHaveURL(path);
  expect(await page.evaluate(() => (window as any).__xss)).toBeUndefined();
  const found = await page.evaluate(() => {
    // The head is ours: its scripts come from our files or carry the request's nonce, and nothing in it leads away.
    const head = [...document.querySelectorAll("head *, body > *")].filter((element) => {
      const isOurs = element instanceof HTMLScriptElement ? element.nonce !== "" || element.src.startsWith(location.origin) : true;
      const leadsAway = element.matches("base, iframe, object, embed, meta[http-equiv], style, img, svg, form");
      return !isOurs || leadsAway;
    });
    const main = document.querySelector("main")!;
    const bad = [...main.querySelectorAll("*")].filter((element) => {
      const isForeign = ["SCRIPT", "IFRAME", "OBJECT", "EMBED", "BASE", "META", "LINK", "STYLE", "IMG", "MATH", "VIDEO", "AUDIO", "TEMPLATE", "MARQUEE"].includes(element.tagName.toUpperCase());
      const acts = element.getAttributeNames().some((name) => name.startsWith("on") || name === "srcdoc" || name === "style");
      const address = element.getAttribute("href") ?? element.getAttribute("action") ?? element.getAttribute("formaction") ?? "";
      return isForeign || acts || /^\s*(javascript|data|vbscript):/i.test(address);
    });
    return [...head, ...bad].map((element) => element.outerHTML.slice(0, 160));
  });
  expect(found).toEqual([]);
}

/** Touches what an attack could hide behind: everything unfolded, pointed at and focused. */
async function provoke(page: Page) {
  await page.evaluate(() => {
    for (const fold of document.querySelectorAll("details")) fold.open = true;
    for (const element of document.querySelectorAll("main *")) {
      for (const kind of ["mouseover", "mouseenter", "focus", "pointerover", "animationstart", "toggle", "error", "load"]) {
        element.dispatchEvent(new Event(kind, { bubbles: kind === "mouseover" }));
      }
    }
  });
}

/** The vector as part of a body that other vectors share. */
const block = ({ text }: Vector, number: number) => `\n\nno. ${number}\n\n${text}\n\n`;

for (const format of ["markdown", "plain", "diff"] as const) {
  test(`in a ${format} body, a payload and an undo note @desk`, async ({ page, agent, visit }) => {
    for (const [number, pack] of packs.entries()) {
      const body =
        format === "diff"
          ? `--- a/x\n+++ b/x\n@@ -1,${pack.length} +1,${pack.length} @@\n` + pack.map(({ text }, at) => `${" +-"[at % 3]}${text}`).join("\n")
          : pack.map(block).join("");
      const action = await agent.propose({
        title: `${format} ${number}`,
        preview: { format, body },
        payload: { ...Object.fromEntries(pack.map(({ text }) => [text, text])), list: pack.map(({ text }) => text) },
        undo: pack.map(({ text }) => text).join("\n").slice(0, 2_000),
        editable: ["preview.body", "payload.list"],
      });
      await visit(`/inbox/${action.id}`);
      await provoke(page);
      await expectHarmless(page, `/inbox/${action.id}`);
      // Each can be read: exactly as it came, and whole.
      await expect(field(page, "preview.body")).toHaveValue(action.preview.body.replace(/\r\n?/g, "\n"));
      if (format === "plain") {
        const text = await content(page).innerText();
        for (let at = 0; at < pack.length; at++) expect(text).toContain(`no. ${at}`);
      }
      if (number === 0) {
        await visit("/inbox");
        await expectHarmless(page, "/inbox");
      }
    }
  });
}

test("each vector alone as markdown, where nothing can shield it from its neighbour @desk @once", async ({ page, agent, decider, visit }) => {
  test.setTimeout(240_000);
  const actions: Action[] = [];
  for (const vector of vectors) {
    actions.push(await agent.propose({ title: `alone: ${vector.name}`, kind: "xss.alone", preview: { format: "markdown", body: vector.text } }));
  }
  await visit(`/inbox/${actions[0].id}`);
  // The program in the page renders them one after the other, as it does for a person who goes through the list.
  for (const action of actions) {
    const html = await page.evaluate(async (id) => {
      const answer = await fetch("/rpc/load_card", { method: "POST", headers: { accept: "application/json", "content-type": "application/x-www-form-urlencoded" }, body: new URLSearchParams({ id }) });
      const card = await answer.json();
      const pane = document.createElement("div");
      document.querySelector("main")!.append(pane);
      pane.innerHTML = card.content.preview + (card.content.raw ?? "") + card.title_html;
      const all = pane.querySelectorAll("*").length;
      pane.scrollIntoView();
      return { all, text: pane.textContent };
    }, action.id);
    expect(html.all, action.title).toBeGreaterThan(0);
  }
  await provoke(page);
  await expectHarmless(page, `/inbox/${actions[0].id}`);
});

test("in a title, on the card, in the list and in the history @desk", async ({ page, agent, visit }) => {
  const oneLine = vectors.filter(({ text }) => !/[\n\r\v\f\u0085\u2028\u2029\0]/.test(text));
  expect(oneLine.length).toBeGreaterThan(200);
  // Titles are short; five of them in one.
  const titles: string[] = [];
  for (let at = 0; at < oneLine.length; at += 4) {
    const title = oneLine.slice(at, at + 4).map(({ text }) => text).join(" ");
    if ([...title].length <= 500) titles.push(title);
    else titles.push(...oneLine.slice(at, at + 4).map(({ text }) => text));
  }
  const actions: Action[] = [];
  for (const title of titles) actions.push(await agent.propose({ title, kind: title.slice(0, 60), editable: ["title"] }));
  for (const path of ["/inbox", "/history?event=action.created"]) {
    await visit(path);
    await provoke(page);
    await expectHarmless(page, path);
    const older = page.getByRole("link", { name: "Older" });
    if (await older.count()) {
      await older.click();
      await expect(page).toHaveURL(/cursor=/);
      await provoke(page);
      await expectHarmless(page, /cursor=/);
    }
  }
  // Where nothing invisible or foreign is made visible, the title reads as it was sent, on the card and on the tab.
  const plain = actions.filter(({ title }) => /^[\x20-\x7e]+$/.test(title));
  expect(plain.length).toBeGreaterThan(40);
  for (const action of plain.filter(({ title }, at) => at % 8 === 0 || /<\/title/i.test(title))) {
    await visit(`/inbox/${action.id}`);
    await expect(page.getByRole("heading", { level: 2 }).first()).toHaveText(action.title.trim().replace(/\s+/g, " "), { useInnerText: false });
    expect((await page.title()).replace(/\s+/g, " ")).toBe(`${action.title} · Impri`.replace(/\s+/g, " ").trim());
    await provoke(page);
    await expectHarmless(page, `/inbox/${action.id}`);
  }
});

test("in a reason and in an edited value", async ({ page, agent, visit, javaScriptEnabled }) => {
  for (const pack of packs.slice(0, 3)) {
    const edited = `${BREAK_OUT}\n${pack.map(({ text }) => text).join("\n")}`.replace(/[\f\v]/g, " ");
    const reason = `${BREAK_OUT}\n${pack.map(({ text }) => text).join("\n")}`.slice(0, 1_900);
    const action = await agent.propose({ preview: { format: "markdown", body: BREAK_OUT }, payload: { to: BREAK_OUT }, editable: ["preview.body", "payload.to", "title"] });
    await visit(`/inbox/${action.id}`);
    await page.getByText(/^Edit\s+3 values/).click();
    await expect(field(page, "preview.body")).toHaveValue(BREAK_OUT);
    await expect(field(page, "payload.to")).toHaveValue(BREAK_OUT);
    await field(page, "preview.body").fill(edited);
    await field(page, "payload.to").fill(`"><img src=x onerror=window.__xss=1>`);
    await field(page, "title").fill(`<img src=x onerror=window.__xss=1> </title><script>window.__xss=1</script>`);
    await page.getByText("Add a reason").click();
    await page.getByLabel(/^Reason/).fill(reason);
    await approve(page).click();
    await confirmed(page);
    await expect(decision(page)).toContainText("with 3 edits");
    await provoke(page);
    await expectHarmless(page, new RegExp(`/inbox/${action.id}`));
    expect((await agent.read(action.id)).preview.body).toBe(edited.replace(/\r\n?/g, "\n"));
    await page.goto(`/history?action=${action.id}`);
    await provoke(page);
    await expectHarmless(page, `/history?action=${action.id}`);
  }
});

test("in a result and in the address @desk", async ({ page, agent, decider, visit }) => {
  const action = await agent.propose();
  await decider.decide(action.id, "approve", { comment: BREAK_OUT });
  await agent.report(action.id, "executed", packs[0].map(({ text }) => text).join("\n").slice(0, 4_000), { [BREAK_OUT]: BREAK_OUT });
  await visit(`/inbox/${action.id}`);
  await provoke(page);
  await expectHarmless(page, `/inbox/${action.id}`);
  const attack = encodeURIComponent(`"><script>window.__xss=1</script>`);
  for (const path of [`/inbox/${action.id}?refused=${attack}&done=${attack}`, `/history?person=${attack}&event=${attack}&action=${attack}`, `/inbox/${action.id}?__path=%2Frpc%2Fdecide_action&__err=${attack}`]) {
    await page.goto(path);
    expect(await page.evaluate(() => (window as any).__xss)).toBeUndefined();
  }
});
