import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { deadline } from "deno-std/async/deadline.js";
import { delay } from "deno-std/async/delay.js";
import { command, findPrograms, giveTo, type Programs } from "./programs.ts";

/** A Postgres server of this process. */
export interface Postgres {
  port: number;
  /** Resolves when the server has ended, whoever ended it. */
  ended: Promise<void>;
  /** Ends the server: open transactions are rolled back, everything committed is on disk. */
  stop(): Promise<void>;
}

export interface PostgresOptions {
  /** Holds the cluster; made when missing. */
  dataFolder: string;
  /** Begin with an empty cluster, whatever the folder holds. */
  fresh: boolean;
  /** Preferred TCP port on 127.0.0.1; another free one is taken when it is busy. 0: any. */
  port: number;
  /** Of the superuser `supabase_admin`, set when the cluster is made. */
  password: string;
  logFile: string;
  /** false gives up safety against a power cut for speed; for tests. */
  durable: boolean;
}

const SUPERUSER = "supabase_admin";
const WORKSHOP = "unfinished-";

/**
 * Starts the Postgres that came as an npm package, on its own data folder, and waits until it
 * accepts connections. A server left behind by a killed process is ended first; the caller must
 * hold the lock on the data, so that no living stack can be the one that is ended.
 *
 * @throws Error with one sentence and the end of the server's log, when it does not come up.
 */
export async function startPostgres(options: PostgresOptions): Promise<Postgres> {
  const { dataFolder } = options;
  const programs = await findPrograms();
  await endAbandonedServer(dataFolder);
  if (options.fresh || !existsSync(`${dataFolder}/PG_VERSION`)) {
    await makeCluster(programs, options);
  }
  await giveTo(programs, dataFolder);

  for (let attempt = 1;; attempt++) {
    const port = isFree(options.port) && attempt === 1 ? options.port : freePort();
    const server = launch(programs, options, port);
    if (await becomesReady(server, dataFolder)) return { port, ...supervised(server) };
    const log = tail(options.logFile);
    if (attempt === 10 || !PASSING.some((trouble) => log.includes(trouble))) {
      throw new Error(`Postgres did not start. The end of ${options.logFile} says:\n${log}`);
    }
    await delay(100);
  }
}

/** Troubles that a second attempt may not have. */
const PASSING = [
  // Another program took the port between the look and the start.
  "could not bind",
  // The workers of a server that was killed outright need a moment to notice.
  "pre-existing shared memory block",
];

/** Made beside its final place and moved there whole, so that an interrupted start leaves no half a cluster. */
async function makeCluster(programs: Programs, { dataFolder, password }: PostgresOptions) {
  const parent = dirname(dataFolder);
  for await (const { name } of Deno.readDir(parent)) {
    if (name.startsWith(WORKSHOP)) {
      await Deno.remove(`${parent}/${name}`, { recursive: true }).catch(() => {});
    }
  }
  // A name of its own each time: initdb outlives a start that is killed, and clears up when it fails.
  const workshop = await Deno.makeTempDir({ dir: parent, prefix: WORKSHOP });
  try {
    await Deno.mkdir(`${workshop}/data`, { mode: 0o700 });
    await giveTo(programs, `${workshop}/data`);
    await Deno.writeTextFile(`${workshop}/password`, password, { mode: 0o600 });
    const { success, stdout, stderr } = await command(programs, "initdb", [
      ...["-D", `${workshop}/data`, "-U", SUPERUSER, "--pwfile", `${workshop}/password`],
      ...["-A", "scram-sha-256", "--encoding=UTF8", "--locale=C"],
      ...["--no-instructions", "--no-sync"],
    ]).output();
    if (!success) {
      const said = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
      throw new Error(`The data folder ${dataFolder} could not be made:\n${said}`);
    }
    if (existsSync(dataFolder)) await Deno.rename(dataFolder, `${workshop}/replaced`);
    await Deno.rename(`${workshop}/data`, dataFolder);
  } finally {
    await Deno.remove(workshop, { recursive: true });
  }
}

