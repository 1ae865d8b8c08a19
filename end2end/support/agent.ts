// A program that uses the public API, as any agent would.

/** What an agent may send; the API's own names. */
export interface Proposal {
  kind: string;
  title: string;
  preview: { format?: "markdown" | "plain" | "diff"; body: string };
  payload?: unknown;
  target_url?: string;
  expires_in?: number;
  editable?: string[];
  idempotent?: boolean;
  undo?: string;
}

/** What the API answers, as far as tests look at it. */
export interface Action {
  id: string;
  status: string;
  title: string;
  preview: { format: string; body: string };
  payload?: any;
  inbox_url: string;
  content_sha256: string;
  original?: { title: string; preview: { body: string }; payload?: any };
  decision?: { verdict: string; comment?: string; decided_by: { name: string }; edited?: string[]; diff?: string };
}

let count = 0;

export class Agent {
  /** What it proposed. */
  readonly proposed: Action[] = [];

  constructor(
    private readonly url: string,
    readonly key: string,
  ) {}

  /** Proposes something ordinary, with a title that no other test uses. */
  propose(part: Partial<Proposal> = {}): Promise<Action> {
    count += 1;
    return this.send({
      kind: "email.send",
      title: `Write to customer ${count}`,
      preview: { format: "markdown", body: "Dear **Sarah**,\n\nyour order is on its way." },
      ...part,
    });
  }

  private async send(proposal: Proposal): Promise<Action> {
    const action = await this.call<Action>("POST", "/v1/actions", proposal);
    this.proposed.push(action);
    return action;
  }

  read(id: string): Promise<Action> {
    return this.call("GET", `/v1/actions/${id}`);
  }

  decide(id: string, decision: "approve" | "reject", more: { comment?: string; edited?: Record<string, unknown> } = {}): Promise<unknown> {
    return this.call("POST", `/v1/actions/${id}/decision`, { decision, ...more });
  }

  report(id: string, status: "executed" | "execute_failed", detail?: string, payload?: unknown): Promise<unknown> {
    return this.call("POST", `/v1/actions/${id}/result`, { status, detail, payload });
  }

  private async call<T>(method: string, path: string, body?: unknown): Promise<T> {
    const answer = await fetch(this.url + path, {
      method,
      headers: { authorization: `Bearer ${this.key}`, "content-type": "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text}`);
    return JSON.parse(text);
  }
}

/** The id as the database holds it. */
export function uuidOf(id: string): string {
  const hex = Buffer.from(id.slice(id.indexOf("_") + 1), "base64url").toString("hex");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
