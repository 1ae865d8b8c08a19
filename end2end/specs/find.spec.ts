// Finding in the inbox: tabs, words and filters are in the address; news move nothing that is read.

import { ADA, expect, SOON, test, type Page } from "../support/test";
import { card, list, row } from "../support/inbox";

const tab = (page: Page, name: string) => page.getByRole("navigation", { name: "Status" }).getByRole("link", { name: new RegExp(`^${name}`) });
const rows = (page: Page) => page.locator("a.row");
const words = (page: Page) => page.getByRole("searchbox", { name: "Search title and text" });

let count = 0;
/** A word that nothing else on the server has. */
const rare = () => `needle${(count += 1)}x${Date.now().toString(36)}`;

test("a tab for every end, with who decided and when", async ({ page, agent, decider, visit }) => {
  const word = rare();
  const waits = await agent.propose({ title: `${word} waits` });
  const yes = await agent.propose({ title: `${word} yes`, editable: ["preview.body"] });
  const no = await agent.propose({ title: `${word} no` });
  await decider.decide(yes.id, "approve", { edited: { "preview.body": "Other words." } });
  await decider.decide(no.id, "reject", { comment: "No." });

  await visit(`/inbox?q=${word}`);
  await expect(rows(page)).toHaveText([new RegExp(waits.title)]);
  await expect(tab(page, "Pending")).toHaveText("Pending 1");
  await expect(tab(page, "Approved")).toHaveText("Approved 1");
  await tab(page, "Approved").click();
  await expect(page).toHaveURL(`/inbox?status=approved&q=${word}`);
  await expect(tab(page, "Approved")).toHaveAttribute("aria-current", "page");
  await expect(rows(page)).toHaveCount(1);
  await expect(rows(page)).toContainText("Approved");
  await expect(rows(page)).toContainText("by Release gate with 1 edit");
  await agent.report(yes.id, "execute_failed", "The mailbox is full.");
  await tab(page, "Failed").click();
  await expect(rows(page)).toContainText(yes.title);
  await tab(page, "Rejected").click();
  await expect(rows(page)).toContainText(no.title);
  await page.goBack();
  await expect(tab(page, "Failed")).toHaveAttribute("aria-current", "page");
  await expect(rows(page)).toContainText(yes.title);
});

test("words and filters are in the address, and come off one by one", async ({ page, agent, visit }) => {
  const word = rare();
  const pay = await agent.propose({ title: `${word} pay`, kind: "invoice.pay" });
  const mail = await agent.propose({ title: "A letter", preview: { body: `${"Nothing to see. ".repeat(60)} It is about ${word}.` } });
  await visit("/inbox");
  await words(page).fill(word.slice(0, -2).toUpperCase());
  await words(page).press("Enter");
  await expect(page).toHaveURL(`/inbox?q=${word.slice(0, -2).toUpperCase()}`);
  await expect(rows(page)).toHaveCount(2);
  // Where the word stands deep in the text, the row shows it.
  await expect(row(page, mail.title).locator("mark")).toHaveText(word.slice(0, -2));

  await page.getByText("Filters", { exact: true }).click();
  await page.getByLabel("Kind", { exact: true }).fill("invoice.pay");
  await page.getByLabel("From", { exact: true }).fill("2020-01-01");
  await page.getByRole("button", { name: "Show" }).click();
  await expect(page).toHaveURL(/\?q=[A-Z0-9]+&kind=invoice\.pay&since=2020-01-01$/);
  await expect(rows(page)).toHaveCount(1);
  await expect(rows(page)).toContainText(pay.title);

  // The address is the search: somebody else sees the same.
  await page.goto(page.url());
  await expect(page.getByRole("list", { name: "Filtered by" }).getByRole("link")).toHaveCount(3);
  await page.getByRole("link", { name: /Remove the filter Kind/ }).click();
  await expect(rows(page)).toHaveCount(2);
  await page.getByRole("link", { name: /Remove the filter Words/ }).click();
  await expect(page).toHaveURL("/inbox?since=2020-01-01");
});

