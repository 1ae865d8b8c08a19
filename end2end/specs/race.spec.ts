// Two of anything never make two decisions.

import { ADA, GRACE, expect, test, type Page } from "../support/test";
import { alive, approve, card, decision, hold, list, reject, row } from "../support/inbox";

test("two people at once: one decides, the other is told who @hydrated", async ({ page, agent, visit, windowOf, watch }) => {
  const action = await agent.propose();
  const hers = await windowOf(GRACE);
  await visit(`/inbox/${action.id}`);
  await visit(`/inbox/${action.id}`, hers);
  watch.expect(/status 409/, /status of 409/);
  await Promise.all([approve(page).click(), reject(hers).click()]);
  await expect.poll(async () => (await agent.read(action.id)).status).not.toBe("pending");
  const { status, decision: made } = await agent.read(action.id);
  for (const each of [page, hers]) {
    await expect(decision(each)).toContainText(`by ${made?.decided_by.name}`);
    await expect(decision(each)).toContainText(status === "approved" ? "Approved" : "Rejected");
  }
  await page.goto(`/history?action=${action.id}&event=decisions`);
  await expect(page.locator("tr[data-event]")).toHaveCount(1);
});


test("the second of two windows is told who decided", async ({ page, agent, visit, windowOf, watch, javaScriptEnabled }) => {
  const action = await agent.propose();
  // Without scripts a page stays as it was loaded, which is the hard case for everybody.
  const stale = await windowOf(GRACE, { javaScriptEnabled: false });
  await stale.goto(`/inbox/${action.id}`);
  await visit(`/inbox/${action.id}`);
  await approve(page).click();
  await expect(decision(page)).toContainText(`by ${ADA.name}`);
  await reject(stale).click();
  await expect(stale.getByRole("alert")).toContainText("already decided");
  await expect(decision(stale)).toContainText("Approved");
  await expect(decision(stale)).toContainText(`by ${ADA.name}`);
  expect((await agent.read(action.id)).status).toBe("approved");
});

test("a double click makes one decision", async ({ page, agent, visit, watch, javaScriptEnabled }) => {
  const action = await agent.propose();
  const next = await agent.propose();
  await visit(`/inbox?at=${action.id}`);
  await expect(card(page, action.title)).toBeVisible();
  await approve(page).dblclick();
  if (javaScriptEnabled === false) await expect(page).toHaveURL(new RegExp(`/inbox/${action.id}`));
  else await expect(card(page, next.title)).toBeVisible();
  await page.waitForLoadState("networkidle").catch(() => undefined);
  expect((await agent.read(action.id)).status).toBe("approved");
  expect((await agent.read(next.id)).status).toBe("pending");
  if (javaScriptEnabled !== false) expect(watch.requests.filter((each) => each === "POST /rpc/decide_action")).toHaveLength(1);
});

test("an impatient hand doesn't decide the next card @hydrated @desk", async ({ page, agent, visit }) => {
  const last = await agent.propose();
  const first = await agent.propose();
  await visit("/inbox");
  // Before that a click leads to the decided card, by a plain form.
  await alive(page);
  await expect(card(page, first.title)).toBeVisible();
  const box = (await approve(page).boundingBox())!;
  // A double click of a slow hand: half a second apart.
  for (let click = 0; click < 6; click++) {
    await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    await page.waitForTimeout(80);
  }
  expect((await agent.read(first.id)).status).toBe("approved");
  expect((await agent.read(last.id)).status).toBe("pending");
  // And then it can be decided, wherever the last clicks led while the server was slow.
  await visit(`/inbox?at=${last.id}`);
  await alive(page);
  await expect(card(page, last.title)).toBeVisible();
  await approve(page).click();
  await expect.poll(async () => (await agent.read(last.id)).status).toBe("approved");
});

test("content that changed under a page is not approved", async ({ page, agent, visit, watch, javaScriptEnabled }) => {
  const action = await agent.propose();
  await visit(`/inbox/${action.id}`);
  await page.locator("input[name=seen]").evaluate((input: HTMLInputElement) => (input.value = "0".repeat(64)));
  if (javaScriptEnabled !== false) watch.expect(/status 409/, /status of 409/);
  await approve(page).click();
  await expect(page.getByRole("alert")).toContainText("not what this page showed");
  expect((await agent.read(action.id)).status).toBe("pending");
});

