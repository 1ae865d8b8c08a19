import { ADA, expect, test } from "../support/test";
import { approve, card, confirm, confirmed, content, decision, field, reject, result } from "../support/inbox";

test("approve: the agent goes on, and its result comes back to the card", async ({ page, agent, visit, javaScriptEnabled }) => {
  const action = await agent.propose({ target_url: "https://mail.example.com/send", undo: "Send a *correction*.", idempotent: false });
  await visit(`/inbox/${action.id}`);
  const shown = card(page, action.title);
  await expect(shown).toContainText("email.send");
  await expect(shown).toContainText("Support assistant");
  await expect(shown).toContainText("mail.example.com");
  await expect(shown).toContainText("Not idempotent");
  await expect(shown.getByRole("figure", { name: /undo/i })).toContainText("correction");
  await expect(content(page).getByText("Sarah", { exact: true })).toHaveJSProperty("tagName", "STRONG");

  await approve(page).click();
  await confirmed(page);
  await expect(decision(page)).toContainText(`by ${ADA.name}`);
  await expect(decision(page)).toContainText("Approved");
  await expect(approve(page)).toHaveCount(0);
  const approved = await agent.read(action.id);
  expect(approved.status).toBe("approved");
  expect(approved.original).toBeUndefined();

  await agent.report(action.id, "executed", "Sent as message 4711.");
  await visit(`/inbox/${action.id}`);
  await expect(result(page)).toContainText("Sent as message 4711.");
});

test("reject with a reason", async ({ page, agent, visit }) => {
  const action = await agent.propose();
  await visit(`/inbox/${action.id}`);
  await page.getByText("Add a reason").click();
  await page.getByLabel(/^Reason/).fill("Not before Monday.\nAsk Tom.");
  await reject(page).click();
  await expect(decision(page)).toContainText("Rejected");
  await expect(decision(page)).toContainText("Not before Monday.");
  const rejected = await agent.read(action.id);
  expect(rejected.status).toBe("rejected");
  expect(rejected.decision?.comment).toBe("Not before Monday.\nAsk Tom.");
});

test("edit and approve: every value keeps its type, and the agent gets the person's text", async ({ page, agent, visit, javaScriptEnabled }) => {
  const action = await agent.propose({
    kind: "payment.refund",
    payload: { amount: 129.9, currency: "EUR", notify: true, items: ["lamp", "shade"], note: null, order: "A-1" },
    editable: ["preview.body", "title", "payload.amount", "payload.notify", "payload.items"],
  });
  await visit(`/inbox/${action.id}`);
  await page.getByText(/^Edit\s+5 values/).click();
  await expect(field(page, "preview.body")).toHaveValue(action.preview.body);
  await expect(field(page, "payload.amount")).toHaveValue("129.9");

  await field(page, "preview.body").fill("Dear Sarah,\n\nwe refund **99.50 EUR**.");
  if (javaScriptEnabled !== false) await expect(approve(page)).toHaveText("Approve with 1 edit");
  await field(page, "payload.amount").fill("99.50");
  await field(page, "payload.notify").selectOption("false");
  await field(page, "payload.items").fill('["lamp"]');
  if (javaScriptEnabled !== false) await expect(approve(page)).toHaveText("Approve with 4 edits");
  await approve(page).click();
  await confirmed(page);

  await expect(decision(page)).toContainText("with 4 edits");
  await expect(decision(page)).toContainText("payload.amount");
  const approved = await agent.read(action.id);
  expect(approved.preview.body).toBe("Dear Sarah,\n\nwe refund **99.50 EUR**.");
  expect(approved.payload).toMatchObject({ amount: 99.5, notify: false, items: ["lamp"], order: "A-1", note: null });
  expect(approved.title).toBe(action.title);
  expect(approved.original?.preview.body).toBe(action.preview.body);
  expect([...(approved.decision?.edited ?? [])].sort()).toEqual(["payload.amount", "payload.items", "payload.notify", "preview.body"]);
});

test("values that don't fit are refused, by name, with nothing approved", async ({ page, agent, visit, javaScriptEnabled }) => {
  const action = await agent.propose({ payload: { amount: 12 }, editable: ["payload.amount"] });
  await visit(`/inbox/${action.id}`);
  await page.getByText(/^Edit\s+1 value/).click();
  await field(page, "payload.amount").fill("a dozen");
  if (javaScriptEnabled !== false) {
    await expect(page.getByText("This is not a number.")).toBeVisible();
    await expect(field(page, "payload.amount")).toHaveAttribute("aria-invalid", "true");
  }
  await approve(page).click();
  await expect(page.getByRole("alert")).toContainText(javaScriptEnabled === false ? "A changed value does not fit" : "The value of payload.amount is not a number");
  await expect(page.getByRole("alert")).toContainText("Nothing was approved");
  if (javaScriptEnabled !== false) await expect(field(page, "payload.amount")).toHaveValue("a dozen");
  expect((await agent.read(action.id)).status).toBe("pending");
});

test("nothing to edit, no control to edit with", async ({ page, agent, visit }) => {
  const action = await agent.propose({ payload: { amount: 12 } });
  await visit(`/inbox/${action.id}`);
  await expect(card(page)).toContainText("This can't be edited");
  await expect(page.getByRole("link", { name: "Edit", exact: true })).toHaveCount(0);
  await expect(page.getByText(/^Edit\s+\d/)).toHaveCount(0);
  // The reason is folded away, so no text box is in sight at all.
  await expect(page.getByRole("textbox")).toHaveCount(0);
});

test("Edit leads to the first value", async ({ page, agent, visit }) => {
  const action = await agent.propose({ editable: ["preview.body"] });
  await visit(`/inbox/${action.id}`);
  await page.getByRole("link", { name: "Edit", exact: true }).click();
  await expect(field(page, "preview.body")).toBeVisible();
  await expect(field(page, "preview.body")).toBeInViewport();
});

