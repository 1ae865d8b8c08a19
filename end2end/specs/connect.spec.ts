import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { ADA, GRACE, SOON, expect, test, type Page } from "../support/test";
import { Agent } from "../support/agent";
import { approve, card, decision, reject } from "../support/inbox";
import { look } from "../support/look";

const run = promisify(execFile);

const host = (page: Page, name: string) => page.getByRole("region", { name });

async function makeKey(page: Page, name: string): Promise<string> {
  await page.getByLabel("Name of the agent").fill(name);
  await page.getByRole("button", { name: "Make a key" }).click();
  const made = page.getByRole("status").filter({ hasText: `The key of ${name}` });
  await expect(made).toBeVisible();
  return (await made.locator("code").innerText()).trim();
}

test("from the menu to an agent that has proposed something", async ({ page, server, visit }) => {
  await visit("/inbox");
  await page.getByRole("button", { name: ADA.name }).click();
  await page.getByRole("link", { name: "Connect an agent" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Connect an agent");
  const curl = host(page, "Anything that speaks HTTP").locator("code").first();
  expect(await curl.innerText()).toContain("im_…");

  const key = await makeKey(page, "Night shift");
  expect(key).toMatch(/^im_[\w-]{43}$/);
  for (const name of ["Claude Code", "Claude Desktop", "Cursor", "Codex"]) {
    const first = host(page, name).locator("code").first();
    await expect(first).toContainText(key);
    await expect(first).toContainText(server.url);
  }

  const { stdout } = await run("bash", ["-c", await curl.innerText()]);
  const action = JSON.parse(stdout);
  await visit(`/inbox/${action.id}`);
  await expect(card(page)).toContainText("Night shift");
  // Other tests count what waits.
  await reject(page).click();
  await expect(decision(page)).toContainText("Rejected");
});

test("a key is shown once, and what happens elsewhere does not take it away", async ({ page, agent, visit, javaScriptEnabled }) => {
  await visit("/connect");
  const key = await makeKey(page, "Once only");
  if (javaScriptEnabled !== false) {
    const count = page.locator(".nav .count");
    const before = await count.innerText();
    await agent.propose();
    await expect(count).not.toHaveText(before);
    await expect(page.getByText(key).first()).toBeVisible();
  }
  await page.reload();
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await expect(page.getByText(key)).toHaveCount(0);
});

test("each button copies its own text @hydrated", async ({ page, context, visit }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await visit("/connect");
  for (const name of ["Claude Desktop", "Codex"]) {
    await host(page, name).getByRole("button", { name: "Copy" }).click();
    await expect(host(page, name).getByRole("button", { name: "Copied" })).toBeVisible();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toBe(await host(page, name).locator("code").evaluate((code) => code.textContent));
  }
});

test("without scripts there is nothing to press that does nothing @plain", async ({ page, visit }) => {
  await visit("/connect");
  await expect(page.getByRole("button", { name: "Copy" })).toHaveCount(0);
});

test("who is no admin sees how, and makes no key", async ({ windowOf }) => {
  const page = await windowOf(GRACE);
  await page.goto("/connect");
  await expect(host(page, "Claude Code")).toBeVisible();
  await expect(page.getByRole("button", { name: "Make a key" })).toHaveCount(0);
  await expect(page.getByText("Only an admin makes keys.")).toBeVisible();
});

test("nothing is wider than the screen", async ({ page, visit }) => {
  await visit("/connect");
  await makeKey(page, "a name without a place to break it ".repeat(2).trim().replaceAll(" ", "_"));
  const { scrollWidth, clientWidth } = await page.evaluate(() => document.documentElement);
  expect(scrollWidth).toBe(clientWidth);
});

test("the line turns green when the new agent's first action is there", async ({ page, server, visit, javaScriptEnabled }) => {
  await visit("/connect");
  const key = await makeKey(page, "Green line");
  const line = page.getByRole("region", { name: "Try it" }).getByRole("status");
  await expect(line).toHaveText("Waiting for the first action of Green line. This line turns green when it is there.");
  const action = await new Agent(server.url, key).propose({ title: "Say hello" });
  if (javaScriptEnabled === false) await page.reload();
  await expect(line).toContainText("It works. Say hello came from Green line", SOON);
  if (javaScriptEnabled !== false) await expect(page.getByText(key).first()).toBeVisible();
  await line.getByRole("link", { name: "Say hello" }).click();
  await expect(page).toHaveURL(`/inbox/${action.id}`);
  await reject(page).click();
  await expect(decision(page)).toContainText("Rejected");
});

test("a test action shows what a reviewer will see", async ({ page, visit }) => {
  await visit("/connect");
  await page.getByRole("button", { name: "Send a test action" }).click();
  await expect(card(page)).toContainText("A test: approve, edit or reject it");
  await expect(card(page)).toContainText("Nothing happens when you approve it");
  await look(page, "test-action");
  await approve(page).click();
  await expect(decision(page)).toContainText("Approved");
});
