// Every page and every state, in light and dark: axe finds nothing, and with IMPRI_SCREENSHOTS each leaves a picture.

import { ADA, GRACE, expect, test } from "../support/test";
import { card, confirmed, decision, list } from "../support/inbox";
import { expectNothingWider, look } from "../support/look";
import { spendTheAfternoon } from "../support/harbour";

test.describe("before the first action", () => {
  test.use({ serverOf: "fresh" });

  test("the door and the first page @hydrated", async ({ page, server, watch }) => {
    await page.goto("/sign-in");
    await expect(page.getByRole("heading", { name: "Not set up yet" })).toBeVisible();
    await look(page, "not-set-up");
    await page.goto(server.setupLink());
    await look(page, "set-up");
    watch.expect(/status 410/, /status of 410/);
    await page.goto("/setup?token=old");
    await expect(page.getByRole("heading", { name: "This set-up link does not work" })).toBeVisible();
    await look(page, "set-up-replaced");
    await page.goto(server.setupLink());
    await page.getByLabel("Your name").fill(ADA.name);
    await page.getByLabel("E-mail").fill(ADA.email);
    await page.getByLabel("Password").fill(ADA.password);
    await page.getByLabel("Project").fill("Harbour");
    await page.getByRole("button", { name: "Create account and project" }).click();
    await expect(page.getByText("Waiting for your first action")).toBeVisible();
    await look(page, "welcome");
  });
});

test.describe("an afternoon", () => {
  test.use({ serverOf: "this test" });

  test("every page and state @hydrated", async ({ page, server, visit, windowOf, watch }) => {
    test.setTimeout(300_000);
    const { refund, command, migration, deploy, mail, spoof, approved, rejected, failed, expired } = await spendTheAfternoon(server);

    await visit("/inbox");
    await expect(list(page).getByRole("link")).toHaveCount(6);
    await look(page, "inbox");
    await page.getByRole("button", { name: ADA.name }).click();
    await expect(page.getByRole("button", { name: "Sign out" })).toBeVisible();
    await look(page, "person-menu");

    const pending = { refund, command, migration, deploy, mail, spoof };
    for (const [name, action] of Object.entries(pending)) {
      await visit(`/inbox?at=${action.id}`);
      await expect(card(page)).toBeVisible();
      await look(page, `card-${name}`);
    }
    for (const [name, action] of Object.entries({ approved, rejected, failed, expired })) {
      await visit(`/inbox/${action.id}`);
      await expect(decision(page)).toBeVisible();
      await look(page, `ended-${name}`);
    }

    await visit(`/inbox/${refund.id}`);
    await look(page, "alone");
    await page.getByText(/^Edit\s+4 values/).click();
    await page.getByLabel("payload.amount", { exact: true }).fill("119.90");
    await look(page, "editing");
    await page.getByText("Add a reason").click();
    await page.getByLabel(/^Reason/).fill("Ten euros for the missing box.");
    await look(page, "reason");
    await page.getByRole("button", { name: /^Approve/ }).click();
    await expect(page.getByRole("dialog", { name: "Approve this?" })).toBeVisible();
    await look(page, "confirm");
    await page.keyboard.press("Escape");
    await page.getByLabel("payload.amount", { exact: true }).fill("a hundred");
    await page.getByRole("button", { name: /^Approve/ }).click();
    await expect(page.getByRole("alert")).toBeVisible();
    await look(page, "refused");

    await visit("/history");
    await look(page, "history");
    await visit(`/history?action=${approved.id}`);
    await look(page, "history-of-one");
    await visit("/history?agent=Support+assistant&verdict=approve&edited=yes");
    await look(page, "history-more-filters");
    await visit("/history/report?event=decisions");
    await look(page, "history-report");
    await visit("/history?since=2020-01-01&until=2020-01-02&event=decisions");
    await look(page, "history-nothing");

    await visit("/connect");
    await look(page, "connect");
    await page.getByLabel("Name of the agent").fill("Night shift");
    await page.getByRole("button", { name: "Make a key" }).click();
    await expect(page.getByText("It is shown this once")).toBeVisible();
    await look(page, "connect-key");

    watch.expect(/status 404/, /status of 404/);
    await page.goto("/nowhere");
    await look(page, "not-found");
    await page.goto("/inbox/act_AAAAAAAAAAAAAAAAAAAAAA");
    await look(page, "no-such-action");

    await visit(`/inbox?at=${command.id}`);
    await page.getByRole("button", { name: "Approve" }).click();
    await confirmed(page);
    await expect(page.getByRole("status").filter({ hasText: command.title })).toContainText("Approved");
    await expect(page.getByRole("button", { name: /^Approve/ })).toBeEnabled();
    await look(page, "after-a-decision");

    const stranger = await windowOf(null);
    await stranger.goto("/sign-in");
    await look(stranger, "sign-in");
    await stranger.getByLabel("E-mail").fill(GRACE.email);
    await stranger.getByLabel("Password").fill("not her password");
    await stranger.getByRole("button", { name: "Sign in" }).click();
    await expect(stranger.getByRole("alert")).toBeVisible();
    await look(stranger, "sign-in-refused");

    const gate = await server.agent("Night shift", "decide");
    for (const action of [refund, migration, deploy, mail, spoof]) await gate.decide(action.id, "reject");
    await visit("/inbox");
    await expect(page.getByRole("heading", { name: "Nothing waits for you" })).toBeVisible();
    await look(page, "inbox-empty");

    watch.expect(/ERR_CONNECTION_REFUSED/, /ERR_INCOMPLETE_CHUNKED_ENCODING/, /ERR_EMPTY_RESPONSE/, /ERR_CONNECTION_RESET/);
    await server.pause();
    await expect(page.getByText("The server is out of reach.")).toBeVisible();
    await look(page, "offline");
  });

  test("what is looked for, decided together and known from before @hydrated", async ({ page, server, visit }) => {
    test.setTimeout(300_000);
    const { rejected } = await spendTheAfternoon(server);
    const seen = async (state: string) => {
      await look(page, state);
      await expectNothingWider(page);
    };

    for (const status of ["rejected", "executed", "execute_failed", "cancelled"]) {
      await visit(`/inbox?status=${status}`);
      await seen(`tab-${status}`);
    }
    await visit("/inbox?q=invoice&since=2020-01-01");
    await expect(page.locator("mark").first()).toBeAttached();
    await seen("search");
    await page.getByText("Filters", { exact: true }).click();
    await seen("filters");
    await visit("/inbox?q=unheard");
    await expect(page.getByRole("heading", { name: "No pending actions fit" })).toBeVisible();
    await seen("search-nothing");

    await visit("/inbox?picked=all");
    await expect(page.getByRole("form", { name: "Selected" })).toContainText("Select all shown");
    await seen("picked");
    await page.getByRole("button", { name: "Approve…" }).click();
    await expect(page.getByRole("heading", { level: 1, name: "Approve 6 actions?" })).toBeVisible();
    await seen("many");
    await page.getByRole("checkbox").first().check();
    await page.getByRole("button", { name: "Approve" }).click();
    await expect(page.getByRole("heading", { level: 1 })).toContainText("decided");
    await seen("many-done");

    const janitor = await server.agent("Data janitor");
    const { title, preview, payload } = await janitor.read(rejected.id);
    const again = await janitor.propose({ kind: "code.execute", title, preview: { format: "plain", body: preview.body }, payload });
    await visit(`/inbox?at=${again.id}`);
    await expect(page.getByText("Rejected before")).toBeVisible();
    await seen("known");
  });
});
