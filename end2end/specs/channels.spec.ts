// Channels: made, tried, edited, paused, deleted; and a code that links a chat account.

import { GRACE, expect, test, type Page } from "../support/test";
import { expectNothingWider, look } from "../support/look";

test.use({ serverOf: "this test" });

const channel = (page: Page, name: string) =>
  page.getByRole("list", { name: "Channels" }).getByRole("listitem").filter({ has: page.getByRole("heading", { name }) });

test("a channel is made, tried, edited, paused and deleted", async ({ page, visit, server }) => {
  await visit("/inbox");
  await page.getByRole("button", { name: /Ada/ }).click();
  await page.getByRole("link", { name: "Channels" }).click();
  await expect(page.getByText("There is no channel yet")).toBeVisible();
  await expectNothingWider(page);
  await look(page, "channels-none");
  await page.getByRole("link", { name: "Webhook" }).click();
  await page.getByLabel("Name", { exact: true }).fill("hook");
  await page.getByLabel("Address", { exact: true }).fill(`${server.url}/nowhere`);
  await page.getByLabel("Signing secret").fill("a secret of sixteen");
  await page.getByRole("button", { name: "Make the channel" }).click();
  await expect(page.getByRole("status").filter({ hasText: "The channel is made" })).toBeVisible();
  const hook = channel(page, "hook");
  await expect(hook).toContainText("Not used yet");

  await hook.getByRole("button", { name: "Send a test to hook" }).click();
  await expect(channel(page, "hook")).toContainText("The test message was not taken");
  await expectNothingWider(page);

  await hook.getByText("Edit", { exact: false }).first().click();
  await expect(hook.getByText("It is ****teen now. Empty keeps it.")).toBeVisible();
  await look(page, "channels-edit");
  await hook.getByLabel("Kinds").fill("mail.*");
  await hook.getByRole("button", { name: "Save hook" }).click();
  await expect(channel(page, "hook")).toContainText("hears about mail.*");
  await channel(page, "hook").getByRole("button", { name: "Pause hook" }).click();
  await expect(channel(page, "hook")).toContainText("Paused");
  await look(page, "channels-paused");

  await channel(page, "hook").getByText("Delete", { exact: false }).first().click();
  await channel(page, "hook").getByRole("button", { name: "Delete hook" }).click();
  await expect(page.getByText("There is no channel yet")).toBeVisible();
});

test("setting up Telegram says what to do there, and a person links their account", async ({ page, visit }) => {
  await visit("/channels?new=telegram");
  await expect(page.getByText("write /newbot to @BotFather").first()).toBeVisible();
  await look(page, "channels-telegram");
  await expectNothingWider(page);
  await page.getByLabel("Name", { exact: true }).fill("ops");
  await page.getByLabel("Bot token").fill("not a token");
  await page.getByLabel("Chat", { exact: true }).fill("-100123");
  await page.getByRole("button", { name: "Make the channel" }).click();
  await expect(page.getByRole("alert")).toContainText("The bot token must be digits, a colon, and letters");
  await page.getByLabel("Name", { exact: true }).fill("ops");
  await page.getByLabel("Bot token").fill("12:AbC");
  await page.getByLabel("Chat", { exact: true }).fill("-100123");
  await page.getByRole("button", { name: "Make the channel" }).click();
  await expect(page.getByRole("status").filter({ hasText: "The channel is made" })).toBeVisible();

  await visit("/account");
  await page.getByRole("button", { name: "Link a Telegram account" }).click();
  const code = page.getByRole("region", { name: "Your code" });
  await expect(code).toContainText("/link ");
  await look(page, "account-link");
  await expectNothingWider(page);
  await page.goto("/account");
  await expect(page.getByRole("region", { name: "Your code" })).toHaveCount(0);
});

test("a reviewer is told whom to ask about channels", async ({ windowOf, watch }) => {
  watch.expect(/status 403/, /status of 403/);
  const grace = await windowOf(GRACE);
  await grace.goto("/channels");
  await expect(grace.getByRole("alert")).toContainText("Only an administrator can");
});

test("setting up Slack gives a manifest to paste, and a person links their account", async ({ page, visit }) => {
  await visit("/channels?new=slack");
  await expect(page.getByText("From a manifest").first()).toBeVisible();
  await expect(page.getByText("socket_mode_enabled: true")).toBeVisible();
  await look(page, "channels-slack");
  await expectNothingWider(page);
  await page.getByLabel("Name", { exact: true }).fill("ops");
  await page.getByLabel("Bot token").fill("12:AbC");
  await page.getByRole("button", { name: "Make the channel" }).click();
  await expect(page.getByRole("alert")).toContainText("The bot token begins with xoxb-");
  await page.getByLabel("Name", { exact: true }).fill("ops");
  await page.getByLabel("Bot token").fill("xoxb-1-a");
  await page.getByLabel("Channel ID").fill("C0123ABCD");
  await page.getByLabel("App-level token").fill("xapp-1-A0-2-c");
  await page.getByRole("button", { name: "Make the channel" }).click();
  await expect(page.getByRole("status").filter({ hasText: "The channel is made" })).toBeVisible();
  await visit("/account");
  await page.getByRole("button", { name: "Link a Slack account" }).click();
  await expect(page.getByRole("region", { name: "Your code" })).toContainText("Link my account");
});
