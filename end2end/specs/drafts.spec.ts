// What was typed and not sent: it survives a reload in this tab, and is gone with the decision and the session.

import { expect, test } from "../support/test";
import { approve, card, confirmed, decision, field, row } from "../support/inbox";

const kept = (page: import("../support/test").Page) => page.evaluate(() => Object.keys(sessionStorage).filter((name) => name.startsWith("impri-draft")).length);

test("edits and a reason survive a reload and a look at another card @hydrated @desk", async ({ page, agent, visit }) => {
  const other = await agent.propose();
  const action = await agent.propose({ payload: { amount: 12, notify: true }, editable: ["preview.body", "payload.amount", "payload.notify"] });
  await visit(`/inbox?at=${action.id}`);
  await page.getByText(/^Edit\s+3 values/).click();
  await field(page, "preview.body").fill("My own\nwords");
  await field(page, "payload.notify").selectOption("false");
  await page.getByText("Add a reason").click();
  await page.getByLabel(/^Reason/).fill("Because.");
  await page.reload();
  await expect(approve(page)).toHaveText("Approve with 2 edits");
  await expect(field(page, "preview.body")).toHaveValue("My own\nwords");
  await expect(field(page, "payload.notify")).toHaveValue("false");
  await expect(field(page, "payload.amount")).toHaveValue("12");
  await expect(page.getByLabel(/^Reason/)).toHaveValue("Because.");

  await row(page, other.title).click();
  await expect(card(page, other.title)).toBeVisible();
  await expect(approve(page)).toHaveText("Approve");
  await row(page, action.title).click();
  await expect(approve(page)).toHaveText("Approve with 2 edits");
  await approve(page).click();
  await confirmed(page);
  await expect.poll(async () => (await agent.read(action.id)).status).toBe("approved");
  await expect.poll(() => kept(page)).toBe(0);
  expect((await agent.read(action.id)).payload).toMatchObject({ amount: 12, notify: false });
});

test("leaving is asked about while something is unsent @hydrated @desk", async ({ page, agent, visit }) => {
  const action = await agent.propose({ editable: ["preview.body"] });
  await visit(`/inbox/${action.id}`);
  const asked: string[] = [];
  page.on("dialog", (dialog) => void asked.push(dialog.type()));
  await page.getByText(/^Edit\s+1 value/).click();
  await field(page, "preview.body").pressSequentially("x");
  await page.goto("/history");
  expect(asked).toEqual(["beforeunload"]);
  await visit(`/inbox/${action.id}`);
  await expect(approve(page)).toHaveText("Approve with 1 edit");
  await field(page, "preview.body").fill(action.preview.body);
  await expect(approve(page)).toHaveText("Approve");
  await page.goto("/history");
  expect(asked).toEqual(["beforeunload"]);
});

test.describe("when the session ends", () => {
  test.use({ serverOf: "this test" });
  test("nothing typed is left in the browser @hydrated @desk", async ({ page, agent, visit }) => {
    const action = await agent.propose({ editable: ["preview.body"] });
    await visit(`/inbox/${action.id}`);
    await page.getByText(/^Edit\s+1 value/).click();
    await field(page, "preview.body").fill("Between us");
    expect(await kept(page)).toBe(1);
    await page.getByRole("button", { name: "Ada" }).click();
    await page.getByRole("button", { name: "Sign out" }).click();
    await expect(page).toHaveURL(/\/sign-in/);
    await expect.poll(() => kept(page)).toBe(0);
  });
});
