import { readFileSync } from "node:fs";
import { ADA, expect, test, type Page } from "../support/test";
import { approve, card, confirmed, decision, field, reject } from "../support/inbox";

const events = (page: Page) => page.locator("tr[data-event]");

test("what happened to an action, in words, with the diff of an edit", async ({ page, agent, visit, javaScriptEnabled }) => {
  const action = await agent.propose({ editable: ["preview.body"], preview: { format: "plain", body: "We refund 129 EUR.\nBest wishes" } });
  await visit(`/inbox/${action.id}`);
  await page.getByText(/^Edit\s+1 value/).click();
  await field(page, "preview.body").fill("We refund 99 EUR.\nBest wishes");
  await page.getByText("Add a reason").click();
  await page.getByLabel(/^Reason/).fill("The lamp was used.");
  await approve(page).click();
  await confirmed(page);
  await expect(decision(page)).toContainText("with 1 edit");
  await agent.report(action.id, "executed", "Refunded.");

  await visit(`/inbox/${action.id}`);
  const timeline = page.getByRole("region", { name: "What happened" });
  await expect(timeline.getByRole("listitem")).toHaveText([/Proposed by Support assistant/, /Approved by Ada Lovelace, with 1 edit/, /Executed by Support assistant/]);
  await timeline.getByRole("link", { name: "In the history" }).click();

  await expect(page).toHaveURL(`/history?action=${action.id}`);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("History");
  await expect(events(page)).toHaveCount(3);
  const approved = events(page).nth(1);
  await expect(approved).toContainText(`${ADA.name} approved ${action.title} with 1 edit, in the inbox.`);
  await expect(approved).toContainText(/Waited (less than )?\d+ (s|min)\./);
  await expect(approved).toContainText("The lamp was used.");
  await expect(approved).toContainText("preview.body");
  await expect(approved.getByRole("row", { name: "removed -We refund 129 EUR." })).toBeVisible();
  await expect(approved.getByRole("row", { name: "added +We refund 99 EUR." })).toBeVisible();
  await expect(events(page).first()).toContainText("through the API");

  await approved.getByRole("link", { name: action.title }).click();
  await expect(card(page, action.title)).toBeVisible();
});

test("filters are in the address, and come off one by one", async ({ page, agent, decider, visit }) => {
  const action = await agent.propose();
  await decider.decide(action.id, "reject", { comment: "No." });
  const mine = await agent.propose();
  await visit(`/inbox/${mine.id}`);
  await reject(page).click();
  await expect(decision(page)).toContainText("Rejected");

  await page.goto("/history");
  await page.getByLabel("What", { exact: true }).selectOption({ label: "Rejected" });
  await page.getByLabel("Who", { exact: true }).selectOption({ label: ADA.name });
  await page.getByLabel("From", { exact: true }).fill("2020-01-01");
  await page.getByRole("button", { name: "Filter" }).click();
  await expect(page).toHaveURL(/event=action\.rejected/);
  await expect(page).toHaveURL(/person=rev_/);
  await expect(page).toHaveURL(/since=2020-01-01/);
  await expect(page.getByRole("table")).toContainText(mine.title);
  await expect(page.getByRole("table")).not.toContainText(action.title);
  for (const kind of await events(page).evaluateAll((rows) => rows.map((row) => row.getAttribute("data-event")))) {
    expect(kind).toBe("action.rejected");
  }

  // The address is the filter: somebody else sees the same.
  await page.goto(page.url());
  await expect(page.getByLabel("What", { exact: true })).toHaveValue("action.rejected");
  await page.getByRole("link", { name: /Remove the filter Who/ }).click();
  await expect(page).not.toHaveURL(/person=/);
  await expect(page.getByRole("table")).toContainText(action.title);

  await page.getByLabel("To", { exact: true }).fill("2020-01-02");
  await page.getByRole("button", { name: "Filter" }).click();
  await expect(page.getByText("Nothing in the history fits.")).toBeVisible();
});

