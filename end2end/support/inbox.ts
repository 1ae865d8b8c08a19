// The pages' parts by what people call them.

import { expect, type Locator, type Page, type Route } from "@playwright/test";

/** Waits until the page is alive and hears news. */
export async function alive(page: Page) {
  await expect(page.locator("[data-live]")).toHaveAttribute("data-link", "online");
}

export const card = (page: Page, title?: string): Locator => page.getByRole("article", title === undefined ? {} : { name: title });
export const approve = (page: Page): Locator => page.getByRole("button", { name: /^Approve/ });
/** The sheet that asks once more about what is edited or not idempotent. */
export const confirm = (page: Page): Locator => page.getByRole("dialog", { name: "Approve this?" });
/** Says yes to it: in the sheet, or on the page that asks without a script. */
export async function confirmed(page: Page) {
  await page.getByRole("button", { name: /^Yes, approve/ }).click();
}
export const reject = (page: Page): Locator => page.getByRole("button", { name: "Reject" });
export const decision = (page: Page): Locator => page.getByRole("region", { name: "Decision", exact: true });
export const result = (page: Page): Locator => page.getByRole("region", { name: "Result" });
export const content = (page: Page): Locator => page.getByRole("region", { name: "Content" });
export const list = (page: Page): Locator => page.getByRole("region", { name: "Waiting for a decision" });
export const row = (page: Page, title: string): Locator => list(page).getByRole("link", { name: title });
export const field = (page: Page, path: string): Locator => page.getByLabel(path, { exact: true });

/** Holds back every request that fits until it is let go, as it was meant to go unless it is said how else. */
export async function hold(page: Page, fits: string | ((url: URL) => boolean)) {
  let go: (how: (route: Route) => Promise<void>) => void = () => undefined;
  const gone = new Promise<(route: Route) => Promise<void>>((done) => (go = done));
  let held = 0;
  await page.route(fits, async (route) => {
    held += 1;
    await (await gone)(route);
  });
  return {
    /** Waits until something is held. */
    until: () => expect.poll(() => held).toBeGreaterThan(0),
    go: (how: (route: Route) => Promise<void> = (route) => route.continue()) => go(how),
  };
}
