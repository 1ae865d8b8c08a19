// News come by themselves, soon, and disturb nothing.

import { ADA, GRACE, expect, SOON, test, type Page } from "../support/test";
import { alive, approve, card, decision, field, hold, list, reject, result, row } from "../support/inbox";

const LONG = Array.from({ length: 120 }, (_, line) => `Line ${line + 1} of the report.`).join("\n\n");

/** Counts loads from now on. */
function loadsOf(page: Page) {
  const loads = { count: 0 };
  page.on("framenavigated", () => (loads.count += 1));
  return loads;
}

test("a new card appears, and what is read stays where it is @hydrated @desk", async ({ page, agent, visit }) => {
  const first = await agent.propose({ preview: { format: "markdown", body: LONG }, editable: ["preview.body"] });
  await visit("/inbox");
  const loads = loadsOf(page);
  await expect(card(page, first.title)).toBeVisible();
  await page.getByText("Add a reason").click();
  const reason = page.getByLabel(/^Reason/);
  await reason.fill("Half a sent");
  const line = page.getByText("Line 60 of the report.", { exact: true });
  await line.scrollIntoViewIfNeeded();
  await reason.focus();
  const place = await line.boundingBox();

  const second = await agent.propose();
  await expect(row(page, second.title)).toBeVisible(SOON);
  await expect(card(page, first.title)).toBeVisible();
  await expect(reason).toBeFocused();
  expect(await line.boundingBox()).toEqual(place);
  await page.keyboard.type("ence");
  await expect(reason).toHaveValue("Half a sentence");
  await expect(page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: /Inbox/ })).toHaveText("Inbox 2");
  await expect(page).toHaveTitle(/^\(2\) Inbox/);
  expect(loads.count).toBe(0);
});

test("a card that somebody else decided goes from the list @hydrated @desk", async ({ page, agent, decider, visit }) => {
  const first = await agent.propose();
  const second = await agent.propose();
  await visit("/inbox");
  await expect(row(page, first.title)).toBeVisible();
  await row(page, second.title).focus();
  await decider.decide(first.id, "approve");
  await expect(row(page, first.title)).toHaveCount(0, SOON);
  await expect(row(page, second.title)).toBeFocused();
});

test("a card in sight says who decided @hydrated", async ({ page, agent, decider, visit }) => {
  const action = await agent.propose();
  await visit(`/inbox/${action.id}`);
  const loads = loadsOf(page);
  await decider.decide(action.id, "reject", { comment: "Too early." });
  await expect(decision(page)).toContainText("by Release gate", SOON);
  await expect(decision(page)).toContainText("Too early.");
  await expect(approve(page)).toHaveCount(0);
  expect(loads.count).toBe(0);
});

test("somebody else's decision takes nothing away from what was typed @hydrated", async ({ page, agent, decider, visit }) => {
  const action = await agent.propose({ editable: ["preview.body"] });
  await visit(`/inbox/${action.id}`);
  await page.getByText(/^Edit\s+1 value/).click();
  const body = field(page, "preview.body");
  await body.fill("My own words");
  await decider.decide(action.id, "approve");
  await expect(page.getByRole("alert")).toContainText("approved while you were working on it", SOON);
  await expect(body).toHaveValue("My own words");
  await expect(body).toBeFocused();
  await expect(approve(page)).toBeDisabled();
  await expect(reject(page)).toBeDisabled();
});

test("the result arrives on the card @hydrated", async ({ page, agent, decider, visit }) => {
  const action = await agent.propose();
  await decider.decide(action.id, "approve");
  await visit(`/inbox/${action.id}`);
  await expect(decision(page)).toContainText("Approved");
  await agent.report(action.id, "execute_failed", "The mailbox is full.");
  await expect(result(page)).toContainText("The mailbox is full.", SOON);
  await expect(result(page)).toContainText("Failed");
});

