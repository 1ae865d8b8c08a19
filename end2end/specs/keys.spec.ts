// Keys: made, shown once, copied, used, revoked.

import { GRACE, expect, test, type Page } from "../support/test";
import { Agent } from "../support/agent";
import { expectNothingWider, look } from "../support/look";

test.use({ serverOf: "this test" });

const keys = (page: Page) => page.getByRole("list", { name: "Keys", exact: true });
const key = (page: Page, name: string) => keys(page).getByRole("listitem").filter({ has: page.getByRole("heading", { name }) });

async function make(page: Page, name: string, ...more: string[]): Promise<string> {
  await page.getByLabel("Name", { exact: true }).fill(name);
  for (const scope of more) await page.getByLabel(scope, { exact: true }).check();
  await page.getByRole("button", { name: "Make a key" }).click();
  const secret = page.getByRole("region", { name: `The key of ${name}` });
  await expect(secret).toContainText("shown this once");
  return (await secret.locator("code").innerText()).trim();
}

test("a key is made, shown once, used and revoked", async ({ page, visit, server, javaScriptEnabled, context }) => {
  await visit("/inbox");
  await page.getByRole("button", { name: /Ada/ }).click();
  await page.getByRole("link", { name: "Keys" }).click();
  await expect(page.getByRole("heading", { name: "Keys", exact: true, level: 1 })).toBeVisible();
  await expectNothingWider(page);
  await page.getByLabel("Lasts").selectOption("30 days");
  const secret = await make(page, "deploy-bot");
  expect(secret).toMatch(/^im_[\w-]{43}$/);
  await expectNothingWider(page);
  if (javaScriptEnabled !== false) {
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.getByRole("button", { name: "Copy" }).click();
    await expect(page.getByRole("button", { name: "Copied" })).toBeVisible();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(secret);
  } else {
    await expect(page.getByRole("button", { name: "Copy" })).toBeHidden();
  }

  const agent = new Agent(server.url, secret);
  await agent.propose();
  const bot = key(page, "deploy-bot");
  // The use of a key is written down behind its request.
  await expect(async () => {
    await page.goto("/keys");
    await expect(bot).toContainText("last used", { timeout: 500 });
  }).toPass();
  await expect(page.getByText(secret)).toHaveCount(0);
  await expect(bot).toContainText(secret.slice(0, 16));
  await expect(bot).toContainText("1 waiting");
  await expect(bot).toContainText(/expires in (29|30) d/);

  await expect(bot.getByRole("button", { name: "Revoke deploy-bot" })).toBeHidden();
  await bot.getByText("Revoke", { exact: false }).first().click();
  await expect(bot).toContainText("Its one waiting action stays in the inbox");
  await bot.getByRole("button", { name: "Revoke deploy-bot" }).click();
  await expect(page.getByRole("status").filter({ hasText: "The key is revoked" })).toBeVisible();
  await expect(key(page, "deploy-bot")).toHaveCount(0);
  await expect(agent.propose()).rejects.toThrow(/401/);
  await page.getByText("Revoked and expired keys").click();
  await expect(page.getByRole("list", { name: "Revoked and expired keys" })).toContainText("deploy-bot");
});

test("a key that may do nothing is not made", async ({ page, visit }) => {
  await visit("/keys");
  await page.getByLabel("Name", { exact: true }).fill("idle");
  await page.getByLabel("actions", { exact: true }).uncheck();
  await page.getByRole("button", { name: "Make a key" }).click();
  await expect(page.getByRole("alert")).toContainText("A key may do at least one thing");
  await expect(key(page, "idle")).toHaveCount(0);
});

test("a reviewer is told whom to ask", async ({ windowOf, watch }) => {
  watch.expect(/status 403/, /status of 403/);
  const grace = await windowOf(GRACE);
  for (const path of ["/keys", "/people"]) {
    await grace.goto(path);
    await expect(grace.getByRole("alert")).toContainText("Only an administrator can");
    await expect(grace.getByRole("alert")).toContainText("Ask Ada Lovelace");
    await expectNothingWider(grace);
  }
  await grace.getByRole("link", { name: "See your role" }).click();
  await expect(grace.getByRole("main")).toContainText("Reviewer in Harbour");
});

test("looks at every state @hydrated", async ({ page, visit, windowOf, watch, server }) => {
  test.setTimeout(180_000);
  await visit("/keys");
  await look(page, "keys-none");
  const agent = new Agent(server.url, await make(page, "Support assistant"));
  for (let number = 0; number < 3; number++) await agent.propose();
  await look(page, "keys-fresh");
  await page.getByLabel("Lasts").selectOption("90 days");
  await make(page, "Release gate", "decide");
  await make(page, "Nightly export of the history for the auditors in the other building", "audit");
  await make(page, "old-bot");
  await page.goto("/keys");
  await key(page, "old-bot").getByText("Revoke").first().click();
  await look(page, "keys-revoke");
  await key(page, "old-bot").getByRole("button", { name: "Revoke old-bot" }).click();
  await page.getByText("Revoked and expired keys").click();
  await look(page, "keys-revoked");
  await page.goto("/keys?refused=bad-scopes");
  await look(page, "keys-refused");
  watch.expect(/status 403/, /status of 403/);
  const grace = await windowOf(GRACE);
  await grace.goto("/keys");
  await look(grace, "forbidden");
});
