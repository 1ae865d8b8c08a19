// An afternoon at a company called Harbour: what its agents want to do, for pictures and for the eyes of axe.

import type { Action, Agent } from "./agent";
import type { Server } from "./server";

export interface Afternoon {
  refund: Action;
  command: Action;
  migration: Action;
  deploy: Action;
  mail: Action;
  spoof: Action;
  approved: Action;
  rejected: Action;
  failed: Action;
  expired: Action;
}

const DEPLOY = `--- a/deploy/web.yaml
+++ b/deploy/web.yaml
@@ -12,9 +12,9 @@ spec:
     spec:
       containers:
         - name: web
-          image: registry.harbour.example/web:4.18.2
+          image: registry.harbour.example/web:4.19.0
           resources:
             limits:
-              memory: 512Mi
+              memory: 768Mi
               cpu: "1"
           readinessProbe:
@@ -31,3 +31,4 @@ spec:
             - name: SESSION_DAYS
               value: "30"
+            - name: CHECKOUT_V2
+              value: "on"
`;

const MIGRATION = `Adds the column that the new invoices need, in three steps, so that no statement holds a lock for long.

\`\`\`sql
alter table invoice add column due_on date;

update invoice set due_on = issued_on + interval '14 days'
 where due_on is null and issued_on >= date '2026-01-01';

create index concurrently invoice_due_on_idx on invoice (due_on)
 where paid_at is null;
\`\`\`

Measured on a copy of last night's backup: **41 s**, 1,204,331 rows, no lock held longer than 90 ms.

| step | time | lock |
| --- | ---: | --- |
| add column | 8 ms | access exclusive |
| fill | 37 s | rows |
| index | 4 s | none |
`;

const MAIL = `Dear Ms Okafor,

thank you for your patience. The replacement lamp left our warehouse in Rotterdam this morning and should reach you on **Wednesday, 2 December**. You can follow it under parcel number 3SHRB0047115.

We have also refunded the shipping costs of 9.90 EUR.

Kind regards
Tom, Harbour customer care`;