test.describe("with a server of its own", () => {
  test.use({ serverOf: "this test" });

  test("a card expires while it is looked at @hydrated @once", async ({ page, agent, server, visit, watch }) => {
    const action = await agent.propose({ expires_in: 300 });
    // The clock looks again a minute later, or when the server starts.
    await server.letTimePass(action.id, 290);
    await server.pause();
    await server.resume();
    await visit(`/inbox/${action.id}`);
    await expect(approve(page)).toBeEnabled();
    const left = 300_000 - 290_000;
    await expect(decision(page)).toContainText("Nobody decided within 5 min", { timeout: left + SOON.timeout });
    await expect(approve(page)).toHaveCount(0);
  });

  test("after a card expired the next one is one key away @hydrated @once", async ({ page, agent, server, visit }) => {
    const older = await agent.propose();
    const action = await agent.propose({ expires_in: 300 });
    const newer = await agent.propose();
    await server.letTimePass(action.id, 285);
    await server.letTimePass(older.id, 300);
    await server.pause();
    await server.resume();
    await visit(`/inbox?at=${action.id}`);
    await expect(approve(page)).toBeEnabled();
    const next = page.getByRole("link", { name: "Next", exact: true });
    await expect(next).toHaveCount(0);
    await expect(decision(page)).toContainText("Nobody decided within 5 min", { timeout: 15_000 + SOON.timeout });
    await expect(next).toBeInViewport();
    await expect(page.locator(".rows [aria-current]")).toHaveCount(0);
    await page.keyboard.press("j");
    await expect(page.getByRole("article", { name: older.title })).toBeVisible();
    await expect(page).toHaveURL(`/inbox?at=${older.id}`);
    await expect(next).toHaveCount(0);
    await page.keyboard.press("k");
    await expect(page.getByRole("article", { name: newer.title })).toBeVisible();
  });

  test("the page says when the server is away, and catches up @hydrated @once", async ({ page, agent, server, visit, watch }) => {
    watch.expect(/ERR_CONNECTION_REFUSED/, /ERR_INCOMPLETE_CHUNKED_ENCODING/, /ERR_EMPTY_RESPONSE/, /ERR_CONNECTION_RESET/);
    const action = await agent.propose({ editable: ["preview.body"] });
    await visit(`/inbox/${action.id}`);
    await page.getByText("Add a reason").click();
    const reason = page.getByLabel(/^Reason/);
    await reason.fill("Typed before it went away");

    await server.pause();
    await expect(page.getByText("The server is out of reach.")).toBeVisible();
    await approve(page).click();
    await expect(page.getByRole("alert")).toContainText("it is not known whether it heard this");
    await expect(reason).toHaveValue("Typed before it went away");

    await server.resume();
    await expect(page.getByText("The server is out of reach.")).toBeHidden({ timeout: 20_000 });
    await approve(page).click();
    await expect(decision(page)).toContainText("Typed before it went away");
    expect((await agent.read(action.id)).status).toBe("approved");
  });

  test("what happened while the server was away is caught up with @hydrated @once @desk", async ({ page, agent, decider, server, visit, watch }) => {
    watch.expect(/ERR_CONNECTION_REFUSED/, /ERR_INCOMPLETE_CHUNKED_ENCODING/, /ERR_EMPTY_RESPONSE/, /ERR_CONNECTION_RESET/);
    const first = await agent.propose();
    await visit("/inbox");
    await expect(row(page, first.title)).toBeVisible();
    await page.context().setOffline(true);
    await expect(page.getByText("The server is out of reach.")).toBeVisible();
    watch.expect(/ERR_INTERNET_DISCONNECTED/);
    await decider.decide(first.id, "approve");
    const second = await agent.propose();
    await page.context().setOffline(false);
    await expect(row(page, second.title)).toBeVisible();
    await expect(row(page, first.title)).toHaveCount(0);
  });
});

test("three tabs of a browser share one stream @hydrated @once", async ({ page, context, agent, visit, watch }) => {
  const tabs = [page, await context.newPage(), await context.newPage()];
  // Open is what was asked for and neither ended nor failed.
  const open = new Set<unknown>();
  context.on("request", (request) => void (new URL(request.url()).pathname === "/events" && open.add(request)));
  context.on("requestfinished", (request) => void open.delete(request));
  context.on("requestfailed", (request) => void open.delete(request));
  for (const tab of tabs) await visit("/inbox", tab);
  await expect.poll(() => open.size).toBe(1);

  const action = await agent.propose();
  for (const tab of tabs) await expect(row(tab, action.title)).toBeVisible(SOON);
  expect(open.size).toBe(1);

  // The tab that had it goes; the others go on.
  await tabs[2].close();
  await expect.poll(() => open.size).toBe(1);
  const another = await agent.propose();
  for (const tab of tabs.slice(0, 2)) await expect(row(tab, another.title)).toBeVisible(SOON);
});

