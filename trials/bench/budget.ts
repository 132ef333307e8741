import { retry } from "deno-std/async/retry.js";
import { root } from "../../local/checkout.ts";
import { functionEnvironment } from "../../local/functions/environment.ts";
import { functionEntry } from "../../local/functions/process.ts";
import { progress } from "../progress.ts";
import { type BenchStack, startBenchStack } from "../stack.ts";
import { bundleSizes } from "./bundle.ts";
import { fillDatabase } from "./dataset.ts";
import { addSends, connectApp, inbound, reported } from "./events.ts";
import { filler } from "./planned_request.ts";
import { planScenarios } from "./scenarios.ts";

// The budget counts the calls, bytes and statements that each request causes. Unlike times, counts
// are the same on every machine and in every run. The file budget.json states the cost of each
// operation, and a test fails if a cost differs.

/** The cost of one request of an operation. */
export interface Cost {
  /** The number of requests that the function sends to the Data API. */
  calls: number;
  /**
   * The number of columns that these requests name in `select`, including those of embedded rows.
   */
  columns: number;
  /** The total size of the URLs and bodies of these requests, in bytes. */
  request_bytes: number;
  /** The total size of the responses to these requests, in bytes. */
  answer_bytes: number;
  /** The number of SQL statements, including those within database functions. */
  statements: number;
  /** The number of these statements that Postgres planned. */
  planned: number;
  /**
   * The number of calls of database functions, except SQL functions that Postgres inlines into a
   * statement.
   */
  functions: number;
}

export interface Budget {
  operations: Record<string, Cost>;
  /** The gzipped bytes of the code that each function loads at its start. */
  bundles: Record<string, number>;
  /** The number of zod schemas and checks that each function builds at its start. */
  schemas: Record<string, number>;
}

export const BUDGET_FILE = new URL("budget.json", import.meta.url);

const ROWS = 5000;
/**
 * The number of requests before the count. In each connection, Postgres makes a new plan for a
 * function's statement at each of the first five calls.
 */
const WARM_UP = 8;
const COUNTED = 4;
const FUNCTIONS = ["gateway", "send-external-template", "settings", "webhooks", "whatsapp"];

/** Counts what each operation costs, on a separate stack. */
export async function countCosts(resources: AsyncDisposableStack): Promise<Budget> {
  progress("starting a stack");
  const stack = await startBenchStack(resources);
  const { admin } = stack;
  for (
    const setting of [
      "track_functions = 'all'",
      "pg_stat_statements.track = 'all'",
      "pg_stat_statements.track_planning = on",
      // New statistics would change the plans during the run.
      "autovacuum = off",
    ]
  ) await admin.unsafe(`alter system set ${setting}`);
  await admin`select pg_reload_conf()`;
  const company = await fillDatabase(stack.owner, ROWS, stack.secrets.credentials_key);
  await addSends(stack, 100);
  // Ends the connections that wrote the rows. Otherwise, they would report their function calls
  // while an operation is counted.
  await endConnections(admin, "postgres");

  const rest = resources.use(countingProxy(stack.rest.url));
  const start = (name: string) => stack.startFunction(name, { restUrl: rest.url });
  const [gateway, sender] = await Promise.all([start("gateway"), start("send-external-template")]);
  const urls = { gateway: gateway.url, sender: sender.url, slowSender: "" };
  const operations: Record<string, Cost> = {};
  const scenarios = await planScenarios(company, stack);
  for (const { name, function: server, ...request } of scenarios) {
    if (server === "slowSender") continue;
    progress(name);
    const fill = filler(request);
    operations[name] = await count(stack, rest, async () => {
      const { method, path, headers, json } = fill();
      const answer = await fetch(urls[server] + path, {
        ...{ method, headers },
        body: json === undefined ? undefined : JSON.stringify(json),
      });
      const text = await answer.text();
      if (answer.status !== request.status) throw new Error(`${name}: ${answer.status} ${text}`);
    });
  }
  const post = await connectApp({ ...stack, startFunction: start });
  let number = 0;
  progress("events of the channel");
  operations.inbound_event = await count(stack, rest, async () => {
    await post([inbound(number++)]);
  });
  const now = Math.floor(Date.now() / 1000);
  operations.status_event = await count(stack, rest, async () => {
    await post([reported(number++ % 100, "delivered", now)]);
  });
  const sizes = await bundleSizes(FUNCTIONS.map(functionEntry));
  const bundles = FUNCTIONS.map((name, at) => [name, sizes[at].gzipped]);
  const schemas = FUNCTIONS.map(async (name) => [name, await schemasAtStart(name, stack)]);
  return {
    operations,
    bundles: Object.fromEntries(bundles),
    schemas: Object.fromEntries(await Promise.all(schemas)),
  };
}

