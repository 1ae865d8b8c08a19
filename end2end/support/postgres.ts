// A database for one server: a new one in the PostgreSQL that IMPRI_TEST_DATABASE_URL names, or else the one that the
// server runs itself in a folder of its own.

import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

export interface Database {
  /** What tells `impri` where it is. */
  env: Record<string, string>;
  /** Runs one statement. For states that need time to pass, and only for those. */
  sql(statement: string): Promise<string>;
  /** Takes it away from everybody, or gives it back. */
  allow(connections: boolean): Promise<void>;
  /** Removes it; the server must have stopped. */
  drop(): Promise<void>;
}

function psqlPath(): string {
  const versions = (root: string, end: string) =>
    existsSync(root)
      ? readdirSync(root).filter((name) => /^(postgresql)?@?[0-9.]*$/.test(name)).sort().reverse().map((name) => join(root, name, end))
      : [];
  const folders = [
    ...(process.env.PATH ?? "").split(delimiter),
    ...versions("/usr/lib/postgresql", "bin"),
    ...versions("/opt/homebrew/opt", "bin"),
    ...versions("/usr/local/opt", "bin"),
    "/Applications/Postgres.app/Contents/Versions/latest/bin",
  ];
  const found = folders.map((folder) => join(folder, "psql")).find((path) => existsSync(path));
  if (!found) throw new Error("psql was not found: put the folder of PostgreSQL's programs on PATH.");
  return found;
}

async function psql(where: string[], statement: string): Promise<string> {
  const options = ["--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--set=ON_ERROR_STOP=1"];
  const { stdout } = await run(psqlPath(), [...options, ...where, "--command", statement]);
  return stdout.trim();
}

/** From another database of the same server, which `where` says. */
async function allow(where: string[], name: string, connections: boolean) {
  await psql(where, `alter database ${name} with allow_connections ${connections}`);
  if (!connections) await psql(where, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
}

export async function makeDatabase(): Promise<Database> {
  const admin = process.env.IMPRI_TEST_DATABASE_URL;
  if (!admin) {
    // Not $TMPDIR: a socket's path has to be short.
    const folder = mkdtempSync("/tmp/impri-e2e-");
    const server = ["--host", join(folder, "postgres/run"), "--username=impri"];
    return {
      env: { IMPRI_DATA_DIR: folder },
      sql: (statement) => psql([...server, "--dbname=impri"], statement),
      allow: (connections) => allow([...server, "--dbname=postgres"], "impri", connections),
      drop: async () => rmSync(folder, { recursive: true, force: true }),
    };
  }
  const name = `impri_e2e_${process.pid}_${randomBytes(4).toString("hex")}`;
  const url = new URL(admin);
  url.pathname = `/${name}`;
  await psql(["--dbname", admin], `create database ${name}`);
  return {
    env: { DATABASE_URL: url.href },
    sql: (statement) => psql(["--dbname", url.href], statement),
    allow: (connections) => allow(["--dbname", admin], name, connections),
    drop: async () => void (await psql(["--dbname", admin], `drop database if exists ${name} with (force)`)),
  };
}
