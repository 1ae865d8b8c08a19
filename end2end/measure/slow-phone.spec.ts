// How long somebody in a train waits for a card: a phone with a slow connection that has never been here before.
//
// A report, not a test: scripts/bench-page runs it and prints the table. It fails only if it can't measure.

import { test, expect } from "../support/test";

const LATENCY_MS = 150;
const BITS_PER_SECOND = 1_600_000;
const CPU_SLOWER = 4;
const READABLE_MS = 1_500;
const ROUNDS = 7;

interface Seen {
  /** When the card had been painted, in milliseconds from the click on the link. */
  readable: number;
  /** Whether its decision could be sent then, by a form that needs no program. */
  approvable: boolean;
  /** When the page was alive. */
  alive: number;
  /** Bytes that came. */
  bytes: number;
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

test("a card on a slow phone", async ({ agent, windowOf, person }) => {
  test.setTimeout(180_000);
  const { id } = await agent.propose({ idempotent: false, editable: ["preview.body"], payload: { to: "sarah@example.org", attachments: 2 } });
  for (const [name, path] of [
    ["card, from its link", `/inbox/${id}`],
    ["inbox", "/inbox"],
  ]) {
    const rounds: Seen[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      // A new window each time: nothing is in its cache, and no service worker is there.
      const page = await windowOf(person);
      const cdp = await page.context().newCDPSession(page);
      await cdp.send("Network.enable");
      let bytes = 0;
      cdp.on("Network.loadingFinished", ({ encodedDataLength }) => (bytes += encodedDataLength));
      const throughput = BITS_PER_SECOND / 8;
      await cdp.send("Network.emulateNetworkConditions", {
        offline: false,
        latency: LATENCY_MS,
        downloadThroughput: throughput,
        uploadThroughput: throughput,
      });
      await cdp.send("Emulation.setCPUThrottlingRate", { rate: CPU_SLOWER });
      await page.addInitScript(() => {
        const look = () => {
          const [paint] = performance.getEntriesByName("first-contentful-paint");
          const target = document.querySelector(".card .preview-body, .rows [data-key]");
          if (!paint || !target) return requestAnimationFrame(look);
          const button = document.querySelector<HTMLButtonElement>("form button[value='approve']");
          Object.assign(window, { seen: { readable: Math.max(paint.startTime, 0), approvable: button !== null && !button.disabled } });
        };
        look();
      });
      await page.goto(path, { waitUntil: "commit" });
      const seen: any = await page.waitForFunction(() => (window as any).seen, undefined, { timeout: 30_000 }).then((handle) => handle.jsonValue());
      await expect(page.locator("[data-live][data-link='online']")).toBeVisible({ timeout: 30_000 });
      rounds.push({ ...seen, alive: await page.evaluate(() => performance.now()), bytes });
      await page.close();
    }
    const readable = median(rounds.map((seen) => seen.readable));
    const verdict = readable <= READABLE_MS && rounds.every((seen) => seen.approvable) ? "ok" : "OVER";
    console.log(
      `${name.padEnd(22)}readable ${readable.toFixed(0)} ms (target ${READABLE_MS}), approvable then: ` +
        `${rounds.filter((seen) => seen.approvable).length} of ${ROUNDS}, alive ${median(rounds.map((seen) => seen.alive)).toFixed(0)} ms, ` +
        `${(median(rounds.map((seen) => seen.bytes)) / 1024).toFixed(0)} KB  ${verdict}`,
    );
  }
});
