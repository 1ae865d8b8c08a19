// A form that is refused comes back with what was typed, and the focus is where it is wrong. With a script and without.

import { ADA, expect, test } from "../support/test";
import { approve, field } from "../support/inbox";
import { expectNothingWider, look } from "../support/look";

test.describe("in the settings", () => {
  test.use({ serverOf: "this test" });

  test("a channel keeps what was typed", async ({ page, visit }) => {
    await visit("/channels?new=telegram");
    await page.getByLabel("Name", { exact: true }).fill("ops");
    await page.getByLabel("Bot token").fill("not a token");
    await page.getByLabel("Chat", { exact: true }).fill("-100123");
    await page.getByLabel("Kinds").fill("mail.*, deploy");
    await page.getByLabel("Burst").fill("90");
    await page.getByRole("button", { name: "Make the channel" }).click();

    const token = page.getByLabel("Bot token");
    await expect(token).toBeFocused();
    await expect(token).toBeInViewport();
    await expect(page.getByText("Put it in again")).toBeInViewport();
    await expect(token).toHaveValue("");
    await expect(token).toHaveAttribute("aria-invalid", "true");
    await expect(token).toHaveAccessibleDescription(/digits, a colon, and letters.*Put it in again/);
    for (const [label, value] of [["Name", "ops"], ["Chat", "-100123"], ["Kinds", "mail.*, deploy"], ["Burst", "90"]]) {
      await expect(page.getByLabel(label, { exact: true })).toHaveValue(value);
    }
    await look(page, "channels-refused");
    await expectNothingWider(page);
    await token.fill("12:AbC");
    await page.getByRole("button", { name: "Make the channel" }).click();
    await expect(page.getByRole("status").filter({ hasText: "The channel is made" })).toBeVisible();

    const ops = page.getByRole("list", { name: "Channels" }).getByRole("listitem");
    if (page.viewportSize()!.width < 500) {
      const targets = [ops.getByRole("button", { name: "Send a test" }), ops.getByRole("button", { name: "Pause" }), ops.getByText("Edit"), ops.getByText("Delete", { exact: false }).first()];
      for (const target of targets) expect((await target.boundingBox())!.height).toBeGreaterThanOrEqual(44);
    }
    await ops.getByText("Edit").click();
    await ops.getByLabel("Kinds").fill("deploy");
    await ops.getByLabel("Burst").fill("5");
    await ops.getByRole("button", { name: "Save ops" }).click();
    await expect(ops.getByLabel("Burst")).toBeFocused();
    await expect(ops.getByLabel("Kinds")).toHaveValue("deploy");
    await look(page, "channels-edit-refused");
  });

  test("a key and an invitation keep what was typed", async ({ page, visit }) => {
    await visit("/keys");
    await page.getByLabel("Name").fill("janitor");
    await page.getByLabel("actions").uncheck();
    await page.getByLabel("Lasts").selectOption("30");
    await page.getByRole("button", { name: "Make a key" }).click();
    await expect(page.getByLabel("actions")).toBeFocused();
    await expect(page.getByLabel("Name")).toHaveValue("janitor");
    await expect(page.getByLabel("Lasts")).toHaveValue("30");
    await look(page, "keys-refused");

    await visit("/people");
    await page.getByRole("radio", { name: "Viewer", exact: true }).check();
    await page.getByLabel("E-mail (optional)").fill(ADA.email);
    await page.getByRole("button", { name: "Make a link" }).click();
    await expect(page.getByLabel("E-mail (optional)")).toBeFocused();
    await expect(page.getByLabel("E-mail (optional)")).toHaveValue(ADA.email);
    await expect(page.getByRole("radio", { name: "Viewer", exact: true })).toBeChecked();
    await look(page, "people-refused");
  });

  test("every settings page is looked at @hydrated", async ({ page, visit, server }) => {
    test.setTimeout(180_000);
    await visit("/channels?new=webhook");
    await page.getByLabel("Name", { exact: true }).fill("hook");
    await page.getByLabel("Address", { exact: true }).fill(`${server.url}/nowhere`);
    await page.getByRole("button", { name: "Make the channel" }).click();
    for (const path of ["people", "keys", "account", "channels", "docs"]) {
      await visit(`/${path}`);
      await look(page, `page-${path}`);
      await expectNothingWider(page);
    }
  });
});

