// The installed app: what a browser asks of it, and what it shows without a connection.

import { expect, test } from "../support/test";
import { card } from "../support/inbox";

test("it can be installed @hydrated", async ({ page, visit, request }) => {
  await visit("/inbox");
  const manifest = await (await request.get((await page.locator("link[rel=manifest]").getAttribute("href"))!)).json();
  expect(manifest).toMatchObject({ start_url: "/inbox", display: "standalone" });
  for (const { src, sizes, type } of manifest.icons) {
    const icon = await request.get(src);
    expect(icon.headers()["content-type"], `${src} ${sizes}`).toContain(type);
  }
  await expect.poll(() => page.evaluate(async () => (await navigator.serviceWorker.getRegistration())?.active?.state)).toBe("activated");
});

test("without a connection a page of ours says so, and holds nothing that was decided @hydrated", async ({ page, agent, visit, watch, context }) => {
  watch.expect(/ERR_INTERNET_DISCONNECTED/, /ERR_FAILED/);
  const action = await agent.propose();
  await visit(`/inbox/${action.id}`);
  await expect.poll(() => page.evaluate(async () => (await navigator.serviceWorker.getRegistration())?.active?.state)).toBe("activated");
  await visit(`/inbox/${action.id}`);
  await context.setOffline(true);
  await page.goto(`/inbox/${action.id}`);
  await expect(page.getByRole("heading", { name: "No connection" })).toBeVisible();
  await expect(page.getByRole("link", { name: "Try again" })).toBeVisible();
  const kept = await page.evaluate(async () => {
    const texts: string[] = [];
    for (const name of await caches.keys()) {
      const cache = await caches.open(name);
      for (const request of await cache.keys()) texts.push(`${new URL(request.url).pathname}`);
    }
    return texts.sort();
  });
  expect(kept).toEqual(["/favicon.svg", "/offline.css", "/offline.html", "/offline.js"]);
  // It tries again by itself.
  await context.setOffline(false);
  await expect(card(page, action.title)).toBeVisible();
});