test("what runs out first is first, and the order stays", async ({ page, agent, visit, javaScriptEnabled, isMobile }) => {
  const word = rare();
  const calm = await agent.propose({ title: `${word} calm`, expires_in: 7_200 });
  const soon = await agent.propose({ title: `${word} soon`, expires_in: 600 });
  const last = await agent.propose({ title: `${word} last`, expires_in: 90_000 });
  await visit(`/inbox?q=${word}`);
  await expect(rows(page)).toContainText([last.title, soon.title, calm.title]);
  await expect(row(page, soon.title)).toContainText(/(9|10) min left/);
  await expect(row(page, soon.title)).toContainText(/proposed (just now|\d+ s ago)/);
  await expect(page.getByText(/runs? out within 15 minutes/)).toBeVisible();
  const orders = page.getByRole("navigation", { name: "Order" });
  await orders.getByRole("link", { name: "Running out first" }).click();
  await expect(page).toHaveURL(`/inbox?q=${word}&order=due`);
  await expect(orders.getByRole("link", { name: "Running out first" })).toHaveAttribute("aria-current", "true");
  await expect(rows(page)).toContainText([soon.title, calm.title, last.title]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(0);

  // Through a card, its decision and on: with a script at once, without one by way of the decided card.
  if (isMobile) await row(page, soon.title).click();
  await expect(card(page, soon.title)).toBeVisible();
  await page.getByRole("button", { name: "Approve", exact: true }).click();
  if (javaScriptEnabled === false) {
    await expect(page).toHaveURL(`/inbox/${soon.id}?done=1&q=${word}&order=due`);
    await expect(page.locator("a.back")).toHaveAttribute("href", `/inbox?q=${word}&order=due`);
    await page.getByRole("link", { name: "Next", exact: true }).click();
  }
  await expect(card(page, calm.title)).toBeVisible();
  await expect(page).toHaveURL(`/inbox?q=${word}&order=due&at=${calm.id}`);
  await visit(`/inbox?q=${word}&order=due`);
  await expect(rows(page)).toContainText([calm.title, last.title]);
});

test("the line of what runs out leads to that order @desk", async ({ page, agent, visit }) => {
  const soon = await agent.propose({ expires_in: 300 });
  await visit(`/inbox?q=${rare()}`);
  await page.getByRole("link", { name: /runs? out within 15 minutes/ }).click();
  await expect(page).toHaveURL("/inbox?order=due");
  await expect(row(page, soon.title)).toBeVisible();
});

test("what comes takes its place by the time that is left @hydrated @desk", async ({ page, agent, visit }) => {
  const word = rare();
  const calm = await agent.propose({ title: `${word} calm`, expires_in: 7_200 });
  await visit(`/inbox?q=${word}&order=due`);
  await page.mouse.move(900, 300);
  await expect(rows(page)).toHaveCount(1);
  const last = await agent.propose({ title: `${word} last`, expires_in: 90_000 });
  await expect(rows(page)).toContainText([calm.title, last.title], SOON);
  const soon = await agent.propose({ title: `${word} soon`, expires_in: 300 });
  await expect(rows(page)).toContainText([soon.title, calm.title, last.title], SOON);
  await expect(card(page, calm.title)).toBeVisible();
  await page.keyboard.press("j");
  await expect(card(page, last.title)).toBeVisible();
  await page.keyboard.press("k");
  await page.keyboard.press("k");
  await expect(card(page, soon.title)).toBeVisible();
});

test("what was decided last is on top", async ({ page, agent, decider, visit }) => {
  const word = rare();
  const first = await agent.propose({ title: `${word} first` });
  const second = await agent.propose({ title: `${word} second` });
  await decider.decide(second.id, "reject");
  await decider.decide(first.id, "reject");
  await visit(`/inbox?status=rejected&q=${word}`);
  await expect(rows(page)).toContainText([first.title, second.title]);
});

test("a card is opened within a search and the way back leads there", async ({ page, agent, visit }) => {
  const word = rare();
  const first = await agent.propose({ title: `${word} first` });
  await agent.propose({ title: `${word} second` });
  await visit(`/inbox?q=${word}`);
  await row(page, first.title).click();
  await expect(card(page, first.title)).toBeVisible();
  await expect(page).toHaveURL(`/inbox?q=${word}&at=${first.id}`);
  await page.goBack();
  await expect(page).toHaveURL(`/inbox?q=${word}`);
  await expect(rows(page)).toHaveCount(2);
});

test("where nothing fits, the page says so and leads back", async ({ page, visit }) => {
  await visit(`/inbox?status=rejected&q=${rare()}`);
  await expect(page.getByRole("heading", { name: "No rejected actions fit" })).toBeVisible();
  await page.getByRole("link", { name: "Clear the search" }).click();
  await expect(page).toHaveURL("/inbox?status=rejected");
});

test("an address that makes no sense is said to make none", async ({ page, watch, visit }) => {
  watch.expect(/does not conform to the required format/);
  for (const query of ["status=weather", "since=yesterday", "cursor=x"]) {
    await visit(`/inbox?${query}`);
    await expect(page.getByRole("alert")).toBeVisible();
    await expect(rows(page)).toHaveCount(0);
  }
});

test("a decision within a search goes on within it @hydrated @desk", async ({ page, agent, visit }) => {
  const word = rare();
  const last = await agent.propose({ title: `${word} last` });
  const first = await agent.propose({ title: `${word} first` });
  await visit(`/inbox?q=${word}`);
  await expect(card(page, first.title)).toBeVisible();
  await page.getByRole("button", { name: "Approve", exact: true }).click();
  await expect(card(page, last.title)).toBeVisible();
  await expect(page).toHaveURL(`/inbox?q=${word}&at=${last.id}`);
  await expect(rows(page)).toHaveCount(1);
  await expect(tab(page, "Approved")).toHaveText("Approved 1");
});

test("tabs and counts follow what happens elsewhere @hydrated @desk", async ({ page, agent, decider, visit }) => {
  const word = rare();
  const action = await agent.propose({ title: `${word} one` });
  await visit(`/inbox?status=approved&q=${word}`);
  await expect(rows(page)).toHaveCount(0);
  await decider.decide(action.id, "approve");
  await expect(row(page, action.title)).toBeVisible(SOON).catch(() => undefined);
  await expect(page.getByRole("region", { name: "Approved actions" }).getByRole("link", { name: action.title })).toBeVisible(SOON);
  await expect(tab(page, "Pending")).toHaveText("Pending 0");
  await expect(tab(page, "Approved")).toHaveText("Approved 1");
  await agent.report(action.id, "executed", "Done.");
  await expect(rows(page)).toHaveCount(0, SOON);
  await expect(tab(page, "Executed")).toHaveText("Executed 1");
});

test("a list that is scrolled stays where it is, and says how many are new @hydrated", async ({ page, agent, decider, visit, isMobile }) => {
  const word = rare();
  const actions = [];
  for (let number = 0; number < 16; number++) actions.push(await agent.propose({ title: `${word} number ${number}` }));
  await visit(`/inbox?q=${word}`);
  const middle = row(page, `${word} number 5`);
  await page.locator(isMobile ? "html" : ".inbox-side").evaluate((scroller) => scroller.scrollTo(0, 400));
  if (!isMobile) await page.mouse.move(900, 300);
  const place = await middle.boundingBox();

  await agent.propose({ title: `${word} new` });
  await agent.propose({ title: `${word} newer` });
  const news = page.getByRole("link", { name: "2 new", exact: true });
  await expect(news).toBeVisible(SOON);
  expect(await middle.boundingBox()).toEqual(place);
  await expect(row(page, `${word} newer`)).toHaveCount(0);
  // What was decided elsewhere goes, and nothing moves under the eye: not above, and not below.
  await decider.decide(actions[14].id, "reject");
  await expect(row(page, actions[14].title)).toHaveCount(0, SOON);
  expect((await middle.boundingBox())!.y).toBeCloseTo(place!.y, 0);

  await news.click();
  await expect(row(page, `${word} newer`)).toBeInViewport();
  await expect(page.getByRole("link", { name: "2 new", exact: true })).toHaveCount(0);
  await expect(page).toHaveURL(`/inbox?q=${word}`);
});

test("what is pointed at does not jump away @hydrated @desk", async ({ page, agent, visit }) => {
  const word = rare();
  await agent.propose({ title: `${word} one` });
  await agent.propose({ title: `${word} two` });
  await visit(`/inbox?q=${word}`);
  await row(page, `${word} two`).hover();
  const place = await row(page, `${word} two`).boundingBox();
  await agent.propose({ title: `${word} three` });
  await expect(page.getByRole("link", { name: "1 new", exact: true })).toBeVisible(SOON);
  await expect(row(page, `${word} three`)).toHaveCount(0);
  expect((await row(page, `${word} two`).boundingBox())!.y - place!.y).toBeLessThanOrEqual(44);
  // Away from the list, the next news let it in.
  await page.mouse.move(900, 300);
  await agent.propose({ title: `${word} four` });
  await expect(row(page, `${word} four`)).toBeVisible(SOON);
  await expect(row(page, `${word} three`)).toBeVisible();
});

test.describe("with many actions", () => {
  test.use({ serverOf: "this test" });

  test("pages survive what comes meanwhile @hydrated @desk", async ({ page, agent, visit }) => {
    const titles: string[] = [];
    for (let number = 0; number < 60; number++) titles.push((await agent.propose()).title);
    await visit("/inbox");
    await page.getByRole("link", { name: "Older" }).click();
    await expect(rows(page)).toHaveCount(10);
    await expect(page.getByRole("link", { name: "Back to the newest" })).toBeVisible();
    await expect(page.locator("[data-live]")).toHaveAttribute("data-link", "online");
    const late = await agent.propose();
    const news = page.getByRole("link", { name: "1 new", exact: true });
    await expect(news).toBeVisible(SOON);
    await expect(rows(page).first()).toContainText(titles[9]);
    await expect(rows(page)).toHaveCount(10);
    await news.click();
    await expect(rows(page).first()).toContainText(late.title);
    await expect(page).not.toHaveURL(/cursor/);
    await page.goBack();
    await expect(rows(page).first()).toContainText(titles[9]);
  });
});

test("the tabs of a phone are all in sight @phone", async ({ page, agent, decider, visit }) => {
  const action = await agent.propose();
  await decider.decide(action.id, "reject");
  await visit("/inbox?status=cancelled");
  const strip = page.getByRole("navigation", { name: "Status" });
  for (const each of await strip.getByRole("link").all()) await expect(each).toBeInViewport({ ratio: 1 });
  for (const each of await strip.getByRole("link").all()) expect((await each.boundingBox())!.height).toBeGreaterThanOrEqual(44);
  await tab(page, "Rejected").tap();
  await expect(rows(page).first()).toContainText(`by Release gate`);
  expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(0);
});

test("you are told what you decided yourself", async ({ page, agent, visit }) => {
  const word = rare();
  const action = await agent.propose({ title: `${word} mine` });
  await visit(`/inbox/${action.id}`);
  await page.getByRole("button", { name: "Reject" }).click();
  await expect(page.getByRole("region", { name: "Decision" })).toContainText("Rejected");
  await visit(`/inbox?status=rejected&q=${word}`);
  await expect(rows(page)).toContainText(`by ${ADA.name}`);
  await expect(list(page)).toHaveCount(0);
});
