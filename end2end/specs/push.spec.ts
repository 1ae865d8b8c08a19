// A browser is told while it is closed: switched on by whoever uses it, listed, and taken back.

import { ADA, expect, test, type Page } from "../support/test";
import { alive, card } from "../support/inbox";

test.use({ serverOf: "this test" });

/** Chromium has no push service here; what it would give has the same form. */
async function pushService(page: Page, permission: NotificationPermission) {
  await page.addInitScript((permission) => {
    const KEPT = "made-subscription";
    const restored = () => {
      const kept = localStorage.getItem(KEPT);
      if (!kept) return null;
      const { endpoint, p256dh, auth } = JSON.parse(kept);
      return {
        endpoint,
        getKey: (name: string) => Uint8Array.from(name === "auth" ? auth : p256dh).buffer,
        unsubscribe: async () => void localStorage.removeItem(KEPT),
      };
    };
    const { prototype } = PushManager as any;
    prototype.getSubscription = async () => restored();
    prototype.subscribe = async ({ userVisibleOnly, applicationServerKey }: any) => {
      if (!userVisibleOnly || applicationServerKey.length !== 65) throw new Error("Chromium would refuse this");
      const { publicKey } = await crypto.subtle.generateKey({ name: "ECDH", namedCurve: "P-256" }, true, ["deriveBits"]);
      const p256dh = [...new Uint8Array(await crypto.subtle.exportKey("raw", publicKey))];
      const auth = [...crypto.getRandomValues(new Uint8Array(16))];
      localStorage.setItem(KEPT, JSON.stringify({ endpoint: "https://push.invalid/one", p256dh, auth }));
      return restored();
    };
    Object.defineProperty(Notification, "permission", { get: () => permission });
    Notification.requestPermission = async () => permission;
  }, permission);
}

const devices = (page: Page) => page.getByRole("list", { name: "Devices" }).getByRole("listitem");

test("a device is switched on, says so, and is removed @hydrated", async ({ windowOf }) => {
  const page = await windowOf(ADA);
  await pushService(page, "granted");
  await page.goto("/account");
  await alive(page);
  await page.getByLabel("No content on the lock screen").check();
  await page.getByRole("button", { name: "Tell me on this device" }).click();
  await expect(page.getByRole("status").filter({ hasText: "This device is told from now on." })).toBeVisible();
  await expect(devices(page)).toHaveCount(1);
  await expect(devices(page)).toContainText("This device");
  await expect(devices(page)).toContainText("shows no content");
  await expect(page.getByRole("button", { name: "Tell me on this device" })).toBeHidden();

  await devices(page).getByRole("button", { name: /^Show content/ }).click();
  await expect(devices(page)).toContainText("shows content");
  await devices(page).getByRole("button", { name: /^Send a test/ }).click();
  await expect(devices(page)).toContainText("not told: ");
  await devices(page).getByRole("button", { name: /^Remove/ }).click();
  await expect(devices(page)).toHaveCount(0);
  await expect(page.getByRole("button", { name: "Tell me on this device" })).toBeVisible();
});

test("a browser that does not permit it is told what to do @hydrated", async ({ windowOf }) => {
  const page = await windowOf(ADA);
  await pushService(page, "denied");
  await page.goto("/account");
  await alive(page);
  await page.getByRole("button", { name: "Tell me on this device" }).click();
  await expect(page.getByText("This browser does not permit notifications from here.")).toBeVisible();
  await expect(devices(page)).toHaveCount(0);
});

