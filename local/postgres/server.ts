import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { deadline } from "deno-std/async/deadline.js";
import { delay } from "deno-std/async/delay.js";
import { poll } from "deno-std/async/poll.js";
import { command, findPrograms, giveTo, type Programs } from "./programs.ts";

/** A Postgres server that this process started. */
export interface Postgres {
  port: number;
  /** Resolves when the server has ended, for any reason. */
  ended: Promise<void>;
  /**
   * Ends the server. Open transactions are rolled back. Everything that was committed is on disk.
   */
  stop(): Promise<void>;
}

export interface PostgresOptions {
  /** The cluster's folder, which is created when it is missing. */
  dataFolder: string;
  /** true replaces the cluster in the folder with an empty one. */
  fresh: boolean;
  /**
   * The preferred port on 127.0.0.1. If this port is taken or 0, the server takes any free port.
   */
  port: number;
  /** The password of the superuser `supabase_admin`, set when the cluster is created. */
  password: string;
  logFile: string;
  /** false is faster, but a power cut may lose data; for tests. */
  durable: boolean;
}

const SUPERUSER = "supabase_admin";

/**
 * The locale that decides which characters are letters. With the locale C, only ASCII letters are
 * letters, and pg_trgm finds no trigram in a word of other letters. Each search for such a word
 * would read all rows of its company. A hosted project also has a locale that recognises all
 * letters. Older versions of macOS have no C.UTF-8, so macOS gets another locale. Strings are still
 * compared byte by byte. A data folder that was created with C still works, but its searches are
 * slower.
 */
const LC_CTYPE = Deno.build.os === "darwin" ? "en_US.UTF-8" : "C.UTF-8";
/**
 * The prefix of temporary folders. A start removes all folders with this prefix, so no other
 * program may use it.
 */
const UNFINISHED = ".crm-unfinished-cluster-";

/**
 * Starts the Postgres of the npm package on a data folder and waits until it accepts connections.
 * If a killed process has left a server on the folder, that server is ended first. The caller must
 * hold the lock on the folder, so that the ended server never belongs to a running stack.
 *
 * @throws Error with one sentence and the end of the server's log, when the server does not start.
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
    if (attempt === 10 || !TRANSIENT.some((message) => log.includes(message))) {
      throw new Error(`Postgres did not start. The end of ${options.logFile} says:\n${log}`);
    }
    await delay(100);
  }
}

/** If the server's log contains one of these messages, another attempt to start may succeed. */
const TRANSIENT = [
  // Another program took the port between the check and the start.
  "could not bind",
  // The workers of a killed server need a moment to end.
  "pre-existing shared memory block",
];

/**
 * Creates the cluster in a temporary folder next to its final path, and then moves it to that path.
 * So an interrupted start leaves no unfinished cluster.
 */
async function makeCluster(programs: Programs, { dataFolder, password }: PostgresOptions) {
  const parent = dirname(dataFolder);
  for await (const { name } of Deno.readDir(parent)) {
    if (name.startsWith(UNFINISHED)) {
      await Deno.remove(`${parent}/${name}`, { recursive: true }).catch(() => {});
    }
  }
  // The name is different each time: initdb may outlive a killed start, and deletes its folder when
  // it fails.
  const unfinished = await Deno.makeTempDir({ dir: parent, prefix: UNFINISHED });
  try {
    await Deno.mkdir(`${unfinished}/data`, { mode: 0o700 });
    await giveTo(programs, `${unfinished}/data`);
    await Deno.writeTextFile(`${unfinished}/password`, password, { mode: 0o600 });
    const { success, stdout, stderr } = await command(programs, "initdb", [
      ...["-D", `${unfinished}/data`, "-U", SUPERUSER, "--pwfile", `${unfinished}/password`],
      ...["-A", "scram-sha-256", "--encoding=UTF8", "--locale=C", `--lc-ctype=${LC_CTYPE}`],
      ...["--no-instructions", "--no-sync"],
    ]).output();
    if (!success) {
      const output = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
      throw new Error(`The data folder ${dataFolder} could not be made. initdb says:\n${output}`);
    }
    if (existsSync(dataFolder)) await Deno.rename(dataFolder, `${unfinished}/replaced`);
    await Deno.rename(`${unfinished}/data`, dataFolder);
  } finally {
    await Deno.remove(unfinished, { recursive: true });
  }
}

function launch(programs: Programs, options: PostgresOptions, port: number) {
  const settings: Record<string, string> = {
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    // Several tests run in parallel, and each of them opens fifty connections.
    max_connections: options.durable ? "100" : "250",
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
  // `log.writable` is not used, because it buffers output until it has 64 kB.
  const writing = new WritableStream<Uint8Array>({
    async write(lines) {
      for (let rest = lines; rest.length > 0;) rest = rest.subarray(await log.write(rest));
    },
  });
  server.stderr.pipeTo(writing).catch(() => {}).finally(() => log.close());
  return server;
}

/**
 * Waits until the eighth line of the server's pid file says ready, as pg_ctl does. Returns false
 * when the server ends earlier.
 */
async function becomesReady(server: Deno.ChildProcess, dataFolder: string): Promise<boolean> {
  let isRunning = true;
  server.status.then(() => isRunning = false);
  const isReady = () => {
    const [pid, , , , , , , state] = pidFile(dataFolder);
    return Number(pid) === server.pid && state?.trim() === "ready";
  };
  return await poll(isReady, (ready: boolean) => ready || !isRunning, { interval: 10 });
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

/**
 * Ends the server that a killed process left on a data folder. The pid file has the server's
 * process number. The command line of that process shows whether the process is still this server.
 */
async function endAbandonedServer(dataFolder: string) {
  const pid = Number(pidFile(dataFolder)[0]);
  if (!pid) return;
  const isServer = async () => (await commandLine(pid)).includes(`/bin/postgres -D ${dataFolder} `);
  if (await isServer()) {
    await endProcess(pid, async () => {
      await poll(isServer, (isRunning: boolean) => !isRunning, { interval: 20 });
    });
  }
  // A crashed server leaves its pid file behind. If another program now has the process number in
  // that file, Postgres refuses to start. Postgres ignores a pid file with the number of its own
  // parent, so this process writes its own number into the file.
  const [, ...lines] = pidFile(dataFolder);
  if (lines.length > 0) {
    await Deno.writeTextFile(pidPath(dataFolder), [Deno.pid, ...lines].join("\n"));
  }
}

/**
 * Ends a server with a fast shutdown. After ten seconds, this code tries an immediate shutdown,
 * after which the next start has to recover the database. After ten more seconds, this code sends
 * SIGKILL.
 */
async function endProcess(pid: number, gone: () => Promise<void>) {
  for (const signal of ["SIGINT", "SIGQUIT", "SIGKILL"] as const) {
    try {
      Deno.kill(pid, signal);
    } catch {
      return; // it has already ended
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

/** The arguments of a process as one string; empty when the process does not exist. */
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