test("what the action says is found, and exactly that is exported", async ({ page, agent, decider, visit }) => {
  const action = await agent.propose({ kind: "refund.pay" });
  await decider.decide(action.id, "reject", { comment: "No." });
  await visit("/history");
  await page.getByText("More filters").click();
  await page.getByLabel("Agent", { exact: true }).fill("Support assistant");
  await page.getByLabel("Kind of action").fill("refund.pay");
  await page.getByLabel("Verdict").selectOption({ label: "Rejected" });
  await page.getByRole("button", { name: "Filter" }).click();
  await expect(page).toHaveURL(/kind=refund\.pay/);
  await expect(page).toHaveURL(/verdict=reject/);
  const shown = await events(page).count();
  expect(shown).toBeGreaterThan(0);

  await page.getByText("Export what is shown").click();
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "NDJSON" }).click();
  const file = await download;
  expect(file.suggestedFilename()).toMatch(/^history-\d{4}-\d\d-\d\d\.ndjson$/);
  const lines = readFileSync(await file.path(), "utf8").trimEnd().split("\n").map((line) => JSON.parse(line));
  expect(lines).toHaveLength(shown);
  for (const line of lines) expect(line.event).toBe("action.rejected");

  await page.getByRole("button", { name: "Report to print" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Report from the history");
  await expect(page.getByText("Agent: Support assistant · Kind: refund.pay · Verdict: Rejected")).toBeVisible();
  await expect(events(page)).toHaveCount(shown);
  await page.emulateMedia({ media: "print" });
  await expect(page.getByRole("navigation", { name: "Main" })).toBeHidden();
  await expect(page.getByRole("table")).toBeVisible();
  await page.emulateMedia({ media: "screen" });
  await page.getByRole("link", { name: "History" }).last().click();
  await page.getByRole("link", { name: /Remove the filter Verdict/ }).click();
  await expect(page).not.toHaveURL(/verdict=/);
  await expect(page.getByLabel("Kind of action")).toHaveValue("refund.pay");
});

test("edits alone", async ({ page, agent, visit }) => {
  await agent.propose();
  await visit("/history?edited=yes");
  await expect(page.getByLabel("Edited only")).toBeChecked();
  for (const text of await page.locator(".history-sentence").allInnerTexts()) expect(text).toContain(" edit");
});

test("a filter that can't be read is said to be so", async ({ page, watch }) => {
  watch.expect(/does not conform to the required format/);
  const answer = await page.goto("/history?since=yesterday&action=<b>");
  expect(answer?.status()).toBe(200);
  await expect(page.getByRole("alert")).toBeVisible();
  await expect(events(page)).toHaveCount(0);
});

test.describe("with a history of its own", () => {
  test.use({ serverOf: "this test" });

  test("pages of fifty, none twice, none left out @once", async ({ page, agent, visit }) => {
    const titles: string[] = [];
    for (let number = 0; number < 110; number++) titles.push((await agent.propose()).title);
    await visit("/history?event=action.created");
    const seen: string[] = [];
    for (let at = 1; ; at++) {
      await expect(page.getByRole("heading", { level: 1 })).toHaveText("History");
      seen.push(...(await page.locator(".history-action").allInnerTexts()));
      const older = page.getByRole("link", { name: "Older" });
      if ((await older.count()) === 0) break;
      const first = await page.locator(".history-action").first().innerText();
      await older.click();
      await expect(page.locator(".history-action").first()).not.toHaveText(first);
      expect(at).toBeLessThan(5);
    }
    expect(seen).toEqual([...titles].reverse());
    await page.getByRole("link", { name: "Back to the newest" }).click();
    await expect(page.locator(".history-action").first()).toHaveText(titles[109]);
    await expect(page).toHaveURL("/history?event=action.created");

    // The inbox is paged too.
    await visit("/inbox");
    await expect(page.locator("a.row")).toHaveCount(50);
    await page.getByRole("link", { name: "Older" }).click();
    await expect(page.locator("a.row").first()).toContainText(titles[59]);
  });
});

test("news take nothing away from a filter that is being chosen @hydrated", async ({ page, agent, decider }) => {
  await page.goto("/history");
  await page.getByLabel("What", { exact: true }).selectOption({ label: "Rejected" });
  const action = await agent.propose();
  await decider.decide(action.id, "approve");
  await expect(events(page).filter({ hasText: action.title }).first()).toBeVisible();
  await expect(page.getByLabel("What", { exact: true })).toHaveValue("action.rejected");
});

test("how far the history is sealed", async ({ page, agent, visit }) => {
  await agent.propose();
  await expect(async () => {
    await visit("/history");
    await expect(page.getByText(/^Sealed up to event \d+ at .+; last checkpoint .+\.$/)).toBeVisible({ timeout: 500 });
  }).toPass();
});
