import { ADA, expect, test } from "../support/test";
import { alive, approve, confirm, confirmed, decision, field } from "../support/inbox";
import { look } from "../support/look";

test("without a script the server asks once more, with what was typed @plain", async ({ page, agent, visit }) => {
  const action = await agent.propose({
    title: "Refund order A-1",
    kind: "payment.refund",
    idempotent: false,
    preview: { format: "plain", body: "We refund 129 EUR.\nBest wishes" },
    payload: { amount: 129, currency: "EUR" },
    editable: ["preview.body", "payload.amount"],
  });
  await visit(`/inbox/${action.id}`);
  await page.getByText(/^Edit\s+2 values/).click();
  await field(page, "preview.body").fill("We refund 99 EUR.\nBest wishes");
  await field(page, "payload.amount").fill("99");
  await approve(page).click();

  await expect(page).toHaveURL(`/inbox/${action.id}/sure`);
  const main = page.getByRole("main");
  await expect(main.getByRole("heading", { level: 1 })).toHaveText("Approve this?");
  await expect(main).toContainText("Refund order A-1");
  await expect(main).toContainText("Not idempotent");
  await expect(main.getByRole("figure", { name: "payload.amount" })).toContainText("129");
  await expect(main.getByRole("figure", { name: "preview.body" })).toContainText("We refund 99 EUR.");
  expect((await agent.read(action.id)).status).toBe("pending");
  await confirmed(page);
  await expect(decision(page)).toContainText(`by ${ADA.name}`);
  await expect(decision(page)).toContainText("with 2 edits");
  expect((await agent.read(action.id)).payload).toEqual({ amount: 99, currency: "EUR" });
});

test("whoever comes to that page in another way is led to the card", async ({ page, agent, visit }) => {
  const action = await agent.propose({ idempotent: false });
  await visit(`/inbox/${action.id}/sure`);
  await expect(page).toHaveURL(`/inbox/${action.id}`);
  await expect(approve(page)).toBeVisible();
});

test("before the page is alive the plain form leads there, too @hydrated", async ({ page, agent, visit }) => {
  const action = await agent.propose({ idempotent: false, payload: { amount: 129 }, editable: ["payload.amount"] });
  await visit(`/inbox/${action.id}`);
  await page.getByText(/^Edit\s+1 value/).click();
  await field(page, "payload.amount").fill("99");
  // As the browser sends it by itself.
  await page.locator("#decide").evaluate((form: HTMLFormElement) => {
    form.insertAdjacentHTML("beforeend", '<input type="hidden" name="verdict" value="approve">');
    form.submit();
  });
  await expect(page).toHaveURL(`/inbox/${action.id}/sure`);
  await expect(page.getByRole("main")).toContainText("What you changed");
  await alive(page);
  await look(page, "second-look");
  await confirmed(page);
  await expect(decision(page)).toContainText("with 1 edit");
  expect((await agent.read(action.id)).payload).toEqual({ amount: 99 });
});

test("the sheet repeats what runs, and what was changed, by signs and not by colour alone @hydrated", async ({ page, agent, visit }) => {
  const action = await agent.propose({
    idempotent: false,
    undo: "Ask the bank",
    target_url: "https://bank.example/refunds",
    preview: { format: "markdown", body: "We refund **129 EUR**." },
    payload: { amount: 129, iban: "DE02120300000000202051" },
    editable: ["payload.amount"],
  });
  await visit(`/inbox/${action.id}`);
  await alive(page);
  await approve(page).click();
  await expect(confirm(page)).toContainText("Not idempotent");
  await expect(confirm(page).locator("strong", { hasText: "129 EUR" })).toBeVisible();
  for (const part of ["DE02120300000000202051", "at bank.example", "https://bank.example/refunds", "Ask the bank", action.kind]) await expect(confirm(page)).toContainText(part);
  await look(page, "sheet-once");
  await page.keyboard.press("Escape");
  await expect(confirm(page)).toBeHidden();

  await page.getByText(/^Edit\s+1 value/).click();
  await field(page, "payload.amount").fill("99");
  await approve(page).click();
  await expect(confirm(page).locator("del")).toContainText("-129");
  await expect(confirm(page).locator("ins")).toContainText("+99");
  await expect(confirm(page)).toContainText("What runs then, with your changes:");
  await expect(confirm(page).locator(".payload-tree")).toContainText("amount: 99");
  await look(page, "sheet-edited");
  await confirmed(page);
  await expect(decision(page)).toContainText("with 1 edit");
});
