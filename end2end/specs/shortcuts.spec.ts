// Single keys: through the inbox and to a decision without a pointer.

import { expect, test, type Page } from "../support/test";
import { card, confirm, field, row } from "../support/inbox";
import { look } from "../support/look";

const sheet = (page: Page) => page.getByRole("dialog", { name: "Keyboard shortcuts" });

test("three cards are decided with keys alone @hydrated @desk", async ({ page, agent, visit }) => {
  const plain = await agent.propose();
  const once = await agent.propose({ idempotent: false });
  const edited = await agent.propose({ editable: ["preview.body"] });
  await visit(`/inbox?at=${edited.id}`);
  await page.keyboard.press("j");
  await expect(card(page, once.title)).toBeVisible();
  await page.keyboard.press("j");
  await expect(card(page, plain.title)).toBeVisible();
  await page.keyboard.press("k");
  await expect(card(page, once.title)).toBeVisible();
  await page.keyboard.press("k");
  await expect(card(page, edited.title)).toBeVisible();
  await expect(page.locator("[data-off]")).toHaveCount(0);

  await page.keyboard.press("e");
  await expect(field(page, "preview.body")).toBeFocused();
  await page.keyboard.press("Control+A");
  await page.keyboard.type("arjkx? typed, not meant");
  await page.keyboard.press("Escape");
  await page.keyboard.press("a");
  await expect(confirm(page)).toContainText("typed, not meant");
  await page.keyboard.press("Enter");
  await expect.poll(async () => (await agent.read(edited.id)).status).toBe("approved");
  expect((await agent.read(edited.id)).preview.body).toBe("arjkx? typed, not meant");

  await expect(card(page, once.title)).toBeVisible();
  await expect(page.locator("[data-off]")).toHaveCount(0);
  await page.keyboard.press("a");
  await expect(confirm(page)).toContainText("each run has its own effect");
  await page.keyboard.press("Enter");
  await expect.poll(async () => (await agent.read(once.id)).status).toBe("approved");

  await expect(card(page, plain.title)).toBeVisible();
  await expect(page.locator("[data-off]")).toHaveCount(0);
  await page.keyboard.press("r");
  await expect.poll(async () => (await agent.read(plain.id)).status).toBe("rejected");
});

test("a key that is held down decides nothing more @hydrated @desk", async ({ page, agent, visit }) => {
  const second = await agent.propose();
  const first = await agent.propose();
  await visit(`/inbox?at=${first.id}`);
  await page.keyboard.down("a");
  await expect(card(page, second.title)).toBeVisible();
  await expect(page.locator("[data-off]")).toHaveCount(0);
  for (let i = 0; i < 5; i++) await page.keyboard.down("a"); // A second `down` is a repeat.
  await page.keyboard.up("a");
  expect((await agent.read(second.id)).status).toBe("pending");
  expect((await agent.read(first.id)).status).toBe("approved");
});

test("the sheet tells the keys, and pages are two keys away @hydrated @desk", async ({ page, agent, visit }) => {
  const action = await agent.propose();
  await visit("/inbox");
  await page.keyboard.press("?");
  await expect(sheet(page)).toBeVisible();
  await look(page, "shortcuts");
  await page.keyboard.press("a");
  await page.keyboard.press("Escape");
  await expect(sheet(page)).toBeHidden();
  await page.getByRole("button", { name: "Ada" }).click();
  await page.getByRole("button", { name: "Keyboard shortcuts" }).click();
  await expect(sheet(page)).toBeVisible();
  await page.keyboard.press("Escape");
  for (const [key, path] of [["h", "/history"], ["c", "/connect"], ["s", "/account"], ["i", "/inbox"]]) {
    await page.keyboard.press("g");
    await page.keyboard.press(key!);
    await expect(page).toHaveURL(new RegExp(`${path}$`));
    await expect(page.locator("[data-live]")).toHaveAttribute("data-link", "online");
  }
  expect((await agent.read(action.id)).status).toBe("pending");
});

