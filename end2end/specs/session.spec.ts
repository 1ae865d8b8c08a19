import { ADA, GRACE, expect, test } from "../support/test";
import { alive, card, decision } from "../support/inbox";

test.use({ person: null });

test("signing in leads to the page that was asked for", async ({ page, agent, watch, javaScriptEnabled }) => {
  const action = await agent.propose();
  await page.goto(new URL(action.inbox_url).pathname);
  await expect(page).toHaveURL(/\/sign-in\?next=/);
  await page.getByLabel("E-mail").fill(ADA.email);
  await page.getByLabel("Password").fill(ADA.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page).toHaveURL(`/inbox/${action.id}`);
  await expect(card(page, action.title)).toBeVisible();

  await page.reload();
  await expect(card(page, action.title)).toBeVisible();
  if (javaScriptEnabled !== false) await alive(page);

  // The stream of a session that is over ends, and whatever page is still there finds out by reading anew.
  watch.expect(/status 401: POST \S+\/rpc\/load_card/, /status of 401 \(Unauthorized\) \(\S+\/rpc\/load_card\)/);
  await page.getByRole("button", { name: ADA.name }).click();
  await page.getByRole("button", { name: "Sign out" }).click();
  await expect(page).toHaveURL(/\/sign-in/);
  await page.goto("/inbox");
  await expect(page).toHaveURL(/\/sign-in\?next=/);
});

test("a wrong password and a wrong address are told the same", async ({ page }) => {
  const tell = async (email: string, password: string) => {
    await page.goto("/sign-in?next=%2Fhistory");
    await page.getByLabel("E-mail").fill(email);
    await page.getByLabel("Password").fill(password);
    await page.getByRole("button", { name: "Sign in" }).click();
    await expect(page.getByRole("alert")).toBeVisible();
    return page.getByRole("alert").innerText();
  };
  const wrong = await tell(GRACE.email, "not her password");
  expect(wrong).toContain("E-mail or password is wrong.");
  expect(await tell("nobody@example.org", "not her password")).toBe(wrong);

  // The way back is not lost by a mistake.
  await page.getByLabel("E-mail").fill(GRACE.email);
  await page.getByLabel("Password").fill(GRACE.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page).toHaveURL("/history");
});

test("signing in leads nowhere else", async ({ page }) => {
  await page.goto("/sign-in?next=%2F%2Fevil.example%2Finbox");
  await page.getByLabel("E-mail").fill(ADA.email);
  await page.getByLabel("Password").fill(ADA.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page).toHaveURL("/inbox");
});

test("after the session ended a decision is refused and keeps what was typed @hydrated", async ({ page, agent, visit, windowOf, server, watch, context }) => {
  const action = await agent.propose({ editable: ["preview.body"] });
  await context.addCookies([{ name: "impri_session", value: await server.signIn(GRACE), domain: "127.0.0.1", path: "/" }]);
  await visit(`/inbox/${action.id}`);
  await page.getByText("Add a reason").click();
  await page.getByLabel(/^Reason/).fill("I looked at it twice.");
  await context.clearCookies();
  watch.expect(/status 401/, /status of 401/);
  await page.getByRole("button", { name: "Approve" }).click();
  await expect(page.getByRole("alert")).toContainText("You are signed out");
  await expect(page.getByLabel(/^Reason/)).toHaveValue("I looked at it twice.");
  expect((await agent.read(action.id)).status).toBe("pending");
  await expect(decision(page)).toHaveCount(0);
});