test("a wrong password leaves the address where it is", async ({ windowOf }) => {
  const stranger = await windowOf(null);
  await stranger.goto("/sign-in?next=/history");
  await stranger.getByLabel("E-mail").fill(ADA.email);
  await stranger.getByLabel("Password").fill("not her password");
  await stranger.getByRole("button", { name: "Sign in" }).click();
  await expect(stranger.getByRole("alert")).toContainText("E-mail or password is wrong");
  await expect(stranger.getByLabel("E-mail")).toHaveValue(ADA.email);
  await expect(stranger.getByLabel("Password")).toBeFocused();
  await look(stranger, "sign-in-again");
  await stranger.getByLabel("Password").fill(ADA.password);
  await stranger.keyboard.press("Enter");
  await expect(stranger).toHaveURL("/history");
});

test("from the second look back to the card, with what was typed @plain", async ({ page, agent, visit }) => {
  const action = await agent.propose({ title: "Refund order A-2", payload: { amount: 129 }, editable: ["preview.body", "payload.amount"] });
  await visit(`/inbox/${action.id}`);
  await page.getByText(/^Edit\s+2 values/).click();
  await field(page, "payload.amount").fill("99");
  await approve(page).click();
  await expect(page).toHaveURL(`/inbox/${action.id}/sure`);
  await page.getByRole("button", { name: "Change something" }).click();
  await expect(page).toHaveURL(`/inbox/${action.id}`);
  await expect(field(page, "payload.amount")).toHaveValue("99");
  expect((await agent.read(action.id)).status).toBe("pending");
  await field(page, "payload.amount").fill("98");
  await approve(page).click();
  await page.getByRole("button", { name: "Yes, approve with 1 edit" }).click();
  await expect.poll(async () => (await agent.read(action.id)).payload).toEqual({ amount: 98 });
});

test("a page that comes alive with what was typed still knows what was proposed @hydrated", async ({ page, agent, visit }) => {
  const action = await agent.propose({ payload: { amount: 129 }, editable: ["payload.amount"] });
  await visit(`/inbox/${action.id}`);
  await page.getByText(/^Edit\s+1 value/).click();
  await field(page, "payload.amount").fill("99");
  // As the browser sends it by itself.
  await page.locator("#decide").evaluate((form: HTMLFormElement) => {
    form.insertAdjacentHTML("beforeend", '<input type="hidden" name="verdict" value="approve">');
    form.submit();
  });
  await page.getByRole("button", { name: "Change something" }).click();
  await expect(page).toHaveURL(`/inbox/${action.id}`);
  await expect(field(page, "payload.amount")).toHaveValue("99");
  await expect(page.getByRole("button", { name: "Approve with 1 edit" })).toBeVisible();
  await expect(page.locator(".change-live")).toContainText("129");
  await look(page, "card-again");
  await field(page, "payload.amount").fill("129");
  await expect(page.getByRole("button", { name: "Approve", exact: true })).toBeVisible();
});

test("what is too long to come back is said to be lost @hydrated", async ({ page, agent, visit, watch }) => {
  watch.expect(/status 413/, /status of 413/);
  const action = await agent.propose({ payload: { amount: 129 }, editable: ["payload.amount"] });
  await visit(`/inbox/${action.id}`);
  await page.getByText(/^Edit\s+1 value/).click();
  await field(page, "payload.amount").fill("99");
  await page.locator("#decide").evaluate((form: HTMLFormElement) => {
    form.insertAdjacentHTML("beforeend", '<input type="hidden" name="verdict" value="approve">');
    form.submit();
  });
  await page.locator("input[name=comment]").evaluate((reason: HTMLInputElement) => (reason.value = "x".repeat(5_000_000)));
  await page.getByRole("button", { name: "Change something" }).click();
  await expect(page).toHaveURL(`/inbox/${action.id}`);
  await expect(page.getByRole("alert")).toContainText("longer than the 2 MiB");
  // What this tab kept by itself is there all the same.
  await expect(field(page, "payload.amount")).toHaveValue("99");
  expect((await agent.read(action.id)).status).toBe("pending");
  await look(page, "card-lost");
});
