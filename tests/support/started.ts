import { deadline } from "deno-std/async/deadline.js";
import { root } from "../../local/checkout.ts";
import { readIfPresent } from "../../local/files.ts";
import type { StackAddresses } from "../../local/stack.ts";
import { checkedFetch } from "./checked_answers.ts";

interface Options {
  env?: Record<string, string>;
  /** The working directory. The default is /tmp, so that nothing relies on the checkout's folder. */
  cwd?: string;
  /** A command prefix, such as a program that runs the command as another user. */
  prefix?: string[];
  /** The checkout of the stack. The default is this checkout. */
  checkout?: string;
}

/** After this time, the test fails. Even a slow computer needs much less time. */
const PATIENCE_MS = 60_000;

/** A log line about a job of the stack, such as `/whatsapp/jobs/template-sync`. */
const JOB_LINE = /^\{.*"path":"\/\w+\/jobs\/.*\n/gm;

/** A process that starts the local stack, as `npm start` does. */
export class Started {
  out = "";
  err = "";
  #child: Deno.ChildProcess;
  #isOver = false;
  #reading: Promise<unknown>;

  constructor(args: string[], { env, cwd = "/tmp", prefix = [], checkout = root }: Options = {}) {
    const deno = [Deno.execPath(), "run", "--allow-all", "--no-prompt"];
    const [program, ...rest] = [...prefix, ...deno, `${checkout}/local/start.ts`, ...args];
    this.#child = new Deno.Command(program, {
      args: rest,
      cwd,
      // Clears the variable that the tests' own stack sets for its functions.
      env: { WHATSAPP_API_URL: "", ...env },
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    this.#child.status.then(() => this.#isOver = true);
    this.#reading = Promise.all([
      read(this.#child.stdout, (text) => this.out += text),
      read(this.#child.stderr, (text) => this.err += text),
    ]);
  }

  get pid(): number {
    return this.#child.pid;
  }

  /** Waits until the process has printed this text. */
  async says(text: string) {
    await until(() => this.#isOver || this.out.includes(text));
    if (this.#isOver) await this.ended();
    if (!this.out.includes(text)) {
      throw new Error(`"${text}" was not printed, but: ${this.out}${this.err}`);
    }
  }

  /** Kills the process. Its child processes continue. */
  async crash() {
    this.#child.kill("SIGKILL");
    await this.ended();
  }

  /**
   * Stops the process as Ctrl-C does, or with another signal. Returns the exit code and the text
   * from stderr without the jobs' log lines, because a job that is in progress at the stop may fail.
   */
  async end(signal: Deno.Signal = "SIGINT"): Promise<[code: number, printed: string]> {
    this.#child.kill(signal);
    const [code, printed] = await this.ended();
    return [code, printed.replaceAll(JOB_LINE, "")];
  }

  /** Waits until the process exits. Returns the exit code and the text from stderr. */
  async ended(): Promise<[code: number, printed: string]> {
    const [{ code }] = await deadline(
      // Also waits for the output of child processes that run longer than this process.
      Promise.all([this.#child.status, this.#reading]),
      PATIENCE_MS,
    );
    return [code, this.err];
  }
}

/** Starts a stack with this data folder on a free port, and waits until the stack is ready. */
export async function startOn(folder: string, args: string[] = [], options: Options = {}) {
  const started = new Started(["--data", folder, "--port", "0", ...args], options);
  await started.says(READY);
  return { started, stack: await stackOf(folder), postgres: await postgresOf(folder) };
}

/** The last line that a successful start prints. */
export const READY = "Ctrl-C ends everything.";

/** The stack.json that a stack writes for programs. */
export async function stackOf(folder: string): Promise<StackAddresses> {
  return JSON.parse(await Deno.readTextFile(`${folder}/stack.json`));
}

/** The id of the Postgres process that uses a data folder. */
export async function postgresOf(folder: string): Promise<number> {
  return parseInt(await Deno.readTextFile(`${folder}/data/postmaster.pid`));
}

/** All processes that have this folder in their command line: `<id> <command line>`. */
export async function processesOn(folder: string): Promise<string[]> {
  return (await commandLines()).filter((line) => line.includes(folder));
}

async function commandLines(): Promise<string[]> {
  if (Deno.build.os !== "linux") {
    const ps = new Deno.Command("ps", { args: ["-eww", "-o", "pid=,args="] });
    return new TextDecoder().decode((await ps.output()).stdout).split("\n");
  }
  // Some Linux systems do not have ps.
  const lines = [];
  for await (const { name } of Deno.readDir("/proc")) {
    const line = /^\d+$/.test(name) && await readIfPresent(`/proc/${name}/cmdline`).catch(() => "");
    if (line) lines.push(`${name} ${line.replaceAll("\0", " ")}`);
  }
  return lines;
}

/**
 * Runs the work in a new folder. Then stops all processes that still use the folder, for example
 * after a failed test, and removes the folder.
 */
export async function withFolder<Answer>(
  work: (folder: string) => Promise<Answer>,
): Promise<Answer> {
  const folder = await Deno.makeTempDir({ prefix: "crm-local-" });
  try {
    return await work(folder);
  } finally {
    await killProcessesOn(folder);
    await Deno.remove(folder, { recursive: true });
  }
}

/** Kills all processes that have this folder in their command line. */
export async function killProcessesOn(folder: string) {
  for (const line of await processesOn(folder)) killIfAlive(parseInt(line));
}

/** Kills a process, which may have ended since it was listed. */
function killIfAlive(pid: number) {
  try {
    Deno.kill(pid, "SIGKILL");
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

/** Calls a stack's gateway with the demo key. */
export async function ask(stack: StackAddresses, path: string, init: RequestInit = {}) {
  const { method, body } = init;
  const headers = new Headers(init.headers);
  headers.set("Authorization", `Bearer ${stack.demo?.api_key}`);
  const answer = await checkedFetch(stack.gateway_url + path, {
    method,
    headers,
    body: body ?? undefined,
  });
  return { status: answer.status, body: JSON.parse(answer.text) };
}

/**
 * Waits until a condition is true.
 * @throws Error if the condition is not true within a minute, or within another time.
 */
export async function until(
  condition: () => unknown | Promise<unknown>,
  patienceMs = PATIENCE_MS,
) {
  const began = performance.now();
  while (!await condition()) {
    if (performance.now() - began > patienceMs) {
      throw new Error(`This condition was never true: ${condition}`);
    }
    await pause(5);
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

async function read(stream: ReadableStream<Uint8Array>, hear: (text: string) => void) {
  for await (const text of stream.pipeThrough(new TextDecoderStream())) hear(text);
}

/**
 * A URL on this machine where no server listens. A free port would not do, because another test may
 * open it. `fetch` refuses some low ports, but not this one.
 */
export const CLOSED_URL = "http://127.0.0.1:2";
