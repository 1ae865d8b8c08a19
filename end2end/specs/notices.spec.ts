// A browser tells of new actions while nobody looks at the tab, if somebody ticked that.

import { ADA, expect, test, type Page } from "../support/test";
import { alive } from "../support/inbox";

test.use({ serverOf: "this test" });

/** Notes what the page would show and play; both leave the page, where a test can't look. */
async function listen(page: Page, isLookedAt: boolean) {
  await page.addInitScript((isLookedAt) => {
    const told: string[] = [];
    Object.assign(window, { told });
    class Noted extends EventTarget {
      static permission = "granted";
      static requestPermission = async () => "granted";
      constructor(title: string, { body, tag }: NotificationOptions) {
        super();
        told.push(`${title}: ${body} [${tag}]`);
      }
      close() {}
    }
    Object.assign(window, { Notification: Noted });
    const start = OscillatorNode.prototype.start;
    OscillatorNode.prototype.start = function (when) {
      told.push("tone");
      return start.call(this, when);
    };
    document.hasFocus = () => isLookedAt;
  }, isLookedAt);
}

const told = (page: Page) => page.evaluate(() => (window as any).told as string[]);

test("what is ticked is told, once, and only where nobody looks @hydrated @desk", async ({ agent, windowOf }) => {
  const account = await windowOf(ADA);
  await listen(account, false);
  await account.goto("/account");
  await alive(account);
  const notify = account.getByLabel("Show a notification when an action comes");
  await expect(notify).not.toBeChecked();
  await agent.propose();
  await expect(account.getByRole("navigation", { name: "Main" }).getByRole("link", { name: /Inbox/ })).toHaveText("Inbox 1");
  expect(await told(account)).toEqual([]);

  await notify.check();
  await account.getByLabel("Play a sound when an action comes").check();
  await expect.poll(() => told(account)).toEqual(["tone", "tone"]);
  const other = await account.context().newPage();
  await listen(other, false);
  await other.goto("/inbox");
  await alive(other);
  await agent.propose({ title: "A secret of Sarah's" });
  const all = async () => [...(await told(account)), ...(await told(other))];
  await expect.poll(all).toEqual(["tone", "tone", "Impri: Something new waits in the inbox. [impri-new]", "tone", "tone"]);
  await account.reload();
  await expect(notify).toBeChecked();
});

test("a tab that is looked at keeps the others quiet @hydrated @desk", async ({ agent, windowOf }) => {
  const seen = await windowOf(ADA);
  await listen(seen, true);
  await seen.goto("/account");
  await alive(seen);
  await seen.getByLabel("Show a notification when an action comes").check();
  const hidden = await seen.context().newPage();
  await listen(hidden, false);
  await hidden.goto("/inbox");
  await alive(hidden);
  await agent.propose();
  await expect(hidden.getByRole("navigation", { name: "Main" }).getByRole("link", { name: /Inbox/ })).toHaveText("Inbox 1");
  expect([...(await told(seen)), ...(await told(hidden))]).toEqual([]);
});

test("a browser that permits nothing says how to change that @hydrated", async ({ windowOf }) => {
  const page = await windowOf(ADA);
  await page.addInitScript(() => {
    Object.assign(window, { Notification: { permission: "denied", requestPermission: async () => "denied" } });
  });
  await page.goto("/account");
  await alive(page);
  const notify = page.getByLabel("Show a notification when an action comes");
  await notify.click();
  await expect(page.getByText("This browser does not permit notifications from here.")).toBeVisible();
  await expect(notify).not.toBeChecked();
});

test("without scripts nothing is offered that does nothing @plain", async ({ page, visit }) => {
  await visit("/account");
  await expect(page.getByRole("heading", { name: "Notices" })).toBeVisible();
  await expect(page.getByLabel("Play a sound when an action comes")).toBeHidden();
});
