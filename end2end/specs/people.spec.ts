// People: invited by a link, given roles, disabled; and what becomes of their open pages.

import { ADA, GRACE, SOON, expect, test, type Page } from "../support/test";
import { alive, approve, card } from "../support/inbox";
import { expectNothingWider, look } from "../support/look";

test.use({ serverOf: "this test" });

const MARGARET = { name: "Margaret Hamilton", email: "margaret@example.org", password: "priority display 1202" };

const everybody = (page: Page) => page.getByRole("list", { name: "People" });
const person = (page: Page, name: string) => everybody(page).getByRole("listitem").filter({ has: page.getByRole("heading", { name }) });

async function invite(page: Page, role: string): Promise<string> {
  await page.getByRole("radio", { name: role, exact: true }).check();
  await page.getByRole("button", { name: "Make a link" }).click();
  const secret = page.getByRole("region", { name: /^A link for one/ });
  await expect(secret).toContainText("shown this once");
  return (await secret.locator("code").innerText()).trim();
}

async function fillIn(page: Page, who: typeof MARGARET) {
  await page.getByLabel("Your name").fill(who.name);
  await page.getByLabel("E-mail").fill(who.email);
  await page.getByLabel("Password").fill(who.password);
  await page.getByRole("button", { name: "Make the account" }).click();
}

async function setRole(page: Page, name: string, role: RegExp) {
  await page.goto("/people");
  await person(page, name).getByText("Change role or disable").click();
  const roles = page.getByLabel(`Role of ${name}`);
  const label = await roles.getByRole("option").filter({ hasText: role }).innerText();
  await roles.selectOption(label);
  await person(page, name).getByRole("button", { name: "Save role" }).click();
  await expect(page.getByRole("status").filter({ hasText: "The role is changed" })).toBeVisible();
}

test("somebody is invited, joins, and the link is used up", async ({ page, visit, windowOf, watch, server }) => {
  await visit("/inbox");
  await page.getByRole("button", { name: ADA.name }).click();
  await page.getByRole("link", { name: "People" }).click();
  await expectNothingWider(page);
  const link = await invite(page, "Viewer");
  expect(link).toContain(`${server.url}/join?token=`);
  await expectNothingWider(page);
  await expect(page.getByRole("list", { name: "Open invitations" })).toContainText("as viewer");
  await page.goto("/people");
  await expect(page.getByText(link)).toHaveCount(0);

  const other = await windowOf(null);
  await other.goto(link);
  await expect(other.getByRole("heading", { name: "Join Harbour" })).toBeVisible();
  await expect(other.getByRole("main")).toContainText("Ada Lovelace invites you as viewer");
  await expectNothingWider(other);
  await fillIn(other, { ...MARGARET, email: GRACE.email });
  await expect(other.getByRole("alert")).toContainText("There is an account with that e-mail address already");
  await fillIn(other, MARGARET);
  await expect(other).toHaveURL("/inbox");
  await expect(other.getByRole("button", { name: MARGARET.name })).toBeVisible();

  watch.expect(/status 410/, /status of 410/);
  const late = await windowOf(null);
  await late.goto(link);
  await expect(late.getByRole("alert")).toContainText("Ask whoever sent it for a new link");
  await page.reload();
  await expect(page.getByText("No link waits to be used.")).toBeVisible();
  await expect(person(page, MARGARET.name)).toContainText("Viewer");
  await page.goto("/history?event=person.joined");
  await expect(page.getByRole("table")).toContainText("as viewer, invited by Ada Lovelace");
});

test("an invitation is withdrawn", async ({ page, visit, windowOf, watch }) => {
  await visit("/people");
  const link = await invite(page, "Reviewer");
  await page.getByRole("button", { name: "Withdraw the invitation for Whoever has the link as reviewer" }).click();
  await expect(page.getByRole("status").filter({ hasText: "The invitation is withdrawn" })).toBeVisible();
  watch.expect(/status 410/, /status of 410/);
  const other = await windowOf(null);
  await other.goto(link);
  await expect(other.getByRole("heading", { name: "This invitation is closed" })).toBeVisible();
});