/** The service worker of a page, and how it is handed a message as a push service would. */
async function worker(page: Page) {
  await page.goto("/inbox");
  const origin = new URL(page.url()).origin;
  await page.context().grantPermissions(["notifications"], { origin });
  await expect.poll(() => page.evaluate(async () => (await navigator.serviceWorker.getRegistration())?.active?.state)).toBe("activated");
  const browser = await page.context().newCDPSession(page);
  const registered = new Promise<string>((done) =>
    browser.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => registrations[0] && done(registrations[0].registrationId)),
  );
  await browser.send("ServiceWorker.enable");
  const registrationId = await registered;
  const shown = () =>
    page.evaluate(async () => {
      const worker = await navigator.serviceWorker.getRegistration();
      return (await worker!.getNotifications()).map(({ title, body, tag, data }) => ({ title, body, tag, path: data.path }));
    });
  // Chromium forgets a notification that is asked for between its being noted and its being shown: so nobody asks before
  // the worker has shown it.
  const [inside] = page.context().serviceWorkers();
  await inside.evaluate(() => {
    const here = self as any;
    const show = here.registration.showNotification.bind(here.registration);
    here.shownSoFar = 0;
    here.registration.showNotification = async (...said: unknown[]) => {
      await show(...said);
      here.shownSoFar += 1;
    };
  });
  const shownSoFar = () => inside.evaluate(() => (self as any).shownSoFar as number);
  const push = async (said: unknown) => {
    const before = await shownSoFar();
    await browser.send("ServiceWorker.deliverPushMessage", { origin, registrationId, data: JSON.stringify(said) });
    await expect.poll(shownSoFar).toBe(before + 1);
  };
  return { origin, shown, push };
}

/**
 * Presses a notification. Browsers let a worker open and focus windows only after a press of their own, which no test can
 * make without a desktop; so what the worker asks for is noted in their place.
 */
async function press(page: Page, title: string): Promise<{ opened: string[]; focused: string[] }> {
  const [worker] = page.context().serviceWorkers();
  return worker.evaluate(async (title) => {
    const here = self as any;
    const [opened, focused]: string[][] = [[], []];
    here.clients.openWindow = async (url: string) => void opened.push(url);
    here.WindowClient.prototype.focus = async function () {
      focused.push(this.url);
      return this;
    };
    const shown: Notification[] = await here.registration.getNotifications();
    const notification = shown.find((one) => one.title === title);
    if (!notification) throw new Error(`no notification ${title}`);
    const event = new here.NotificationEvent("notificationclick", { notification });
    const waits: Promise<unknown>[] = [];
    // The browser's own refuses events that a script made.
    Object.defineProperty(event, "waitUntil", { value: (promise: Promise<unknown>) => void waits.push(promise) });
    here.dispatchEvent(event);
    await Promise.all(waits);
    if (waits.length === 0) throw new Error("the browser would stop the worker before it is done");
    return { opened, focused };
  }, title);
}

test("a message becomes a notification that leads to the inbox and nowhere else @hydrated @desk", async ({ windowOf }) => {
  const { shown, push } = await worker(await windowOf(ADA));
  const tag = "act_AAAAAAAAAAAAAAAAAAAAAA";
  await push({ title: "Pay Acme", body: "b", url: `https://elsewhere.example/inbox/${tag}`, tag });
  await expect.poll(shown).toEqual([{ title: "Pay Acme", body: "b", tag, path: `/inbox/${tag}` }]);
  // The same again takes its place; what is none of ours leads to the inbox.
  await push({ title: "Pay Acme", body: "b", url: "https://elsewhere.example//evil.example/", tag });
  await expect.poll(shown).toEqual([{ title: "Pay Acme", body: "b", tag, path: "/inbox" }]);
});

test("a press on a notification opens its card, or the window that shows it already @hydrated @desk", async ({ agent, windowOf }) => {
  const page = await windowOf(ADA);
  const { origin, shown, push } = await worker(page);
  const action = await agent.propose({ title: "Pay Acme 500 €" });
  const said = { title: "Pay Acme 500 €", body: "b", url: `${origin}/inbox/${action.id}`, tag: action.id };
  const address = `${origin}/inbox/${action.id}`;

  // The window shows the list, in which somebody may be typing: it stays, and another one is opened.
  await push(said);
  await expect.poll(shown).toHaveLength(1);
  expect(await press(page, said.title)).toEqual({ opened: [address], focused: [] });
  await expect.poll(shown).toEqual([]);

  // What was opened is the card.
  await page.goto(address);
  await alive(page);
  await expect(card(page, said.title)).toBeVisible();

  // Now a window shows it, and no other one is opened.
  await push(said);
  await expect.poll(shown).toHaveLength(1);
  expect(await press(page, said.title)).toEqual({ opened: [], focused: [address] });
  await expect.poll(shown).toEqual([]);

  // What leads elsewhere leads to the inbox of this origin.
  await push({ ...said, url: "https://elsewhere.example/other" });
  await expect.poll(shown).toHaveLength(1);
  expect(await press(page, said.title)).toEqual({ opened: [`${origin}/inbox`], focused: [] });
});