async function schemasAtStart(name: string, { secrets, rest }: BenchStack): Promise<number> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--allow-all", `${root}trials/bench/schema_count.ts`, functionEntry(name)],
    env: functionEnvironment(rest.url, secrets, rest.url),
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return Number(new TextDecoder().decode(stdout));
}

/** Counts the cost of a request after other requests have filled the caches. */
async function count(
  { admin }: BenchStack,
  rest: ReturnType<typeof countingProxy>,
  request: () => Promise<void>,
): Promise<Cost> {
  await admin`select pg_stat_reset()`;
  // The connections of the previous operation were ended. The Data API notices this only during a
  // request.
  for (let n = 0; n < WARM_UP; n++) await retry(request, { minTimeout: 1, maxAttempts: 20 });
  const counted: Omit<Cost, "functions">[] = [];
  for (let n = 0; n < COUNTED; n++) {
    await admin`select pg_stat_statements_reset()`;
    rest.reset();
    await request();
    const [{ statements, planned }] = await admin`
      select sum(calls)::integer as statements, sum(plans)::integer as planned
      from pg_stat_statements where userid <> current_user::regrole
    `;
    counted.push({ ...rest.counts(), statements, planned });
  }
  // A connection reports its calls of functions when it ends, or earlier. The number of calls is
  // divided by the number of requests. So a call that only some requests make, such as the call
  // that records the usage of a key, does not count.
  await endConnections(admin, "authenticator");
  const requests = WARM_UP + COUNTED;
  const [{ functions }] = await admin`
    select coalesce(sum(calls / ${requests}), 0)::integer as functions from pg_stat_user_functions
    where schemaname in ('app', 'public') and funcname not like 'pg_stat%'
  `;
  // The smallest counts are used, because the functions also record the usage of keys from time to
  // time.
  const names = Object.keys(counted[0]) as (keyof Omit<Cost, "functions">)[];
  const least = names.map((name) => [name, Math.min(...counted.map((cost) => cost[name]))]);
  return { ...Object.fromEntries(least), functions };
}

async function endConnections(admin: BenchStack["admin"], role: string): Promise<void> {
  await admin`
    select pg_terminate_backend(pid, 5000) from pg_stat_activity
    where usename = ${role} and pid <> pg_backend_pid()
  `;
}

/** A proxy in front of the Data API that counts requests and responses. */
function countingProxy(target: string) {
  const zero = { calls: 0, columns: 0, request_bytes: 0, answer_bytes: 0 };
  let counts = { ...zero };
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const { pathname, search, searchParams } = new URL(request.url);
    const { method, headers } = request;
    const sent = await request.bytes();
    const answer = await fetch(target + pathname + search, {
      ...{ method, headers },
      body: sent.length > 0 ? new Blob([sent as Uint8Array<ArrayBuffer>]) : undefined,
    });
    const received = await answer.bytes();
    if (!pathname.endsWith("/rpc/record_api_key_usage")) {
      counts.calls++;
      counts.columns += columnsOf(searchParams.get("select") ?? "");
      counts.request_bytes += pathname.length + search.length + sent.length;
      counts.answer_bytes += received.length;
    }
    // A response with the status 204 must have no body.
    const body = received.length > 0 ? received : null;
    return new Response(body, { status: answer.status, headers: answer.headers });
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    counts: () => counts,
    reset: () => void (counts = { ...zero }),
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/**
 * The number of columns that a `select` names, including those of embedded rows. `*` counts as
 * none.
 */
function columnsOf(select: string): number {
  const names = select.split(/[,)]/).map((part) => part.slice(part.lastIndexOf("(") + 1));
  return names.filter((name) => name !== "" && name !== "*").length;
}
