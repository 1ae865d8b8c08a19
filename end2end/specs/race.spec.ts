// Two of anything never make two decisions.

import { ADA, GRACE, expect, test } from "../support/test";
import { approve, card, decision, reject } from "../support/inbox";

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
  await expect(card(page, first.title)).toBeVisible();
  const box = (await approve(page).boundingBox())!;
  // A double click of a slow hand: half a second apart.
  for (let click = 0; click < 6; click++) {
    await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    await page.waitForTimeout(80);
  }
  await expect(card(page, last.title)).toBeVisible();
  expect((await agent.read(first.id)).status).toBe("approved");
  expect((await agent.read(last.id)).status).toBe("pending");
  // And then it can be decided.
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