test("Enter in a one-line field approves nothing", async ({ page, agent, visit }) => {
  const action = await agent.propose({ payload: { amount: 12, to: "sarah@example.org" }, editable: ["payload.amount", "payload.to", "title"] });
  await visit(`/inbox/${action.id}`);
  await page.getByText(/^Edit\s+3 values/).click();
  for (const path of ["payload.amount", "payload.to", "title"]) {
    await field(page, path).press("Enter");
  }
  await field(page, "payload.to").fill("tom@example.org");
  await field(page, "payload.to").press("Enter");
  await expect(card(page)).toHaveAttribute("data-state", "pending");
  expect((await agent.read(action.id)).status).toBe("pending");
});

test("who comes too late is told who decided", async ({ page, agent, decider, visit, watch, javaScriptEnabled }) => {
  const action = await agent.propose();
  if (javaScriptEnabled !== false) {
    // Without news of it: the card is as the person saw it. The page that comes after the refusal gets through.
    const isNews = (url: URL) => url.pathname.startsWith("/inbox/") && !url.searchParams.has("refused");
    await page.route(isNews, (route) => (route.request().resourceType() === "fetch" ? route.abort("aborted") : route.continue()));
    watch.expect(/status 409/, /status of 409/, /ERR_ABORTED/);
  }
  await visit(`/inbox/${action.id}`);
  await decider.decide(action.id, "reject");
  await approve(page).click();
  await expect(page.getByRole("alert")).toContainText("already decided");
  await expect(decision(page)).toContainText("Rejected");
  await expect(decision(page)).toContainText("Release gate");
  expect((await agent.read(action.id)).status).toBe("rejected");
});

test("an action whose time is over can't be approved", async ({ page, agent, server, visit }) => {
  const action = await agent.propose({ expires_in: 300 });
  await server.letTimePass(action.id, 301);
  await visit(`/inbox/${action.id}`);
  await expect(decision(page)).toContainText("Nobody decided within 5 min");
  await expect(approve(page)).toHaveCount(0);
  expect((await agent.read(action.id)).status).toBe("expired");
});

test("from the list to the card and on to the next @desk", async ({ page, agent, visit, javaScriptEnabled }) => {
  const first = await agent.propose();
  const second = await agent.propose();
  await visit("/inbox");
  const rows = page.getByRole("region", { name: "Waiting for a decision" }).getByRole("link");
  await expect(rows).toHaveCount(2);
  await expect(rows.first()).toContainText(second.title);
  await expect(card(page, second.title)).toBeVisible();
  await rows.filter({ hasText: first.title }).click();
  await expect(card(page, first.title)).toBeVisible();
  await approve(page).click();
  if (javaScriptEnabled === false) {
    await expect(page).toHaveURL(new RegExp(`/inbox/${first.id}`));
    await expect(decision(page)).toContainText("Approved");
    await page.getByRole("link", { name: "Inbox", exact: true }).first().click();
  } else {
    await expect(page.getByRole("status").filter({ hasText: first.title })).toContainText("Approved");
  }
  await expect(card(page, second.title)).toBeVisible();
  await expect(rows).toHaveCount(1);
});

test("a page that is not there says so", async ({ page, watch }) => {
  watch.expect(/status 404/, /status of 404/);
  for (const path of ["/inbox/act_AAAAAAAAAAAAAAAAAAAAAA", "/inbox/nonsense", "/nowhere"]) {
    const answer = await page.goto(path);
    expect(answer?.status()).toBe(404);
    await expect(page.getByRole("heading", { name: "Not found" })).toBeVisible();
    await page.getByRole("link", { name: "Go to the inbox" }).click();
    await expect(page).toHaveURL("/inbox");
  }
});

test("what is edited or not idempotent is asked about once more, with what matters @hydrated", async ({ page, agent, visit }) => {
  const action = await agent.propose({ idempotent: false, payload: { amount: 12 }, editable: ["preview.body", "payload.amount"] });
  await visit(`/inbox/${action.id}`);
  await approve(page).click();
  await expect(confirm(page)).toContainText(action.title);
  await expect(confirm(page)).toContainText("each run has its own effect");
  await expect(confirm(page).getByRole("button", { name: "Yes, approve" })).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(confirm(page)).toBeHidden();
  await expect(approve(page)).toBeFocused();
  expect((await agent.read(action.id)).status).toBe("pending");

  await page.getByText(/^Edit\s+2 values/).click();
  await field(page, "payload.amount").fill("13");
  await expect(page.locator(".change-live del")).toContainText("-12");
  await expect(page.locator(".change-live ins")).toContainText("+13");
  await field(page, "preview.body").fill("<b>Short</b>");
  await approve(page).click();
  await expect(confirm(page)).toContainText("payload.amount");
  await expect(confirm(page).locator("ins").filter({ hasText: "<b>Short</b>" })).toHaveCount(1);
  await confirm(page).getByRole("button", { name: "Back" }).click();
  await field(page, "payload.amount").fill("12");
  await approve(page).click();
  await expect(confirm(page)).not.toContainText("payload.amount");
  await confirm(page).getByRole("button", { name: "Yes, approve with 1 edit" }).click();
  await expect(decision(page)).toContainText("with 1 edit");
  expect((await agent.read(action.id)).preview.body).toBe("<b>Short</b>");
});

test("a reject is not asked about, whatever was typed @hydrated", async ({ page, agent, visit }) => {
  const action = await agent.propose({ idempotent: false, editable: ["preview.body"] });
  await visit(`/inbox/${action.id}`);
  await reject(page).click();
  await expect(decision(page)).toContainText("Rejected");
});
