import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { TextLineStream } from "deno-std/streams/text_line_stream.js";
import { templateChannel } from "../support/template_channel.ts";
import { withDatabase } from "../support/test_stack.ts";

export interface Ending {
  code: number;
  stdout: string;
  stderr: string;
}

interface Circumstances {
  /** The text on standard input. */
  input?: string;
  /**
   * Environment variables that are added to the inherited ones. A variable that is set to undefined
   * is removed.
   */
  env?: Record<string, string | undefined>;
}

const MAIN = fileURLToPath(new URL("../../admin/main.ts", import.meta.url));
const RUNS = fileURLToPath(new URL("runs.ts", import.meta.url));

// This channel accepts every token and lists no templates. The sandbox accepts only its own token.
const channel = templateChannel();
channel.unref();

/** A command's arguments, standard input and environment variables. */
export interface Order {
  args: string[];
  input: string;
  env: Record<string, string>;
}

/**
 * Runs the operator's command as `npm run admin -- …` does. The command uses the stack of these
 * tests and a channel that accepts every token. Starting a process is the slowest part of a run, so
 * processes are reused.
 */
export async function admin(
  args: string[],
  { input = "", env = {} }: Circumstances = {},
): Promise<Ending> {
  const runner = idle.pop() ?? startRunner();
  const ending = await runner({ args, input, env: environment(env) });
  // If the process failed, the line above threw an error, so the process is not reused.
  idle.push(runner);
  return ending;
}

/** Runs several commands one after another. */
export async function adminRuns(
  commands: string[][],
  env: Circumstances["env"] = {},
): Promise<Ending[]> {
  const endings = [];
  for (const args of commands) endings.push(await admin(args, { env }));
  return endings;
}

/** Runs a command as `admin` does, but in a separate process that ends when the command ends. */
export async function adminAlone(
  args: string[],
  { input = "", env = {} }: Circumstances = {},
): Promise<Ending> {
  const child = start(MAIN, args, environment(env));
  const ending = child.output();
  const writer = child.stdin.getWriter();
  // A command that reads no input may exit before the input is written.
  await writer.write(new TextEncoder().encode(input)).then(() => writer.close()).catch(() => {});
  const { code, stdout, stderr } = await ending;
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, stdout: text(stdout), stderr: text(stderr) };
}

type Runner = (order: Order) => Promise<Ending>;

/**
 * Idle processes that wait for a command. When this process ends, the idle processes' standard
 * input is closed, and the idle processes end too.
 */
const idle: Runner[] = [];

function startRunner(): Runner {
  const child = start(RUNS, [], environment());
  const writer = child.stdin.getWriter();
  const endings = child.stdout
    .pipeThrough(new TextDecoderStream()).pipeThrough(new TextLineStream()).getReader();
  // The output that a command writes to stderr directly, not through the runner.
  const printed = new Response(child.stderr).text();
  return async (order) => {
    child.ref();
    await writer.write(new TextEncoder().encode(`${JSON.stringify(order)}\n`));
    const { value, done } = await endings.read();
    child.unref();
    if (done) throw new Error(`The process of ${order.args.join(" ")} ended: ${await printed}`);
    return JSON.parse(value);
  };
}

function start(program: string, args: string[], env: Record<string, string>) {
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "--allow-all", "--no-prompt", program, ...args],
    clearEnv: true,
    env,
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

/**
 * The environment variables of a command. The command inherits only a few of the developer's
 * variables, because other variables may refer to a real project.
 */
function environment(env: Circumstances["env"] = {}): Record<string, string> {
  return definedOnly({ ...inherited(), NO_COLOR: "1", WHATSAPP_API_URL: channel.url, ...env });
}

/** Runs a command that must succeed, and returns its output. */
export async function printed(args: string[], input?: string): Promise<string> {
  const { code, stdout, stderr } = await admin(args, { input });
  assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
  return stdout;
}

/** Runs a command with `--json`, which must succeed, and returns the JSON value that it prints. */
// deno-lint-ignore no-explicit-any
export async function json(args: string[], input?: string): Promise<any> {
  return JSON.parse(await printed([...args, "--json"], input));
}

/** Creates a company without API keys or messaging accounts, and returns the company's id. */
export async function bareCompany(): Promise<string> {
  return await withDatabase(async (sql) => {
    const [{ id }] = await sql`insert into companies (name) values ('Operated') returning id`;
    return id;
  });
}

function inherited(): Record<string, string | undefined> {
  const names = ["STACK_FILE", "PATH", "HOME", "DENO_DIR", "TMPDIR"];
  return Object.fromEntries(names.map((name) => [name, Deno.env.get(name)]));
}

function definedOnly(env: Record<string, string | undefined>): Record<string, string> {
  const entries = Object.entries(env).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Record<string, string>;
}
