// Readers differ: another time zone, larger letters.

import { ADA, GRACE, expect, test } from "../support/test";
import { approve, card, reject } from "../support/inbox";
import { expectNothingWider } from "../support/look";

test.describe("time zones", () => {
  test.use({ serverOf: "this test" });

  test("two readers see one instant, each in their own time", async ({ page, agent, decider, visit, windowOf }) => {
    await visit("/account");
    await page.getByLabel("Time zone").selectOption("Asia/Tokyo");
    await page.getByRole("button", { name: "Save preferences" }).click();
    await expect(page.getByText("Your preferences are saved.")).toBeVisible();
    const { id } = await agent.propose();
    await decider.decide(id, "approve");
    const other = await windowOf(GRACE, { timezoneId: "America/New_York" });
    await page.goto(`/history?action=${id}`);
    await other.goto(`/history?action=${id}`);
    const instants = (where: typeof page) => where.locator("#events time").evaluateAll((all) => all.map((one) => Date.parse(one.getAttribute("datetime")!)));
    const words = (where: typeof page) => where.locator("#events time").first().evaluate((one) => `${one.textContent} ${one.getAttribute("title") ?? ""}`);
    expect(await instants(page)).toEqual(await instants(other));
    expect((await instants(page)).length).toBeGreaterThan(1);
    expect(await words(page)).toMatch(/JST|GMT\+9|\+09/);
    // Grace chose nothing, so she reads the project's time, whatever her browser's is.
    expect(await words(other)).toContain("UTC");
  });
});

test("at 200 % everything is there and nothing is wider than the screen @desk", async ({ agent, windowOf }) => {
  const { id, title } = await agent.propose({ idempotent: false, editable: ["preview.body"], payload: { to: "sarah@example.org", amount: 12 } });
  // What a window of 1280 × 800 has left when it is magnified twice.
  const page = await windowOf(ADA, { viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 });
  for (const path of ["/inbox", `/inbox/${id}`, "/history", "/keys", "/people", "/account", "/connect", "/docs"]) {
    await page.goto(path);
    await expect(page.locator("main h1, main h2").first()).toBeVisible();
    await expectNothingWider(page);
  }
  await page.goto(`/inbox/${id}`);
  await expect(card(page, title)).toBeVisible();
  for (const button of [approve(page), reject(page)]) {
    await button.scrollIntoViewIfNeeded();
    await expect(button).toBeInViewport();
  }
});
