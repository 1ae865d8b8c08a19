// What was typed and not sent: it survives a reload in this tab, and is gone with the decision and the session.

import { ADA, GRACE, expect, test, type Page } from "../support/test";
import { approve, card, confirmed, decision, field, row } from "../support/inbox";

const kept = (page: Page) => page.evaluate(() => Object.keys(sessionStorage).filter((name) => name.startsWith("impri-draft")).length);

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
    const other = await page.context().newPage();
    for (const each of [page, other]) {
      await visit(`/inbox/${action.id}`, each);
      await each.getByText(/^Edit\s+1 value/).click();
      await field(each, "preview.body").fill("Between us");
      expect(await kept(each)).toBe(1);
    }
    await page.getByRole("button", { name: "Ada" }).click();
    await page.getByRole("button", { name: "Sign out" }).click();
    await expect(page).toHaveURL(/\/sign-in/);
    await expect.poll(() => kept(page)).toBe(0);
    await expect.poll(() => kept(other)).toBe(0);
  });

  test("this browser's own line in the account is a way out, too @hydrated @desk", async ({ page, agent, visit }) => {
    const action = await agent.propose({ editable: ["preview.body"] });
    await visit(`/inbox/${action.id}`);
    await page.getByText(/^Edit\s+1 value/).click();
    await field(page, "preview.body").fill("Between us");
    await visit("/account");
    expect(await kept(page)).toBe(1);
    await page.getByRole("button", { name: /^Sign out: .*, this browser/ }).click();
    await expect(page).toHaveURL(/\/sign-in/);
    expect(await kept(page)).toBe(0);
  });

  test("a reload while the database is away takes nothing @hydrated @desk @once", async ({ page, agent, server, visit, watch }) => {
    watch.expect(/status 503/, /status of 503/, /status 401/, /status of 401/, /ERR_INCOMPLETE_CHUNKED_ENCODING/);
    const action = await agent.propose({ editable: ["preview.body"] });
    await visit(`/inbox/${action.id}`);
    await page.getByText(/^Edit\s+1 value/).click();
    await field(page, "preview.body").fill("Half an hour of work");
    await server.allowDatabase(false);
    await page.reload();
    await expect(page.locator("main")).toContainText("can't reach its database");
    await expect(page.locator("html[data-who]")).toHaveCount(0);
    await alivened(page);
    expect(await kept(page)).toBe(1);
    await server.allowDatabase(true);
    await visit(`/inbox/${action.id}`);
    await expect(field(page, "preview.body")).toHaveValue("Half an hour of work");
  });
});

/** Waits for the program of a page that hears no news. */
const alivened = (page: Page) => page.waitForFunction(() => performance.getEntriesByType("resource").some(({ name }) => name.includes(".wasm"))).then(() => page.waitForLoadState("networkidle"));

async function signIn(page: Page, person: typeof ADA) {
  await page.getByLabel("E-mail").fill(person.email);
  await page.getByLabel("Password").fill(person.password);
  await page.getByRole("button", { name: "Sign in" }).click();
}

test("a session that ran out takes nothing from who comes back, and shows nothing to anybody else @hydrated @desk", async ({ page, context, agent, visit, watch }) => {
  watch.expect(/status 401/, /status of 401/);
  const action = await agent.propose({ editable: ["preview.body"] });
  await visit(`/inbox/${action.id}`);
  await page.getByText(/^Edit\s+1 value/).click();
  await field(page, "preview.body").fill("Between us");
  await context.clearCookies();
  await page.reload();
  await expect(page).toHaveURL(/\/sign-in\?next=/);
  await alivened(page);
  expect(await kept(page)).toBe(1);
  await signIn(page, ADA);
  await expect(card(page, action.title)).toBeVisible();
  await expect(field(page, "preview.body")).toHaveValue("Between us");
  await expect(approve(page)).toHaveText("Approve with 1 edit");

  await context.clearCookies();
  await page.reload();
  await signIn(page, GRACE);
  await expect(card(page, action.title)).toBeVisible();
  await expect.poll(() => kept(page)).toBe(0);
  await expect(field(page, "preview.body")).toHaveValue(action.preview.body);
  await expect(approve(page)).toHaveText("Approve");
});