export async function spendTheAfternoon(server: Server): Promise<Afternoon> {
  const deployBot = await server.agent("Deploy bot");
  const support = await server.agent("Support assistant");
  const billing = await server.agent("Billing agent");
  const janitor = await server.agent("Data janitor");
  const gate = await server.agent("Release gate", "decide");
  const ago = async (agent: Agent, minutes: number, proposal: Parameters<Agent["propose"]>[0]) => {
    const action = await agent.propose(proposal);
    await server.letTimePass(action.id, minutes * 60);
    return action;
  };

  const approved = await ago(support, 190, {
    title: "Answer to Lars Nyström about his return",
    preview: { format: "markdown", body: "Dear Mr Nyström,\n\nwe will refund the full **129.00 EUR** within three days.\n\nKind regards\nTom, Harbour customer care" },
    payload: { to: "lars.nystrom@example.com", ticket: "H-20871" },
    editable: ["preview.body"],
  });
  await gate.decide(approved.id, "approve", {
    edited: { "preview.body": "Dear Mr Nyström,\n\nwe will refund **99.00 EUR** within three days; the lamp itself was used.\n\nKind regards\nTom, Harbour customer care" },
    comment: "The lamp was used: see the photos in the ticket.",
  });
  await support.report(approved.id, "executed", "Sent as message <20871.1@harbour.example>, accepted by mx1.example.com.", { message_id: "20871.1@harbour.example", smtp: 250 });

  const rejected = await ago(janitor, 150, {
    kind: "code.execute",
    title: "Delete log folders that are older than a week",
    preview: { format: "plain", body: "find /var/log/harbour -type d -mtime +7 -exec rm -rf {} +" },
    payload: { host: "web-2", cwd: "/", user: "root" },
    idempotent: true,
  });
  await gate.decide(rejected.id, "reject", { comment: "Not as root, and not without a list of what goes. Propose it again with the output of -print." });

  const failed = await ago(billing, 120, {
    kind: "payment.refund",
    title: "Refund 12.50 EUR to Café Amsel",
    preview: { format: "markdown", body: "Overcharged delivery on invoice **2026-3306**." },
    payload: { amount: 12.5, currency: "EUR", invoice: "2026-3306" },
    idempotent: false,
  });
  await gate.decide(failed.id, "approve");
  await billing.report(failed.id, "execute_failed", "The payment provider answered 402: the balance of the account is too low.");

  const expired = await ago(deployBot, 61, {
    kind: "deploy.rollback",
    title: "Roll web back to 4.18.1",
    preview: { format: "markdown", body: "Error rate on `/checkout` is **2.1 %** since 12:20." },
    expires_in: 3_600,
  });

  const mail = await ago(support, 74, {
    title: "Tell Ms Okafor that her replacement is on its way",
    preview: { format: "markdown", body: MAIL },
    payload: { to: "n.okafor@example.com", ticket: "H-20914", attachments: [] },
    editable: ["preview.body", "title"],
    undo: "A second mail that takes it back; the first one can't be recalled.",
    expires_in: 6 * 3_600,
  });
  const migration = await ago(janitor, 48, {
    kind: "sql.migrate",
    title: "Add due dates to invoices in production",
    preview: { format: "markdown", body: MIGRATION },
    payload: { database: "harbour-prod", statements: 3, dry_run: false, lock_timeout_ms: 2000 },
    target_url: "https://db.harbour.example/prod",
    idempotent: false,
    undo: "drop index invoice_due_on_idx; alter table invoice drop column due_on;",
    editable: ["payload.lock_timeout_ms", "payload.dry_run"],
    expires_in: 2 * 3_600,
  });
  const spoof = await ago(billing, 31, {
    kind: "payment.transfer",
    title: "Pay the invoice of раypal-services.example",
    preview: { format: "markdown", body: "Invoice 88-104 over **1,940.00 EUR**, due today.\n\n[Open the invoice](https://xn--aypal-services-yjh.example/88-104)" },
    payload: { iban: "DE02 1203 0000 0000 2020 51", amount: 1940, currency: "EUR" },
    idempotent: false,
  });
  const deploy = await ago(deployBot, 12, {
    kind: "deploy.apply",
    title: "Deploy web 4.19.0 to production",
    preview: { format: "diff", body: DEPLOY },
    payload: { cluster: "eu-west", namespace: "web", commit: "9f31c0e", checks: { unit: "passed", browser: "passed" } },
    target_url: "https://k8s.harbour.example/eu-west",
    undo: "kubectl rollout undo deployment/web, about 40 seconds.",
    idempotent: true,
    expires_in: 1_800,
  });
  const command = await ago(janitor, 4, {
    kind: "code.execute",
    title: "Rotate the access log on web-2",
    preview: { format: "plain", body: "set -euo pipefail\nmv /var/log/harbour/access.log /var/log/harbour/access.log.1\nsystemctl kill -s USR1 nginx\ngzip -9 /var/log/harbour/access.log.1" },
    payload: { host: "web-2", language: "bash", timeout_s: 60 },
    idempotent: false,
  });
  const refund = await ago(billing, 1, {
    kind: "payment.refund",
    title: "Refund 129.90 EUR to Miriam Castellanos",
    preview: { format: "markdown", body: "The customer returned the **Lighthouse floor lamp**; the parcel was scanned in Rotterdam on 27 November.\n\n- order 2026-41877, paid by card ending 4242\n- condition: unopened\n- our terms: 30 days, full refund\n\n> Hello, the lamp is lovely but too tall for the room. May I send it back?" },
    payload: { order: "2026-41877", amount: 129.9, currency: "EUR", notify_customer: true, reason: "returned", lines: [{ sku: "LH-140", qty: 1 }] },
    target_url: "https://api.payments.example/v2/refunds",
    idempotent: false,
    undo: "None. A refund can't be taken back; the customer would have to be charged again.",
    editable: ["preview.body", "payload.amount", "payload.notify_customer", "payload.lines"],
    expires_in: 2_700,
  });
  return { refund, command, migration, deploy, mail, spoof, approved, rejected, failed, expired };
}