test.describe("a link that breaks without a word", () => {
  /** Longer than a page waits for an answer, and shorter than it waits for news. */
  const PATIENCE_MS = 15_500;

  test("doesn't keep a card switched off @hydrated @desk", async ({ page, agent, visit }) => {
    const [second, first] = [await agent.propose(), await agent.propose()];
    await page.clock.install();
    await visit(`/inbox?at=${first.id}`);
    const asked = await hold(page, (url) => url.searchParams.get("at") === second.id);
    await row(page, second.title).click();
    await asked.until();
    await expect(page.locator("#card-pane[data-off]")).toHaveCount(1);
    await page.clock.fastForward(PATIENCE_MS);
    await expect(page.getByRole("alert")).toContainText("The card can't be loaded");
    await approve(page).click();
    await expect.poll(async () => (await agent.read(first.id)).status).toBe("approved");
  });

  test("doesn't keep news away @hydrated @desk", async ({ page, agent, visit }) => {
    const first = await agent.propose();
    await page.clock.install();
    await visit("/inbox");
    await expect(row(page, first.title)).toBeVisible();
    let isBroken = true;
    const asked = await hold(page, (url) => isBroken && url.pathname === "/inbox");
    const second = await agent.propose();
    await asked.until();
    isBroken = false;
    await page.clock.fastForward(PATIENCE_MS);
    const third = await agent.propose();
    for (const { title } of [second, third]) await expect(row(page, title)).toBeVisible();
  });

  test("leaves open whether a decision counted @hydrated", async ({ page, agent, visit }) => {
    const action = await agent.propose();
    await page.clock.install();
    await visit(`/inbox/${action.id}`);
    const sent = await hold(page, "**/rpc/decide_action");
    await approve(page).click();
    await sent.until();
    await expect(approve(page)).toBeDisabled();
    await page.clock.fastForward(PATIENCE_MS);
    await expect(page.getByRole("alert")).toContainText("it is not known whether it heard this");
    await expect(approve(page)).toBeEnabled();
  });

  test.describe("is noticed", () => {
    const SILENCE_MS = 46_000;
    const streams = (watch: { requests: string[] }) => watch.requests.filter((each) => each === "GET /events").length;
    /** The streams that a page opened. */
    interface Opened {
      opened: EventSource[];
    }

    test.beforeEach(async ({ page }) => {
      await page.clock.install();
      await page.addInitScript(() => {
        const opened: EventSource[] = [];
        Object.assign(window, { opened });
        window.EventSource = class extends EventSource {
          constructor(url: string) {
            super(url);
            opened.push(this);
          }
        };
      });
    });

    test("by its silence, which a sign of life ends @hydrated @once", async ({ page, agent, visit, watch }) => {
      await visit("/inbox");
      await page.clock.fastForward(SILENCE_MS / 2);
      await page.evaluate(() => (window as unknown as Opened).opened.at(-1)!.dispatchEvent(new MessageEvent("alive", { data: "1" })));
      await page.clock.fastForward(SILENCE_MS / 2 + 5_000);
      await alive(page);
      expect(streams(watch)).toBe(1);
      await page.clock.fastForward(SILENCE_MS);
      await expect.poll(() => streams(watch)).toBe(2);
      await alive(page);
      const action = await agent.propose();
      await expect(row(page, action.title)).toBeVisible();
    });

    test("as soon as a tab wakes up @hydrated @once", async ({ page, visit, watch }) => {
      await visit("/inbox");
      const wake = () => page.evaluate(() => void document.dispatchEvent(new Event("visibilitychange")));
      await wake();
      expect(streams(watch)).toBe(1);
      // Its timers sleep as well. Nothing comes through until the page has said so.
      const asked = await hold(page, "**/events");
      await page.clock.pauseAt(Date.now() + 1_000);
      await page.clock.setSystemTime(Date.now() + SILENCE_MS + 1_000);
      await wake();
      await asked.until();
      await expect(page.getByText("The server is out of reach.")).toBeVisible();
      asked.go();
      await alive(page);
      expect(streams(watch)).toBe(2);
    });
  });
});
