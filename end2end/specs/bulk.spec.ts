// Several actions at once: ticked in the list, shown whole, decided with one reason.

import { expect, SOON, test, type Page } from "../support/test";
import { alive, row } from "../support/inbox";

const box = (page: Page, title: string) => page.getByRole("checkbox", { name: `Select ${title}` });
const bar = (page: Page) => page.getByRole("form", { name: "Selected" });

let count = 0;
const rare = () => `bulk${(count += 1)}x${Date.now().toString(36)}`;
const plain = (title: string) => ({ title, preview: { format: "plain" as const, body: `The text of ${title}.` } });

test("tick, look, approve with one reason", async ({ page, agent, visit }) => {
  const word = rare();
  const first = await agent.propose(plain(`${word} first`));
  const second = await agent.propose(plain(`${word} second`));
  const third = await agent.propose(plain(`${word} third`));
  await visit(`/inbox?q=${word}`);
  await expect(bar(page)).toBeHidden();
  await box(page, first.title).check();
  await box(page, third.title).check();
  await expect(bar(page)).toBeVisible();
  await bar(page).getByRole("button", { name: "Approve…" }).click();

  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Approve 2 actions?");
  await expect(page.getByText(`The text of ${first.title}.`)).toBeVisible();
  await expect(page.getByText(second.title)).toHaveCount(0);
  expect((await agent.read(first.id)).status).toBe("pending");
  await page.getByLabel(/^Reason for all/).fill("All of May.");
  await page.getByRole("button", { name: "Approve" }).click();

  await expect(page.getByRole("heading", { level: 1 })).toHaveText("2 decided");
  await expect(page.getByRole("listitem").filter({ hasText: first.title })).toContainText("Approved");
  for (const action of [first, third]) {
    const read = await agent.read(action.id);
    expect(read.status).toBe("approved");
    expect(read.decision?.comment).toBe("All of May.");
  }
  expect((await agent.read(second.id)).status).toBe("pending");
  await page.getByRole("link", { name: "Go on in the inbox" }).click();
  await expect(page).toHaveURL(`/inbox?q=${word}`);
  await expect(page.locator("a.row")).toHaveCount(1);
});

test("a key that decides means what is ticked @hydrated @desk", async ({ page, agent, visit }) => {
  const word = rare();
  const [open, other] = [await agent.propose(plain(`${word} open`)), await agent.propose(plain(`${word} other`))];
  await visit(`/inbox?q=${word}&at=${open.id}`);
  await alive(page);
  await box(page, other.title).check();
  await page.keyboard.press("r");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Reject 1 action?");
  await expect(page.getByText(`The text of ${other.title}.`)).toBeVisible();
  for (const action of [open, other]) expect((await agent.read(action.id)).status).toBe("pending");
});

