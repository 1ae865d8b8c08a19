// One's own account: name, password, sessions, and how the pages are.

import { ADA, GRACE, expect, test, type Page } from "../support/test";
import { expectNothingWider, look } from "../support/look";

test.use({ serverOf: "this test" });

const sessions = (page: Page) => page.getByRole("list", { name: "Sessions" });
const told = (page: Page, words: string) => page.getByRole("status").filter({ hasText: words });

async function changePassword(page: Page, current: string, next: string) {
  await page.getByLabel("Current password").fill(current);
  await page.getByLabel("New password").fill(next);
  await page.getByRole("button", { name: "Change password" }).click();
}

test("a name is changed", async ({ page, visit }) => {
  await visit("/inbox");
  await page.getByRole("button", { name: ADA.name }).click();
  await page.getByRole("link", { name: "Account" }).click();
  await expectNothingWider(page);
  await page.getByLabel("Name", { exact: true }).fill("Ada King");
  await page.getByRole("button", { name: "Save name" }).click();
  await expect(told(page, "Your name is saved")).toBeVisible();
  await expect(page.getByRole("button", { name: "Ada King" })).toBeVisible();
});

test("a new password signs out everywhere else", async ({ page, visit, windowOf }) => {
  const phone = await windowOf(ADA);
  await phone.goto("/inbox");
  await visit("/account");
  await changePassword(page, "not it at all", "an entirely new one");
  await expect(page.getByRole("alert")).toContainText("Your current password is not that one");
  await changePassword(page, ADA.password, "an entirely new one");
  await expect(told(page, "Your password is changed")).toBeVisible();
  await phone.goto("/inbox");
  await expect(phone).toHaveURL(/\/sign-in/);
  await phone.getByLabel("E-mail").fill(ADA.email);
  await phone.getByLabel("Password").fill("an entirely new one");
  await phone.getByRole("button", { name: "Sign in" }).click();
  await expect(phone).toHaveURL(/\/inbox/);
});

test("sessions are seen and signed out", async ({ page, visit, windowOf, watch }) => {
  watch.expect(/status 401/, /status of 401/);
  await visit("/account");
  await page.getByRole("button", { name: "Sign out everywhere else" }).click();
  await expect(sessions(page).getByRole("listitem")).toHaveCount(1);
  const phone = await windowOf(ADA);
  await phone.goto("/account");
  await expect(sessions(phone).getByRole("listitem").first()).toContainText("This browser");
  await visit("/account");
  await expect(sessions(page).getByRole("listitem")).toHaveCount(2);
  await sessions(page).getByRole("button", { name: /elsewhere$/ }).click();
  await expect(told(page, "That session is signed out")).toBeVisible();
  await expect(sessions(page).getByRole("listitem")).toHaveCount(1);
  await phone.goto("/account");
  await expect(phone).toHaveURL(/\/sign-in/);
});

test("a theme, a time zone and shortcuts are kept", async ({ page, visit, agent }) => {
  await page.emulateMedia({ colorScheme: "light" });
  await visit("/account");
  const paper = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  const light = await paper();
  await expect(page.locator("html")).toHaveAttribute("data-shortcuts", "on");
  await page.getByRole("radio", { name: "Dark" }).check();
  await page.getByLabel("Shortcuts in the inbox").uncheck();
  await page.getByLabel("Time zone").selectOption("Asia/Tokyo");
  await page.getByRole("button", { name: "Save preferences" }).click();
  await expect(told(page, "Your preferences are saved")).toBeVisible();
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  await expect(page.locator("html")).toHaveAttribute("data-shortcuts", "off");
  expect(await paper()).not.toBe(light);
  await expect(page.getByText(/It is now .* JST/)).toBeVisible();
  const action = await agent.propose();
  await page.goto(`/inbox/${action.id}`);
  await expect(page.locator(".card-head time").first()).toHaveAttribute("title", /JST$/);
});

test("what is being typed survives the news @hydrated", async ({ page, visit, agent }) => {
  await visit("/account");
  await page.getByLabel("Name", { exact: true }).fill("half a na");
  await page.getByLabel("Current password").fill("half a pass");
  await agent.propose();
  await expect(page.getByRole("link", { name: /^Inbox 1/ })).toBeVisible();
  await expect(page.getByLabel("Name", { exact: true })).toHaveValue("half a na");
  await expect(page.getByLabel("Current password")).toHaveValue("half a pass");
});

test("looks at every state @hydrated", async ({ page, visit, windowOf }) => {
  test.setTimeout(180_000);
  await (await windowOf(ADA)).goto("/inbox");
  await visit("/account");
  await look(page, "account");
  await changePassword(page, "not it at all", "an entirely new one");
  await expect(page.getByRole("alert")).toBeVisible();
  await look(page, "account-refused");
  await page.getByRole("button", { name: "Save preferences" }).click();
  await expect(told(page, "Your preferences are saved")).toBeVisible();
  await look(page, "account-saved");
  const grace = await windowOf(GRACE);
  await grace.goto("/account");
  await look(grace, "account-reviewer");
});