test.describe("who went on before the answer came", () => {
  const DECIDE = "**/rpc/decide_action";
  const alert = (page: Page) => page.getByRole("alert");
  /** The card that was there keeps this; one that comes does not have it. */
  const leaveMark = (page: Page) => card(page).evaluate((card) => card.setAttribute("data-mark", ""));

  test("is told what failed, until they look at that card @hydrated @desk", async ({ page, agent, visit, watch }) => {
    watch.expect(/ERR_CONNECTION_REFUSED/);
    const [third, second, first] = [await agent.propose(), await agent.propose(), await agent.propose()];
    await visit(`/inbox?at=${first.id}`);
    await alive(page);
    const sent = await hold(page, DECIDE);
    await approve(page).click();
    await sent.until();
    await row(page, second.title).click();
    await expect(card(page, second.title)).toBeVisible();
    await leaveMark(page);
    sent.go((route) => route.abort("connectionrefused"));
    await expect(alert(page)).toContainText(`${first.title}: The server can't be reached, so it is not known`);
    await expect(card(page, second.title)).toHaveAttribute("data-mark", "");
    await expect(approve(page)).toBeEnabled();

    // Who is quick has not read it yet.
    await row(page, third.title).click();
    await expect(card(page, third.title)).toBeVisible();
    await expect(alert(page)).toContainText(first.title);
    await alert(page).getByRole("link", { name: first.title }).click();
    await expect(card(page, first.title)).toBeVisible();
    await expect(alert(page)).toContainText(first.title);
    await row(page, second.title).click();
    await expect(card(page, second.title)).toBeVisible();
    await expect(alert(page)).toHaveCount(0);
    for (const each of [first, second, third]) expect((await agent.read(each.id)).status).toBe("pending");
  });

  test("is told that somebody else decided, beside a card that stays @hydrated @desk", async ({ page, agent, decider, visit, watch }) => {
    watch.expect(/status 409/, /status of 409/);
    const [second, first] = [await agent.propose(), await agent.propose()];
    await visit(`/inbox?at=${first.id}`);
    await alive(page);
    const sent = await hold(page, DECIDE);
    await approve(page).click();
    await sent.until();
    await row(page, second.title).click();
    await expect(card(page, second.title)).toBeVisible();
    await leaveMark(page);
    await decider.decide(first.id, "reject");
    sent.go();
    await expect(alert(page)).toContainText(`${first.title}: This was already decided.`);
    await expect(row(page, first.title)).toHaveCount(0);
    await expect(card(page, second.title)).toHaveAttribute("data-mark", "");
    expect(watch.requests.filter((each) => each === "POST /rpc/decide_action")).toHaveLength(1);
  });

  test("stays where they went when it is decided @hydrated @desk", async ({ page, agent, visit }) => {
    const [third, second, first] = [await agent.propose(), await agent.propose(), await agent.propose()];
    await visit(`/inbox?at=${first.id}`);
    await alive(page);
    const sent = await hold(page, DECIDE);
    await approve(page).click();
    await sent.until();
    await row(page, third.title).click();
    await expect(card(page, third.title)).toBeVisible();
    await leaveMark(page);
    sent.go();
    await expect(page.locator("#outcome").getByRole("link", { name: first.title })).toBeVisible();
    await expect(row(page, first.title)).toHaveCount(0);
    await expect(card(page, third.title)).toHaveAttribute("data-mark", "");
    await expect(page).toHaveURL(new RegExp(`at=${third.id}`));
    await expect(approve(page)).toBeEnabled();
    expect((await agent.read(first.id)).status).toBe("approved");
    for (const each of [second, third]) expect((await agent.read(each.id)).status).toBe("pending");
  });

  test("is told when the next card is there @hydrated @desk", async ({ page, agent, visit, watch }) => {
    watch.expect(/ERR_CONNECTION_REFUSED/);
    const [second, first] = [await agent.propose(), await agent.propose()];
    await visit(`/inbox?at=${first.id}`);
    await alive(page);
    const sent = await hold(page, DECIDE);
    await approve(page).click();
    await sent.until();
    const next = await hold(page, (url) => url.searchParams.get("at") === second.id);
    await row(page, second.title).click();
    await next.until();
    const failed = page.waitForEvent("requestfailed", (request) => request.url().includes("decide_action"));
    sent.go((route) => route.abort("connectionrefused"));
    await failed;
    next.go();
    await expect(card(page, second.title)).toBeVisible();
    await expect(alert(page)).toContainText(first.title);
  });

  test("is told in the list of a phone @hydrated @phone", async ({ page, agent, visit, watch }) => {
    watch.expect(/ERR_CONNECTION_REFUSED/);
    const [second, first] = [await agent.propose(), await agent.propose()];
    await visit(`/inbox?at=${first.id}`);
    await alive(page);
    const sent = await hold(page, DECIDE);
    await approve(page).tap();
    await sent.until();
    await page.locator("a.back").tap();
    await expect(row(page, second.title)).toBeVisible();
    sent.go((route) => route.abort("connectionrefused"));
    await expect(list(page).getByRole("alert")).toContainText(first.title);
    await list(page).getByRole("alert").getByRole("link", { name: first.title }).tap();
    await expect(card(page, first.title)).toBeVisible();
    // The phone kept the card behind the list, and its own form says it.
    await expect(alert(page)).toContainText("it is not known whether it heard this");
    await page.locator("a.back").tap();
    await expect(row(page, second.title)).toBeVisible();
    await expect(alert(page)).toHaveCount(0);
  });
});
