// What no page may do, whatever the test is about: complain, break the content security policy, fail to load
// something of its own, or ask anybody else for anything.

import type { BrowserContext } from "@playwright/test";

export class Watch {
  private readonly problems: string[] = [];
  private readonly known: RegExp[] = [];
  /** Every request, as `GET /path`. */
  readonly requests: string[] = [];

  constructor(private readonly origin: () => string) {}

  /** Takes a complaint for granted that the test brings about on purpose. */
  expect(...complaints: RegExp[]) {
    this.known.push(...complaints);
  }

  /** What was seen and not expected. */
  get complaints(): string[] {
    return this.problems.filter((problem) => !this.known.some((known) => known.test(problem)));
  }

  /** Watches a browser's window. Without scripts the browser refuses to fetch them, which is no complaint. */
  async over(context: BrowserContext, hasScripts: boolean) {
    const note = (problem: string) => void this.problems.push(problem);
    context.on("console", (message) => {
      if (!hasScripts && message.text().includes("was preloaded using link preload but not used")) return;
      // Leptos says on the console that a page does not fit the program in it; both kinds count.
      if (["error", "warning", "assert"].includes(message.type())) {
        note(`console ${message.type()}: ${message.text()} (${message.location().url})`);
      }
    });
    context.on("weberror", (error) => note(`uncaught: ${error.error()}`));
    context.on("request", (request) => {
      const url = new URL(request.url());
      if (url.protocol === "blob:" || url.protocol === "about:") return;
      if (url.origin !== this.origin()) note(`foreign request: ${request.url().slice(0, 200)}`);
      else this.requests.push(`${request.method()} ${url.pathname}`);
    });
    context.on("requestfailed", (request) => {
      const why = request.failure()?.errorText ?? "";
      // What a page was still loading when it was left.
      if (why === "net::ERR_ABORTED" || (why === "csp" && !hasScripts)) return;
      // … which fails so where the service worker was asked for it.
      if (why === "net::ERR_FAILED" && new URL(request.url()).pathname === "/favicon.svg") return;
      note(`failed request: ${request.url().slice(0, 200)} ${why}`);
    });
    context.on("response", (response) => {
      if (response.status() >= 400) note(`status ${response.status()}: ${response.request().method()} ${response.url()}`);
    });
    context.on("dialog", (dialog) => {
      // Whether to leave what was typed: the test says so by leaving.
      if (dialog.type() === "beforeunload") return void dialog.accept();
      note(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    await context.addInitScript(() => {
      document.addEventListener("securitypolicyviolation", (event) => {
        console.error(`CSP: ${event.violatedDirective} ${event.blockedURI} ${event.sample}`);
      });
    });
  }
}
