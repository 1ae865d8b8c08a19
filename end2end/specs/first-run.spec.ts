import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { ADA, expect, SOON, test } from "../support/test";
import { alive } from "../support/inbox";

const run = promisify(execFile);

test.use({ serverOf: "fresh" });

test("from the set-up link to the first card", async ({ page, server, javaScriptEnabled }) => {
  await page.goto("/inbox");
  await expect(page.getByRole("heading", { name: "Not set up yet" })).toBeVisible();

  await page.goto(server.setupLink());
  await page.getByLabel("Your name").fill(ADA.name);
  await page.getByLabel("E-mail").fill(ADA.email);
  await page.getByLabel("Password").fill(ADA.password);
  await page.getByLabel("Project").fill("Harbour");
  await page.getByRole("button", { name: "Create account and project" }).click();

  await expect(page).toHaveURL("/inbox");
  await expect(page.getByRole("heading", { name: "Let an agent ask you something" })).toBeVisible();
  const command = await page.locator("pre").innerText();
  expect(command).toContain(server.url);
  expect(command).toMatch(/im_[\w-]{43}/);

  if (javaScriptEnabled === false) {
    await run("bash", ["-c", command]);
    await page.reload();
  } else {
    await alive(page);
    let loads = 0;
    page.on("load", () => (loads += 1));
    await run("bash", ["-c", command]);
    await expect(page.getByRole("region", { name: "Waiting for a decision" }).getByRole("link")).toHaveCount(1, SOON);
    expect(loads).toBe(0);
  }
  await page.getByRole("region", { name: "Waiting for a decision" }).getByRole("link").click();
  await expect(page.getByRole("article").getByRole("heading", { level: 2 })).toContainText("Sarah");
});

test("a set-up link works once @once", async ({ page, server, windowOf, watch }) => {
  const link = server.setupLink();
  const other = await windowOf(null);
  await other.goto(link);
  for (const [label, value] of [["Your name", ADA.name], ["E-mail", ADA.email], ["Password", ADA.password]]) {
    await page.goto(link);
    await other.getByLabel(label).fill(value);
  }
  await other.getByRole("button", { name: "Create account and project" }).click();
  await expect(other).toHaveURL("/inbox");

  watch.expect(/status 410/, /status of 410/);
  await page.getByLabel("Your name").fill("Mallory");
  await page.getByLabel("E-mail").fill("mallory@example.org");
  await page.getByLabel("Password").fill("a password of mine");
  await page.getByRole("button", { name: "Create account and project" }).click();
  await expect(page.getByRole("alert")).toContainText("The first account exists");

  await page.goto(link);
  await expect(page.getByRole("alert")).toContainText("The first account exists");
  await expect(page.getByRole("button", { name: "Create account and project" })).toHaveCount(0);
  await expect(page.getByRole("link", { name: "History" })).toHaveCount(0);
});
