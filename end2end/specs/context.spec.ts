// What was decided before, beside what is to be decided now.

import { expect, test } from "../support/test";
import { approve, card, decision, reject } from "../support/inbox";

let count = 0;
const rare = () => `past${(count += 1)}.k${Date.now().toString(36)}`;
const LETTER = "Dear Sarah,\n\nthank you for the call on Tuesday. As promised, here is the plan for the first four weeks.";

test("the same and nearly the same as a rejected one are told, before the content", async ({ page, agent, visit }) => {
  const kind = rare();
  const letter = { kind, title: "The plan", preview: { format: "plain" as const, body: LETTER } };
  const first = await agent.propose(letter);
  await visit(`/inbox/${first.id}`);
  await expect(page.getByText(/content was/)).toHaveCount(0);
  await page.getByText("Add a reason").click();
  await page.getByLabel(/^Reason/).fill("Wrong Sarah.");
  await reject(page).click();
  await expect(decision(page)).toContainText("Rejected");

  const again = await agent.propose(letter);
  await visit(`/inbox/${again.id}`);
  const said = card(page).locator(".alike");
  await expect(said).toContainText("Rejected before");
  await expect(said).toContainText("The same content was rejected by you");
  await expect(said).toContainText("Wrong Sarah.");
  const [warning, content] = [(await said.boundingBox())!, (await page.getByRole("region", { name: "Content" }).boundingBox())!];
  expect(warning.y + warning.height).toBeLessThanOrEqual(content.y);
  await expect(approve(page)).toBeInViewport();

  const nearly = await agent.propose({ ...letter, preview: { format: "plain", body: LETTER.replace("Tuesday", "Wednesday") } });
  await visit(`/inbox/${nearly.id}`);
  await expect(said).toContainText("Nearly the same content was rejected by you");
  await page.getByRole("link", { name: "Look at it: The plan" }).click();
  await expect(page).toHaveURL(`/inbox/${first.id}`);
  await expect(decision(page)).toContainText("Wrong Sarah.");
});

test("the last decisions of kind and agent, and how the last run ended", async ({ page, agent, decider, visit }) => {
  const kind = rare();
  const one = await agent.propose({ kind, title: "Letter one" });
  await decider.decide(one.id, "approve");
  await agent.report(one.id, "execute_failed", "The mailbox is full.");
  const two = await agent.propose({ kind, title: "Letter two" });
  await decider.decide(two.id, "reject", { comment: "Too early." });
  const now = await agent.propose({ kind, title: "Letter three" });
  await visit(`/inbox/${now.id}`);
  const past = page.getByRole("region", { name: /^Decided before/ });
  await expect(past).toContainText(`${kind} from Support assistant`);
  await expect(past.getByRole("listitem")).toHaveCount(2);
  await expect(past.getByRole("listitem").first()).toContainText("Too early.");
  await expect(past.getByRole("listitem").last()).toContainText("The mailbox is full.");
  await expect(approve(page)).toBeInViewport();
  await past.getByRole("link", { name: "Letter one" }).click();
  await expect(page).toHaveURL(`/inbox/${one.id}`);
});

test("on a wide screen the past stands beside the content @hydrated @desk", async ({ page, agent, decider, visit }) => {
  const kind = rare();
  const one = await agent.propose({ kind });
  await decider.decide(one.id, "approve");
  const now = await agent.propose({ kind });
  await page.setViewportSize({ width: 1920, height: 1000 });
  await visit(`/inbox?at=${now.id}`);
  const past = (await page.getByRole("region", { name: /^Decided before/ }).boundingBox())!;
  const content = (await page.getByRole("region", { name: "Content" }).boundingBox())!;
  expect(past.x).toBeGreaterThanOrEqual(content.x + content.width);
  expect(past.y).toBeLessThanOrEqual(content.y);
});
