import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
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
  /** Variables besides the inherited ones; undefined removes one. */
  env?: Record<string, string | undefined>;
}

const MAIN = fileURLToPath(new URL("../../admin/main.ts", import.meta.url));
const RUNS = fileURLToPath(new URL("runs.ts", import.meta.url));

// Takes every token, and lists no templates. The sandbox takes only its own token.
const channel = templateChannel();
channel.unref();

/**
 * Runs the operator's command as `npm run admin -- …` does, against the stack of these tests and a channel that
 * takes every token.
 */
export async function admin(
  args: string[],
  circumstances: Circumstances = {},
): Promise<Ending> {
  return await run(MAIN, args, circumstances);
}

/** Runs several commands one after the other in one process: those that end soon, as most of it is its start. */
export async function adminRuns(
  commands: string[][],
  env: Circumstances["env"] = {},
): Promise<Ending[]> {
  const { code, stdout, stderr } = await run(RUNS, [JSON.stringify(commands)], { env });
  assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
  return JSON.parse(stdout);
}

async function run(
  program: string,
  args: string[],
  { input = "", env = {} }: Circumstances,
): Promise<Ending> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--allow-all", "--no-prompt", program, ...args],
    // The environment of the person who runs the tests may name a real project; it is not used.
    clearEnv: true,
    env: definedOnly({ ...inherited(), NO_COLOR: "1", WHATSAPP_API_URL: channel.url, ...env }),
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const ending = child.output();
  const writer = child.stdin.getWriter();
  // A command that reads no input may exit before the input is written.
  await writer.write(new TextEncoder().encode(input)).then(() => writer.close()).catch(() => {});
  const { code, stdout, stderr } = await ending;
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, stdout: text(stdout), stderr: text(stderr) };
}

/** Runs a command that must succeed, and returns what it printed. */
export async function printed(args: string[], input?: string): Promise<string> {
  const { code, stdout, stderr } = await admin(args, { input });
  assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
  return stdout;
}

/** As `printed`, with `--json`: the one value that the command printed. */
// deno-lint-ignore no-explicit-any
export async function json(args: string[], input?: string): Promise<any> {
  return JSON.parse(await printed([...args, "--json"], input));
}

/** Creates a company without keys and accounts. Returns its id. */
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