test("a row is ticked and words are looked for @hydrated @desk", async ({ page, agent, visit }) => {
  const other = await agent.propose();
  const action = await agent.propose();
  await visit(`/inbox?at=${action.id}`);
  const tick = (title: string) => page.getByRole("checkbox", { name: `Select ${title}`, exact: true });
  await page.keyboard.press("x");
  await expect(tick(action.title)).toBeChecked();
  await page.keyboard.press("j");
  await expect(card(page, other.title)).toBeVisible();
  await page.keyboard.press("x");
  await expect(tick(other.title)).toBeChecked();
  await page.keyboard.press("/");
  const words = page.getByRole("searchbox", { name: "Search title and text" });
  await expect(words).toBeFocused();
  await page.keyboard.type("a");
  await expect(words).toHaveValue("a");
  await page.keyboard.press("Escape");
  await expect(words).not.toBeFocused();
  for (const { id } of [other, action]) expect((await agent.read(id)).status).toBe("pending");
});

test("raw and back @hydrated @desk", async ({ page, agent, visit }) => {
  const action = await agent.propose();
  await visit(`/inbox/${action.id}`);
  const raw = page.getByRole("radio", { name: "Raw" });
  await page.keyboard.press("v");
  await expect(raw).toBeChecked();
  await page.keyboard.press("v");
  await expect(raw).not.toBeChecked();
  await page.keyboard.press("u");
  await expect(page).toHaveURL(/\/inbox$/);
});

test.describe("for who does not want them", () => {
  test.use({ serverOf: "this test" });
  test("they do nothing @hydrated @desk", async ({ page, agent, visit }) => {
    const action = await agent.propose();
    await visit("/account");
    await page.getByLabel("Shortcuts in the inbox").uncheck();
    await page.getByRole("button", { name: "Save preferences" }).click();
    await visit(`/inbox/${action.id}`);
    for (const key of ["?", "a", "r", "g", "h"]) await page.keyboard.press(key);
    await expect(sheet(page)).toHaveCount(0);
    await expect(page).toHaveURL(new RegExp(action.id));
    expect((await agent.read(action.id)).status).toBe("pending");
  });
});

test("a sentence that was meant for a field decides nothing more @hydrated @desk", async ({ page, agent, visit }) => {
  const third = await agent.propose({ editable: ["preview.body"] });
  const second = await agent.propose({ editable: ["preview.body"] });
  const first = await agent.propose();
  await visit(`/inbox?at=${first.id}`);
  await page.keyboard.press("r");
  await expect.poll(async () => (await agent.read(first.id)).status).toBe("rejected");
  await expect(card(page, second.title)).toBeVisible();
  await expect(page.locator("[data-off]")).toHaveCount(0);
  await page.keyboard.type("Looks like a phishing mail, are you sure?", { delay: 40 });
  await expect(page.getByText("the keys rest because something was typed")).toBeVisible();
  for (const { id } of [second, third]) expect((await agent.read(id)).status).toBe("pending");
  await expect(card(page, second.title)).toBeVisible();
  await expect(field(page, "preview.body")).toBeHidden();
  await page.keyboard.press("Escape");
  await page.keyboard.press("a");
  await expect.poll(async () => (await agent.read(second.id)).status).toBe("approved");
});

test("the field for a reason has the focus as soon as it is there @hydrated @desk", async ({ page, agent, visit }) => {
  const { id } = await agent.propose();
  await visit(`/inbox/${id}`);
  await page.getByText("Add a reason").click();
  await expect(page.getByLabel(/^Reason/)).toBeFocused();
  await page.keyboard.type("ready when you are");
  expect((await agent.read(id)).status).toBe("pending");
  await page.keyboard.press("Escape");
  await page.keyboard.press("c");
  await expect(page.getByLabel(/^Reason/)).toBeFocused();
  await page.keyboard.press("Escape");
  await page.keyboard.press("r");
  await expect.poll(async () => (await agent.read(id)).decision?.comment).toBe("ready when you are");
});

test("back beside the list stays with the card in sight @hydrated @desk", async ({ page, agent, visit }) => {
  await agent.propose();
  const middle = await agent.propose();
  const newest = await agent.propose();
  await visit(`/inbox?at=${newest.id}`);
  await page.keyboard.press("j");
  await expect(card(page, middle.title)).toBeVisible();
  await page.keyboard.press("o");
  await page.keyboard.press("u");
  await expect(row(page, middle.title)).toBeFocused();
  await expect(card(page, middle.title)).toBeVisible();
});
