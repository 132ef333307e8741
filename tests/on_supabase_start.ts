// `npm run test:supabase-start`, for a machine with Docker. The command runs `supabase start` with
// a separate database, serves the functions with the CLI, and starts the sandbox. Then it runs the
// tests that can run against a stack that environment variables name.
import "../local/direct_requests.ts";
import { cp } from "node:fs/promises";
import { root } from "../local/checkout.ts";
import { retry } from "deno-std/async/retry.js";
import { parseEnv } from "node:util";

const deno = [Deno.execPath(), "run", "--allow-all", "--no-prompt"];
const PROJECT = "crm-messaging-api-tests";
const SANDBOX_PORT = 54330;
/**
 * Containers that the tests do not need. Instead of edge-runtime, `functions serve` runs the
 * functions.
 */
const UNUSED = [
  ...["edge-runtime", "imgproxy", "logflare", "mailpit", "postgres-meta", "realtime"],
  ...["storage-api", "studio", "supavisor", "vector"],
].join(",");

Deno.env.set("SUPABASE_TELEMETRY_DISABLED", "1");
const folder = await Deno.makeTempDir({ prefix: "crm-supabase-start-" });
const project = `${folder}/project`;
const over = new AbortController();
// A signal stops all processes that this script started.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  Deno.addSignalListener(signal, () => over.abort());
}
const started: Promise<unknown>[] = [];
let code = 1;
try {
  // The copied project has its own project id, because this script deletes the stack with that id
  // when it ends.
  const isOurs = (path: string) => !/\/(\.temp|\.branches|\.env)$/.test(path);
  await cp(`${root}supabase`, `${project}/supabase`, { recursive: true, filter: isOurs });
  await cp(`${root}import_map.json`, `${project}/import_map.json`);
  const config = await Deno.readTextFile(`${project}/supabase/config.toml`);
  const renamed = config.replace(/^project_id = .*$/m, `project_id = "${PROJECT}"`);
  await Deno.writeTextFile(`${project}/supabase/config.toml`, renamed);

  const secretsFile = `${folder}/functions.env`;
  await run([...deno, "admin/main.ts", "secrets", "init", "--file", secretsFile]);
  const channel = `http://host.docker.internal:${SANDBOX_PORT}/sandbox/v26.0`;
  await Deno.writeTextFile(secretsFile, `WHATSAPP_API_URL=${channel}\n`, { append: true });
  const { JWT_SIGNING_KEY, CREDENTIALS_KEY } = parseEnv(await Deno.readTextFile(secretsFile));

  start([...deno, "sandbox/start.ts", "--host", "0.0.0.0", "--port", `${SANDBOX_PORT}`]);
  await run(supabase("start", "--exclude", UNUSED));
  const { API_URL, DB_URL, PUBLISHABLE_KEY } = parseEnv(
    await run(supabase("status", "--output", "env"), "piped"),
  );
  const serving = start(supabase("functions", "serve", "--env-file", secretsFile));
  await Promise.race([healthy(`${API_URL}/functions/v1/gateway/health`), serving]);
  over.signal.throwIfAborted();

  const tests = new Deno.Command(deno[0], {
    args: [...deno.slice(1), "tests/run.ts", ...Deno.args],
    cwd: root,
    env: {
      SUPABASE_URL: API_URL!,
      SUPABASE_PUBLISHABLE_KEY: PUBLISHABLE_KEY!,
      SUPABASE_DB_URL: DB_URL!,
      JWT_SIGNING_KEY: JWT_SIGNING_KEY!,
      CREDENTIALS_KEY: CREDENTIALS_KEY!,
      SANDBOX_URL: `http://127.0.0.1:${SANDBOX_PORT}/sandbox/messages`,
    },
    signal: over.signal,
  }).spawn();
  code = (await tests.status).code;
} catch (error) {
  if (!over.signal.aborted) console.error(error instanceof Error ? error.message : error);
} finally {
  over.abort();
  await Promise.allSettled(started);
  // The command passes the id explicitly, because the environment may contain the id of a project
  // with real data.
  await run(supabase("stop", "--no-backup", "--project-id", PROJECT)).catch((error) =>
    console.error(error.message)
  );
  await Deno.remove(folder, { recursive: true });
}
Deno.exit(code);

/** Runs a command that must succeed. Returns its output if stdout is piped. */
async function run([program, ...args]: string[], stdout: "inherit" | "piped" = "inherit") {
  const command = new Deno.Command(program, { args, cwd: root, stdout, stderr: "inherit" });
  const child = command.spawn();
  const text = stdout === "piped" ? await new Response(child.stdout).text() : "";
  const { success } = await child.status;
  if (!success) throw new Error(`This command failed: ${[program, ...args].join(" ")}`);
  return text;
}

/**
 * Starts a command that runs until the tests finish. The promise rejects if the command exits
 * earlier.
 */
function start([program, ...args]: string[]): Promise<void> {
  const child = new Deno.Command(program, { args, cwd: root, signal: over.signal }).spawn();
  const ending = child.status.then(() => {
    if (!over.signal.aborted) throw new Error(`This command ended too early: ${args.join(" ")}`);
  });
  ending.catch(() => {}); // the rejection must be handled even if nothing awaits it
  started.push(ending);
  return ending;
}

/** A Supabase CLI command for the copied project. */
function supabase(...args: string[]): string[] {
  const program = `${root}tools/node_modules/supabase/dist/supabase.js`;
  return ["node", program, ...args, "--workdir", project, "--agent", "no"];
}

/**
 * Waits until the functions are loaded. On the first start, the functions also download their
 * packages.
 */
async function healthy(url: string) {
  const ask = async () => {
    const { status } = await fetch(url, { signal: AbortSignal.timeout(10_000) });
    if (status !== 200) throw new Error(`it answers ${status}`);
  };
  const everySecond = { maxAttempts: 120, minTimeout: 1_000, maxTimeout: 1_000, jitter: 0 };
  await retry(ask, { ...everySecond, signal: over.signal }).catch((error) => {
    throw new Error(`${url} did not become healthy: ${error.cause?.message ?? error.message}.`);
  });
}
