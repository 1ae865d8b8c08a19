// One server of our own: started, set up, stopped by its process id.

import { spawn, type ChildProcess } from "node:child_process";
import { createServer } from "node:net";
import { existsSync } from "node:fs";
import { Agent, uuidOf } from "./agent";
import { makeDatabase, type Database } from "./postgres";

/** Somebody who decides. */
export interface Person {
  name: string;
  email: string;
  password: string;
}

export const ADA: Person = { name: "Ada Lovelace", email: "ada@example.org", password: "correct horse battery" };
export const GRACE: Person = { name: "Grace Hopper", email: "grace@example.org", password: "nanoseconds of wire" };

const START_MS = 60_000;
const STOP_MS = 15_000;

export class Server {
  private child: ChildProcess | undefined;
  private output: string[] = [];

  private constructor(
    private readonly database: Database,
    private readonly port: number,
  ) {}

  /** A server on an empty database, with nobody's account. */
  static async start(): Promise<Server> {
    const server = new Server(await makeDatabase(), await freePort());
    try {
      await server.resume();
    } catch (error) {
      await server.stop();
      throw error;
    }
    return server;
  }

  /** A server with Ada's and Grace's accounts. */
  static async startSetUp(): Promise<Server> {
    const server = await Server.start();
    const token = new URL(server.setupLink()).searchParams.get("token") ?? "";
    await server.post("/rpc/set_up", { token, ...ADA, project: "Harbour" });
    await server.run(["users", "create", "--email", GRACE.email, "--name", GRACE.name, "--password-stdin"], GRACE.password);
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** What it wrote, for a test that failed. */
  get log(): string {
    return this.output.join("");
  }

  /** The link that makes the first account. */
  setupLink(): string {
    const links = this.log.match(/http:\S+\/setup\?\S+/g);
    if (!links) throw new Error(`The server printed no set-up link:\n${this.log}`);
    return links[links.length - 1];
  }

  /** Starts it, again on the same address if it was stopped. */
  async resume(): Promise<void> {
    const bin = process.env.IMPRI_BIN;
    if (!bin || !existsSync(bin)) throw new Error("IMPRI_BIN must name the server's program: scripts/build makes it.");
    const child = spawn(bin, ["serve", "--listen", `127.0.0.1:${this.port}`], { env: this.env(), stdio: ["ignore", "pipe", "pipe"] });
    this.child = child;
    const hear = (data: Buffer) => this.output.push(data.toString());
    child.stdout?.on("data", hear);
    child.stderr?.on("data", hear);
    const late = Date.now() + START_MS;
    while (!(await this.isReady())) {
      if (child.exitCode !== null || Date.now() > late) throw new Error(`The server did not start:\n${this.log}`);
      await new Promise((done) => setTimeout(done, 50));
    }
  }

  private async isReady(): Promise<boolean> {
    // What it prints comes when it listens; before that somebody else could be the one who answers.
    if (!this.log.includes("Impri listens on")) return false;
    return fetch(`${this.url}/readyz`).then((answer) => answer.ok, () => false);
  }

  /** Ends the process; database and address stay. */
  async pause(): Promise<void> {
    const child = this.child;
    this.child = undefined;
    if (!child || child.exitCode !== null) return;
    const ended = new Promise((done) => child.once("exit", done));
    child.kill("SIGTERM");
    const timer = setTimeout(() => child.kill("SIGKILL"), STOP_MS);
    await ended;
    clearTimeout(timer);
    this.output.push("— stopped —\n");
  }

  /** Takes its database away while it runs, or gives it back. */
  async allowDatabase(connections: boolean): Promise<void> {
    await this.database.allow(connections);
    const late = Date.now() + START_MS;
    while ((await this.isReady()) !== connections) {
      if (Date.now() > late) throw new Error(`The server did not notice:\n${this.log}`);
      await new Promise((done) => setTimeout(done, 50));
    }
  }

  async stop(): Promise<void> {
    await this.pause();
    await this.database.drop();
  }

  /** Moves an action into the past. The shortest wait that the API allows is five minutes, so this can't be lived. */
  async letTimePass(id: string, seconds: number): Promise<void> {
    const past = `created_at = created_at - interval '${seconds} s', expires_at = expires_at - interval '${seconds} s'`;
    await this.database.sql(`update action set ${past} where action_id = '${uuidOf(id)}'`);
  }

  /** Runs one of the operator's commands; returns what it prints. */
  run(args: string[], stdin = ""): Promise<string> {
    return new Promise((resolve, reject) => {
      const child = spawn(process.env.IMPRI_BIN ?? "impri", args, { env: this.env() });
      let stdout = "";
      let stderr = "";
      child.stdout.on("data", (data) => (stdout += data));
      child.stderr.on("data", (data) => (stderr += data));
      child.on("error", reject);
      child.on("close", (code) => (code === 0 ? resolve(stdout.trim()) : reject(new Error(`impri ${args.join(" ")}: ${stderr}`))));
      // A command that reads nothing may be gone already.
      child.stdin.on("error", () => undefined);
      child.stdin.end(stdin);
    });
  }

  /** A program with a fresh key of its own. */
  async agent(name: string, scope = "actions"): Promise<Agent> {
    return new Agent(this.url, await this.run(["keys", "create", "--name", name, "--scope", scope]));
  }

  /** Signs in as a page without scripts would; returns the session's cookie. */
  async signIn(person: Person): Promise<string> {
    const answer = await this.post("/rpc/sign_in", { email: person.email, password: person.password, next: "" });
    const cookie = answer.headers.getSetCookie().find((each) => each.startsWith("impri_session="));
    if (!cookie) throw new Error(`${person.name} can't sign in: ${answer.status} ${answer.headers.get("location")}`);
    return cookie.slice(cookie.indexOf("=") + 1, cookie.indexOf(";"));
  }

  private async post(path: string, fields: Record<string, string>): Promise<Response> {
    const answer = await fetch(this.url + path, {
      method: "POST",
      redirect: "manual",
      headers: { accept: "text/html", origin: this.url },
      body: new URLSearchParams(fields),
    });
    const location = answer.headers.get("location") ?? "";
    if (answer.status !== 302 || location.includes("refused=")) {
      throw new Error(`POST ${path} answered ${answer.status} ${location}`);
    }
    return answer;
  }

  private env(): NodeJS.ProcessEnv {
    const { PATH, HOME, LANG, TZ, LD_LIBRARY_PATH } = process.env;
    // A key of its own, or the server would make one in the usual data directory of whoever runs the tests.
    const IMPRI_SECRET_KEY = "5a".repeat(32);
    return { PATH, HOME, LANG, TZ, LD_LIBRARY_PATH, IMPRI_SECRET_KEY, ...this.database.env };
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.on("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => (address && typeof address === "object" ? resolve(address.port) : reject(new Error("no port"))));
    });
  });
}