test("select all shown, and reject", async ({ page, agent, visit }) => {
  const word = rare();
  const actions = [await agent.propose(plain(`${word} one`)), await agent.propose(plain(`${word} two`))];
  await visit(`/inbox?q=${word}`);
  await box(page, actions[0].title).check();
  await bar(page).getByRole("link", { name: "Select all shown" }).click();
  for (const action of actions) await expect(box(page, action.title)).toBeChecked();
  await bar(page).getByRole("button", { name: "Clear" }).click();
  // Without scripts the page was made anew with all ticks in it, and a cleared form is as it was made.
  if (await bar(page).isHidden()) await box(page, actions[0].title).check();
  await bar(page).getByRole("link", { name: "Select all shown" }).click();
  await bar(page).getByRole("button", { name: "Reject…" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Reject 2 actions?");
  await page.getByRole("button", { name: "Reject" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("2 decided");
  for (const action of actions) expect((await agent.read(action.id)).status).toBe("rejected");
});

test("special ones need their own tick, long ones are opened, each has an outcome", async ({ page, agent, decider, visit }) => {
  const word = rare();
  const ordinary = await agent.propose(plain(`${word} ordinary`));
  const twice = await agent.propose({ ...plain(`${word} twice`), idempotent: false });
  const editable = await agent.propose({ ...plain(`${word} editable`), editable: ["preview.body"] });
  const long = await agent.propose({ title: `${word} long`, preview: { format: "plain", body: "And so on. ".repeat(400) } });
  const theirs = await agent.propose(plain(`${word} theirs`));
  await visit(`/inbox?q=${word}&picked=all`);
  await bar(page).getByRole("button", { name: "Approve…" }).click();
  await expect(page.getByRole("heading", { name: "These need a tick of their own" })).toBeVisible();
  const item = (title: string) => page.getByRole("listitem").filter({ hasText: title });
  await expect(item(twice.title)).toContainText("Not idempotent: each run has its own effect.");
  await expect(item(editable.title)).toContainText("Editable: preview.body.");
  await expect(item(twice.title).getByRole("checkbox")).not.toBeChecked();
  await expect(item(long.title).getByRole("checkbox")).toHaveCount(0);
  await expect(item(long.title)).toContainText("more characters not shown");
  await item(twice.title).getByRole("checkbox").check();
  await decider.decide(theirs.id, "reject");
  await page.getByRole("button", { name: "Approve" }).click();

  await expect(page.getByRole("heading", { level: 1 })).toHaveText("2 decided, 2 not");
  await expect(item(theirs.title)).toContainText("already decided");
  await expect(item(theirs.title)).toContainText("by Release gate");
  await expect(item(editable.title)).toContainText("You left it unticked");
  expect((await agent.read(ordinary.id)).status).toBe("approved");
  expect((await agent.read(twice.id)).status).toBe("approved");
  expect((await agent.read(editable.id)).status).toBe("pending");
  expect((await agent.read(long.id)).status).toBe("pending");
});

test("what is ticked stays ticked while others come and go @hydrated @desk", async ({ page, agent, decider, visit }) => {
  const word = rare();
  const first = await agent.propose(plain(`${word} first`));
  const second = await agent.propose(plain(`${word} second`));
  const third = await agent.propose(plain(`${word} third`));
  await visit(`/inbox?q=${word}&picked=all`);
  await decider.decide(second.id, "approve");
  await expect(row(page, second.title)).toHaveCount(0, SOON);
  await expect(box(page, first.title)).toBeChecked();
  await agent.propose(plain(`${word} fourth`));
  // It would come in unticked, and it does not even come in under a hand that ticks.
  await expect(page.getByRole("link", { name: "1 new", exact: true })).toBeVisible(SOON);
  await page.getByRole("link", { name: "1 new", exact: true }).click();
  await expect(box(page, `${word} fourth`)).not.toBeChecked();
  await expect(box(page, third.title)).toBeChecked();
});

test("what is about to be decided stays as it was read @hydrated", async ({ page, agent, decider, visit }) => {
  const word = rare();
  const twice = await agent.propose({ ...plain(`${word} twice`), idempotent: false });
  const theirs = await agent.propose(plain(`${word} theirs`));
  await visit(`/inbox?q=${word}&picked=all`);
  await bar(page).getByRole("button", { name: "Approve…" }).click();
  const tick = (title: string) => page.getByRole("listitem").filter({ hasText: title }).getByRole("checkbox");
  await tick(twice.title).check();
  const waiting = page.getByRole("navigation", { name: "Main" }).locator(".count");
  const before = await waiting.textContent();
  await decider.decide(theirs.id, "reject");
  await expect(waiting).not.toHaveText(before!, SOON);
  await expect(tick(theirs.title)).toBeChecked();
  await expect(tick(twice.title)).toBeChecked();
  await page.getByRole("button", { name: "Approve" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("1 decided, 1 not");
  expect((await agent.read(twice.id)).status).toBe("approved");
});

test("boxes for a finger are large and always there @phone", async ({ page, agent, visit }) => {
  const word = rare();
  const action = await agent.propose(plain(`${word} one`));
  await visit(`/inbox?q=${word}`);
  const label = page.locator(".row-pick");
  const size = (await label.boundingBox())!;
  expect(size.width).toBeGreaterThanOrEqual(44);
  expect(size.height).toBeGreaterThanOrEqual(44);
  expect(await box(page, action.title).evaluate((input) => getComputedStyle(input).opacity)).toBe("1");
  await label.tap();
  await expect(bar(page)).toBeVisible();
  const screen = page.viewportSize()!;
  for (const name of ["Approve…", "Reject…"]) {
    const button = (await bar(page).getByRole("button", { name }).boundingBox())!;
    expect(button.height).toBeGreaterThanOrEqual(44);
    expect(button.y + button.height).toBeLessThanOrEqual(screen.height);
  }
  await bar(page).getByRole("button", { name: "Approve…" }).tap();
  const approve = (await page.getByRole("button", { name: "Approve" }).boundingBox())!;
  expect(approve.y + approve.height).toBeLessThanOrEqual(screen.height);
  expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(0);
});

test("boxes are there for a keyboard, and Enter on one does nothing @desk", async ({ page, agent, visit }) => {
  const word = rare();
  const action = await agent.propose(plain(`${word} one`));
  await visit(`/inbox?q=${word}`);
  await box(page, action.title).focus();
  await page.keyboard.press("Space");
  await expect(box(page, action.title)).toBeChecked();
  expect(await box(page, action.title).evaluate((input) => getComputedStyle(input).opacity)).toBe("1");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(`/inbox?q=${word}`);
  await expect(bar(page)).toContainText("selected");
});
