// Everything without a pointer, and always in sight where one is.

import { expect, test, type Page } from "../support/test";
import { alive, approve, card, decision } from "../support/inbox";

/** Goes on with Tab until something has the focus. */
async function tabTo(page: Page, name: string | RegExp, role: "button" | "link" = "button") {
  const aim = page.getByRole(role, { name }).first();
  for (let step = 0; step < 60; step++) {
    await page.keyboard.press("Tab");
    if (await aim.evaluate((element) => element === document.activeElement)) return aim;
  }
  throw new Error(`Tab never came to ${name}`);
}

/** A focus that can be seen: an outline of 2 px in a colour that is not its surroundings'. */
async function expectVisibleFocus(page: Page) {
  const outline = await page.evaluate(() => {
    const style = getComputedStyle(document.activeElement!);
    return { width: parseFloat(style.outlineWidth), style: style.outlineStyle, color: style.outlineColor };
  });
  expect(outline.style).not.toBe("none");
  expect(outline.width).toBeGreaterThanOrEqual(2);
  expect(outline.color).not.toMatch(/rgba\(.*, 0\)|transparent/);
}

for (const key of ["Enter", "Space"]) {
  test(`approve with ${key} @desk`, async ({ page, agent, visit, javaScriptEnabled }) => {
    const action = await agent.propose();
    await visit("/inbox");
    await tabTo(page, new RegExp(action.title), "link");
    await expectVisibleFocus(page);
    await page.keyboard.press("Enter");
    await expect(page).toHaveURL(new RegExp(`at=${action.id}`));
    await expect(card(page, action.title)).toBeVisible();
    await tabTo(page, /^Approve/);
    await expectVisibleFocus(page);
    await page.keyboard.press(key);
    await expect.poll(async () => (await agent.read(action.id)).status).toBe("approved");
    if (javaScriptEnabled !== false) await expect(page.getByRole("status").filter({ hasText: action.title })).toContainText("Approved");
  });
}

test("the skip link goes to the content @desk", async ({ page, agent, visit }) => {
  const action = await agent.propose();
  await visit(`/inbox/${action.id}`);
  await page.keyboard.press("Tab");
  await expect(page.getByRole("link", { name: "Skip to the content" })).toBeFocused();
  await expect(page.getByRole("link", { name: "Skip to the content" })).toBeInViewport();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("main")).toBeFocused();
});

test("every stop of the Tab key can be seen @hydrated @desk", async ({ page, agent, visit }) => {
  const action = await agent.propose({ payload: { amount: 12 }, editable: ["payload.amount", "preview.body"] });
  await visit(`/inbox/${action.id}`);
  const seen = new Set<string>();
  for (let step = 0; step < 40; step++) {
    await page.keyboard.press("Tab");
    const stop = await page.evaluate(() => document.activeElement?.outerHTML.slice(0, 120) ?? "");
    if (stop.startsWith("<body") || seen.has(stop)) break;
    seen.add(stop);
    const shown = await page.evaluate(() => {
      const element = document.activeElement as HTMLElement;
      // A choice shows its focus on the label's text.
      const marked = [element, element.nextElementSibling, element.parentElement].filter((each) => each instanceof HTMLElement);
      return marked.some((each) => parseFloat(getComputedStyle(each as Element).outlineWidth) >= 2 && getComputedStyle(each as Element).outlineStyle !== "none");
    });
    expect(shown, stop).toBe(true);
  }
  expect(seen.size).toBeGreaterThan(8);
});

test("after a decision the focus is at what comes next @hydrated @desk", async ({ page, agent, visit }) => {
  const last = await agent.propose();
  const first = await agent.propose();
  await visit("/inbox");
  await expect(card(page, first.title)).toBeVisible();
  await approve(page).focus();
  await page.keyboard.press("Enter");
  await expect(card(page, last.title)).toBeVisible();
  // Not lost at the top of the document, where a person without a pointer would have to begin anew.
  await expect.poll(() => page.evaluate(() => document.activeElement?.closest("#card-pane, .inbox-detail, .inbox") !== null)).toBe(true);
});
