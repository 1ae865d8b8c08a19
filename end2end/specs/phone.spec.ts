// A phone in one hand: one column, the decision under the thumb, nothing to pinch.

import { ADA, expect, test, type Page } from "../support/test";
import { approve, card, decision, field, reject, row } from "../support/inbox";
import { expectNothingWider } from "../support/look";

const LONG = Array.from({ length: 60 }, (_, line) => `Paragraph ${line + 1} of what the agent wants to say to the customer.`).join("\n\n");
const WIDE = `${"unbroken".repeat(40)} https://example.org/${"path/".repeat(40)}\n\n\`\`\`sh\ncurl ${"--header 'x: y' ".repeat(20)}\n\`\`\`\n\n| ${"a | ".repeat(12)}\n|${"-|".repeat(12)}\n| ${"wide cell | ".repeat(12)}`;

async function expectUnderThumb(page: Page) {
  const screen = page.viewportSize()!;
  for (const button of [approve(page), reject(page)]) {
    const box = (await button.boundingBox())!;
    expect(box.height).toBeGreaterThanOrEqual(44);
    expect(box.width).toBeGreaterThanOrEqual(44);
    expect(box.y).toBeGreaterThanOrEqual((screen.height * 2) / 3);
    expect(box.y + box.height).toBeLessThanOrEqual(screen.height);
    expect(box.x).toBeGreaterThanOrEqual(0);
    expect(box.x + box.width).toBeLessThanOrEqual(screen.width);
  }
}

test("list, card, approve, next @phone", async ({ page, agent, visit, javaScriptEnabled }) => {
  const first = await agent.propose({ preview: { format: "markdown", body: LONG } });
  const second = await agent.propose();
  await visit("/inbox");
  await expect(row(page, first.title)).toBeVisible();
  await expect(card(page)).toBeHidden();
  await expectNothingWider(page);
  for (const each of await page.locator("a.row").all()) expect((await each.boundingBox())!.height).toBeGreaterThanOrEqual(44);

  await row(page, first.title).tap();
  await expect(card(page, first.title)).toBeVisible();
  await expect(row(page, first.title)).toBeHidden();
  await expectUnderThumb(page);
  await expectNothingWider(page);
  // And it stays there while the text scrolls.
  await page.evaluate(() => window.scrollTo(0, 900));
  await expectUnderThumb(page);
  await approve(page).tap();
  await expect.poll(async () => (await agent.read(first.id)).status).toBe("approved");
  if (javaScriptEnabled === false) await expect(decision(page)).toContainText(`by ${ADA.name}`);
  else await expect(page.getByRole("status").filter({ hasText: first.title })).toContainText("Approved");

  await visit("/inbox");
  await expect(row(page, second.title)).toBeVisible();
  await expect(row(page, first.title)).toHaveCount(0);
});

test("back leads to the list @phone", async ({ page, agent, visit }) => {
  const action = await agent.propose();
  await visit("/inbox");
  await row(page, action.title).tap();
  await expect(card(page, action.title)).toBeVisible();
  await page.goBack();
  await expect(row(page, action.title)).toBeVisible();
  await row(page, action.title).tap();
  await page.locator("a.back").filter({ visible: true }).tap();
  await expect(row(page, action.title)).toBeVisible();
});

test("nothing is wider than the screen, whatever an agent sends @phone", async ({ page, agent, visit }) => {
  const payload = { ["key".repeat(60)]: "value".repeat(100), deep: { deep: { deep: { deep: ["x".repeat(300)] } } } };
  const title = `A title ${"withoutaspace".repeat(30)}`;
  const bodies = [
    { format: "markdown", body: WIDE },
    { format: "plain", body: WIDE },
    { format: "diff", body: `--- a/file\n+++ b/file\n@@ -1,2 +1,2 @@\n-${"old ".repeat(100)}\n+${"new".repeat(120)}\n context` },
  ] as const;
  for (const [number, preview] of bodies.entries()) {
    const action = await agent.propose({ title: `${title} ${number}`, preview, payload, undo: "u".repeat(500), kind: "k".repeat(100), target_url: `https://${"sub.".repeat(20)}example.org/`, editable: ["preview.body", "payload.deep"] });
    await visit(`/inbox/${action.id}`);
    await expectNothingWider(page);
    await page.getByText(/^Edit\s+2 values/).click();
    await expect(field(page, "preview.body")).toBeVisible();
    await expectNothingWider(page);
    await visit("/inbox");
    await expectNothingWider(page);
  }
  await page.goto("/history");
  await expectNothingWider(page);
});

test("text boxes don't make the phone zoom in @phone", async ({ page, agent, visit }) => {
  const action = await agent.propose({ payload: { amount: 1, notify: true }, editable: ["preview.body", "payload.amount", "payload.notify"] });
  await visit(`/inbox/${action.id}`);
  await page.getByText(/^Edit\s+3 values/).click();
  const sizes = await page.locator("textarea, input:not([type=hidden], [type=radio]), select").evaluateAll((all) => all.map((each) => parseFloat(getComputedStyle(each).fontSize)));
  for (const size of sizes) expect(size).toBeGreaterThanOrEqual(16);

  // The longest words that the buttons can have still fit, and stay under the thumb.
  await field(page, "preview.body").fill("Another text");
  await field(page, "payload.amount").fill("2");
  await field(page, "payload.notify").selectOption("false");
  await expectNothingWider(page);
  await expectUnderThumb(page);
});
