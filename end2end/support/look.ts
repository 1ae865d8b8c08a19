// A page as eyes see it: axe finds nothing in either theme, with IMPRI_SCREENSHOTS it leaves pictures, and nothing is
// wider than the screen.

import AxeBuilder from "@axe-core/playwright";
import { expect, test, type Page } from "@playwright/test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";

const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** Looks at a page in light and dark; with scripts, because axe is one. */
export async function look(page: Page, state: string) {
  if (test.info().project.use.javaScriptEnabled === false) return;
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    const { violations } = await new AxeBuilder({ page }).withTags(RULES).analyze();
    const found = violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target} ${node.failureSummary?.split("\n").slice(1).join(" ")}`));
    expect.soft(found, `axe on ${state}, ${colorScheme}`).toEqual([]);
    const folder = process.env.IMPRI_SCREENSHOTS;
    if (folder) {
      mkdirSync(folder, { recursive: true });
      const { width } = page.viewportSize()!;
      const name = `${state}-${width}-${colorScheme}`;
      await page.screenshot({ path: join(folder, `${name}.png`) });
      if (width < 500) await page.screenshot({ path: join(folder, `${name}-full.png`), fullPage: true });
      // A tablet and a large screen are looked at too, in one theme: the other differs in colours only.
      if (width >= 500 && colorScheme === "light") await pictures(page, state, folder);
    }
  }
}

async function pictures(page: Page, state: string, folder: string) {
  const before = page.viewportSize()!;
  for (const size of [{ width: 768, height: 1024 }, { width: 1920, height: 1080 }]) {
    await page.setViewportSize(size);
    await page.screenshot({ path: join(folder, `${state}-${size.width}-light.png`) });
  }
  await page.setViewportSize(before);
}

/** A page that has to be scrolled sideways is a page that hides something. */
export async function expectNothingWider(page: Page) {
  const wide = await page.evaluate(() => {
    const width = document.documentElement.clientWidth;
    const over = [...document.body.querySelectorAll("*")].filter((element) => {
      const box = element.getBoundingClientRect();
      if (box.width === 0 || box.right <= width + 1) return false;
      // What scrolls inside its own box or is hidden there does not widen the page.
      for (let up = element.parentElement; up; up = up.parentElement) {
        if (getComputedStyle(up).overflowX !== "visible" && up.getBoundingClientRect().right <= width + 1) return false;
      }
      return true;
    });
    return { scroll: document.documentElement.scrollWidth - width, over: over.slice(0, 5).map((element) => element.outerHTML.slice(0, 100)) };
  });
  expect(wide).toEqual({ scroll: 0, over: [] });
}
