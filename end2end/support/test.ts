// The tests' `test`: a server, an agent, a signed-in page, and an eye on everything that pages do.

import { test as base, expect, type BrowserContext, type BrowserContextOptions, type Page } from "@playwright/test";
import type { Action, Agent } from "./agent";
import { ADA, GRACE, Server, type Person } from "./server";
import { alive } from "./inbox";
import { Watch } from "./watch";

export { ADA, GRACE, expect };
export type { Action, Page, Person };

/** How long news may take to reach a page. */
export const SOON = { timeout: 1_000 };

interface Options {
  /** Whether the test needs a server for itself: `fresh` is one that nobody has set up. */
  serverOf: "everybody" | "this test" | "fresh";
  /** Who is signed in on `page`. */
  person: Person | null;
}

interface WorkerFixtures {
  shared: { server(): Promise<Server>; session(person: Person): Promise<string>; agent(name: string, scope?: string): Promise<Agent> };
}

interface Fixtures {
  /** The server that this test is about. */
  server: Server;
  /** An agent that may propose and report. What it leaves undecided is cleared away after the test. */
  agent: Agent;
  /** A program that may decide. */
  decider: Agent;
  watch: Watch;
  /** Opens a page and waits until it is alive, where it can be. */
  visit(path: string, page?: Page): Promise<void>;
  /** A window of another browser, with somebody signed in. */
  windowOf(person: Person | null, options?: BrowserContextOptions): Promise<Page>;
}

function sessionCookie(value: string) {
  const sameSite = "Lax" as const;
  return { name: "impri_session", value, domain: "127.0.0.1", path: "/", httpOnly: true, secure: false, sameSite, expires: -1 };
}

export const test = base.extend<Fixtures & Options, WorkerFixtures>({
  serverOf: ["everybody", { option: true }],
  person: [ADA, { option: true }],

  // One server for all tests of a worker; sessions and keys are made once, because hashing passwords takes its time.
  shared: [
    async ({}, use) => {
      let server: Promise<Server> | undefined;
      const made = new Map<string, Promise<any>>();
      const once = <T>(key: string, make: () => Promise<T>): Promise<T> => {
        if (!made.has(key)) made.set(key, make());
        return made.get(key)!;
      };
      const start = () => (server ??= Server.startSetUp());
      await use({
        server: start,
        session: (person) => once(`session ${person.email}`, async () => (await start()).signIn(person)),
        agent: (name, scope) => once(`key ${name}`, async () => (await start()).agent(name, scope)),
      });
      await (await server?.catch(() => undefined))?.stop();
    },
    { scope: "worker", timeout: 90_000 },
  ],

  server: [
    async ({ shared, serverOf }, use, testInfo) => {
      const own = serverOf === "everybody" ? undefined : await (serverOf === "fresh" ? Server.start() : Server.startSetUp());
      const server = own ?? (await shared.server());
      const before = server.log.length;
      await use(server);
      if (testInfo.status !== testInfo.expectedStatus) {
        await testInfo.attach("server log", { body: server.log.slice(before), contentType: "text/plain" });
      }
      await own?.stop();
    },
    { timeout: 90_000 },
  ],

  baseURL: async ({ server }, use) => use(server.url),

  agent: async ({ server, shared, serverOf, decider }, use) => {
    const agent = serverOf === "everybody" ? await shared.agent("Support assistant") : await server.agent("Support assistant");
    const already = agent.proposed.length;
    await use(agent);
    if (serverOf !== "everybody") return;
    for (const { id } of agent.proposed.slice(already)) {
      await decider.decide(id, "reject", { comment: "Cleared away." }).catch(() => undefined);
    }
  },

  decider: async ({ server, shared, serverOf }, use) => {
    await use(serverOf === "everybody" ? await shared.agent("Release gate", "decide") : await server.agent("Release gate", "decide"));
  },

  watch: [
    async ({ server }, use) => {
      const watch = new Watch(() => server.url);
      await use(watch);
      expect(watch.complaints, "what the pages complained about").toEqual([]);
    },
    { auto: true },
  ],

  context: async ({ context, server, shared, serverOf, person, watch, javaScriptEnabled }, use) => {
    await watch.over(context, javaScriptEnabled !== false);
    if (person && serverOf !== "fresh") {
      await context.addCookies([sessionCookie(serverOf === "everybody" ? await shared.session(person) : await server.signIn(person))]);
    }
    await use(context);
  },

  visit: async ({ page, javaScriptEnabled }, use) => {
    await use(async (path, other = page) => {
      await other.goto(path);
      if (javaScriptEnabled !== false && (await other.locator("[data-live]").count()) > 0) await alive(other);
    });
  },

  windowOf: async ({ browser, contextOptions, server, shared, serverOf, watch, viewport, isMobile, hasTouch, javaScriptEnabled, baseURL }, use) => {
    const opened: BrowserContext[] = [];
    await use(async (person, options = {}) => {
      const context = await browser.newContext({ ...contextOptions, viewport, isMobile, hasTouch, javaScriptEnabled, baseURL, ...options });
      opened.push(context);
      await watch.over(context, (options.javaScriptEnabled ?? javaScriptEnabled) !== false);
      if (person) await context.addCookies([sessionCookie(serverOf === "everybody" ? await shared.session(person) : await server.signIn(person))]);
      return context.newPage();
    });
    for (const context of opened) await context.close();
  },
});