function launch(programs: Programs, options: PostgresOptions, port: number) {
  const settings: Record<string, string> = {
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    max_connections: "100",
    log_checkpoints: "off",
    ...(options.durable
      ? {}
      : { fsync: "off", synchronous_commit: "off", full_page_writes: "off" }),
  };
  const server = command(programs, "postgres", [
    ...["-D", options.dataFolder, "-p", String(port)],
    ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
  ]).spawn();
  const log = Deno.openSync(options.logFile, {
    write: true,
    create: true,
    truncate: true,
    mode: 0o600,
  });
  server.stdout.cancel();
  server.stderr.pipeTo(log.writable).catch(() => {});
  return server;
}

/** Ready is what the server's own pid file says: the eighth line, as pg_ctl reads it. */
async function becomesReady(server: Deno.ChildProcess, dataFolder: string): Promise<boolean> {
  let running = true;
  server.status.then(() => running = false);
  while (running) {
    const [pid, , , , , , , state] = pidFile(dataFolder);
    if (Number(pid) === server.pid && state?.trim() === "ready") return true;
    await delay(10);
  }
  return false;
}

function supervised(server: Deno.ChildProcess): Pick<Postgres, "ended" | "stop"> {
  const ended = server.status.then(() => {});
  return {
    ended,
    async stop() {
      await endProcess(server.pid, () => ended);
    },
  };
}

/** A killed process cannot end its server, so the next one does, after making sure that it is that one. */
async function endAbandonedServer(dataFolder: string) {
  const pid = Number(pidFile(dataFolder)[0]);
  if (!pid) return;
  const isServer = async () => (await commandLine(pid)).includes(`/bin/postgres -D ${dataFolder} `);
  if (await isServer()) {
    await endProcess(pid, async () => {
      while (await isServer()) await delay(20);
    });
  }
  // One that crashed left its file, and its number may be another program's by now, for which
  // Postgres would not start. A file with its parent's number it takes for left over.
  const [, ...lines] = pidFile(dataFolder);
  if (lines.length > 0) {
    await Deno.writeTextFile(pidPath(dataFolder), [Deno.pid, ...lines].join("\n"));
  }
}

/** Fast shutdown, and after ten seconds immediate shutdown, which the next start recovers from. */
async function endProcess(pid: number, gone: () => Promise<void>) {
  for (const signal of ["SIGINT", "SIGQUIT", "SIGKILL"] as const) {
    try {
      Deno.kill(pid, signal);
    } catch {
      return; // it has ended already
    }
    if (await deadline(gone(), 10_000).then(() => true, () => false)) return;
  }
}

function pidFile(dataFolder: string): string[] {
  try {
    return Deno.readTextFileSync(pidPath(dataFolder)).split("\n");
  } catch {
    return [];
  }
}

function pidPath(dataFolder: string): string {
  return `${dataFolder}/postmaster.pid`;
}

/** The arguments of a running process as one string; empty when there is none. */
async function commandLine(pid: number): Promise<string> {
  try {
    if (Deno.build.os === "linux") {
      return Deno.readTextFileSync(`/proc/${pid}/cmdline`).replaceAll("\0", " ");
    }
    const { stdout } = await new Deno.Command("ps", {
      args: ["-ww", "-p", `${pid}`, "-o", "command="],
    })
      .output();
    return new TextDecoder().decode(stdout);
  } catch {
    return "";
  }
}

function tail(file: string): string {
  try {
    return Deno.readTextFileSync(file).trim().split("\n").slice(-12).join("\n");
  } catch {
    return "(no log was written)";
  }
}

function isFree(port: number): boolean {
  if (port === 0) return false;
  try {
    Deno.listen({ hostname: "127.0.0.1", port }).close();
    return true;
  } catch {
    return false;
  }
}

function freePort(): number {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr as Deno.NetAddr;
  listener.close();
  return port;
}