test("a lost role takes the buttons away, and a disabled account is out", async ({ page, agent, windowOf, watch, javaScriptEnabled }) => {
  const action = await agent.propose();
  const grace = await windowOf(GRACE);
  await grace.goto(`/inbox/${action.id}`);
  await expect(approve(grace)).toBeVisible();
  const isAlive = javaScriptEnabled !== false;
  if (isAlive) await alive(grace);

  await setRole(page, GRACE.name, /^Viewer/);
  if (!isAlive) await grace.reload();
  await expect(approve(grace)).toHaveCount(0, isAlive ? SOON : {});
  await expect(card(grace, action.title)).toBeVisible();
  await expect(grace.getByText("Your role is viewer, so somebody else decides it.")).toBeVisible();
  await expectNothingWider(grace);

  watch.expect(/status 401/, /status of 401/);
  await person(page, GRACE.name).getByText("Change role or disable").click();
  await person(page, GRACE.name).getByRole("button", { name: `Disable ${GRACE.name}` }).click();
  await expect(person(page, GRACE.name)).toContainText("disabled");
  if (!isAlive) await grace.reload();
  await expect(grace).toHaveURL(/\/sign-in/, {});
  await grace.getByLabel("E-mail").fill(GRACE.email);
  await grace.getByLabel("Password").fill(GRACE.password);
  await grace.getByRole("button", { name: "Sign in" }).click();
  await expect(grace.getByRole("alert")).toContainText("E-mail or password is wrong.");

  await person(page, GRACE.name).getByRole("button", { name: `Enable ${GRACE.name}` }).click();
  await grace.getByLabel("E-mail").fill(GRACE.email);
  await grace.getByLabel("Password").fill(GRACE.password);
  await grace.getByRole("button", { name: "Sign in" }).click();
  await expect(grace).toHaveURL(/\/inbox/);
  expect((await agent.read(action.id)).status).toBe("pending");
});

test("nobody finds a way to lock themselves out", async ({ page, visit }) => {
  await visit("/people");
  await expect(person(page, ADA.name)).toContainText("You");
  await expect(person(page, ADA.name).getByRole("button")).toHaveCount(0);
});

test("looks at every state @hydrated", async ({ page, visit, windowOf, watch, agent }) => {
  test.setTimeout(180_000);
  const action = await agent.propose();
  await visit("/people");
  await look(page, "people");
  await page.getByLabel("E-mail (optional)").fill(MARGARET.email);
  const link = await invite(page, "Reviewer");
  await look(page, "people-invited");
  const other = await windowOf(null);
  await other.goto(link);
  await look(other, "join");
  await other.getByLabel("Your name").fill("  ");
  await other.getByLabel("Password").fill(MARGARET.password);
  await other.getByRole("button", { name: "Make the account" }).click();
  await expect(other.getByRole("alert")).toBeVisible();
  await look(other, "join-refused");
  await other.getByLabel("Your name").fill(MARGARET.name);
  await other.getByLabel("Password").fill(MARGARET.password);
  await other.getByRole("button", { name: "Make the account" }).click();
  await expect(other).toHaveURL("/inbox");
  watch.expect(/status 410/, /status of 410/);
  await other.goto(link);
  await look(other, "join-closed");

  await setRole(page, GRACE.name, /^Viewer/);
  await look(page, "people-changed");
  const grace = await windowOf(GRACE);
  await grace.goto(`/inbox?at=${action.id}`);
  await look(grace, "card-viewer");
  await person(page, MARGARET.name).getByText("Change role or disable").click();
  await look(page, "people-change");
  watch.expect(/status 401/, /status of 401/);
  await person(page, MARGARET.name).getByRole("button", { name: `Disable ${MARGARET.name}` }).click();
  await expect(person(page, MARGARET.name)).toContainText("disabled");
  await look(page, "people-disabled");
  await page.getByRole("button", { name: ADA.name }).first().click();
  await look(page, "person-menu-admin");
});
