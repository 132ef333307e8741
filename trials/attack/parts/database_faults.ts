import { delay } from "deno-std/async/delay.js";
import { startPostgresProxy } from "../../../tests/support/postgres_proxy.ts";
import type { AttackedStack } from "../attacked_stack.ts";
import type { Context } from "../context.ts";
import type { Findings } from "../findings.ts";
import { createDeal, list, renameContact, urlFor } from "../requests.ts";
import { exchange } from "../wire.ts";
import { ask, everyKind, type Functions, functionsOn } from "./fault_requests.ts";

const PROMISES = { back: "requests succeed again after the database comes back" };

const LOCKED_MS = { full: 12_000, quick: 2_500 };

/** Faults of Postgres itself: locked rows, deadlocks, and a database that goes down. */
export async function databaseFaults(context: Context, findings: Findings) {
  const { ours, quick } = context;
  await lockedRow(findings, ours, quick ? LOCKED_MS.quick : LOCKED_MS.full);
  await deadlock(findings, ours);
  await endedWithin(findings, ours, "pg_cancel_backend");
  await endedWithin(findings, ours, "pg_terminate_backend");

  const proxy = startPostgresProxy(ours.stack.databaseUrl("postgres"));
  const rest = await ours.startRest(proxy.url);
  const functions = await functionsOn(ours, rest.url);
  await cutWithin(findings, ours, functions, proxy);
  proxy.cut();
  await ask(findings, functions, "the database is down", everyKind(ours));
  proxy.restore();
  await isBack(findings, ours, functions);
  await Promise.all([functions.gateway, functions.sender, rest].map((each) => each.end()));
  proxy.cut();
}

/** For some time, another transaction locks the row that a request changes. */
async function lockedRow(findings: Findings, ours: AttackedStack, ms: number) {
  const { victim } = ours.companies;
  await using lock = await holdRow(ours, victim.ids.contact[2]);
  const asking = ask(findings, ours, "a locked row", [renameContact(victim, 2)]);
  await Promise.race([asking, delay(ms)]);
  await lock[Symbol.asyncDispose]();
  await asking;
}

/** The request and another transaction wait for each other's row. */
async function deadlock(findings: Findings, ours: AttackedStack) {
  const { victim } = ours.companies;
  const [contact, stage] = [victim.ids.contact[0], victim.ids.stage[0]];
  const first = ["contacts", contact] as const;
  const second = ["stages", stage] as const;
  // A new deal locks its contact and its stage. In one of the two orders, the request has already
  // locked the row that the transaction locks next.
  for (const [held, wanted] of [[first, second], [second, first]]) {
    const sql = await ours.stack.owner.reserve();
    try {
      await sql`begin`;
      await sql.unsafe(`select from ${held[0]} where id = '${held[1]}' for update`);
      const asking = ask(findings, ours, "a deadlock", [createDeal(victim)]);
      await isBlocked(ours, asking);
      // Postgres may end this transaction instead of the transaction of the request.
      await sql.unsafe(`select from ${wanted[0]} where id = '${wanted[1]}' for update`).catch(
        () => {},
      );
      await sql`rollback`;
      await asking;
    } finally {
      sql.release();
    }
  }
}

/** An operator cancels the statement of a request, or ends the connection of the request. */
async function endedWithin(
  findings: Findings,
  ours: AttackedStack,
  by: "pg_cancel_backend" | "pg_terminate_backend",
) {
  const { victim } = ours.companies;
  await using _lock = await holdRow(ours, victim.ids.contact[3]);
  const asking = ask(findings, ours, by, [renameContact(victim, 3)]);
  await isBlocked(ours, asking);
  await ours.stack.admin.unsafe(
    `select ${by}(pid) from pg_stat_activity where usename = 'authenticator' and wait_event_type = 'Lock'`,
  );
  await asking;
}

/** The connection breaks while a statement of the request waits. */
async function cutWithin(
  findings: Findings,
  ours: AttackedStack,
  functions: Functions,
  proxy: { cut(): void; restore(): void },
) {
  const { victim } = ours.companies;
  await using _lock = await holdRow(ours, victim.ids.contact[4]);
  const fault = "the connection breaks within a statement";
  const asking = ask(findings, functions, fault, [renameContact(victim, 4)]);
  await isBlocked(ours, asking);
  proxy.cut();
  await asking;
  proxy.restore();
}

async function isBack(findings: Findings, ours: AttackedStack, functions: Functions) {
  const request = list(ours.companies.victim.key);
  const answers = async () => (await exchange(urlFor(request, functions), request))?.status === 200;
  const isBack = await until(answers).then(() => true, () => false);
  if (!isBack) findings.add(PROMISES.back, "no list request succeeds", "the database went down");
}

/** Locks a contact in a separate transaction, until the result is disposed of. */
async function holdRow({ stack }: AttackedStack, id: string): Promise<AsyncDisposable> {
  const sql = await stack.owner.reserve();
  await sql`begin`;
  await sql`select from contacts where id = ${id} for update`;
  let isHeld = true;
  return {
    async [Symbol.asyncDispose]() {
      if (!isHeld) return;
      isHeld = false;
      await sql`rollback`;
      sql.release();
    },
  };
}

/** Waits until a request waits for a lock, or the request has ended. */
async function isBlocked({ stack: { admin } }: AttackedStack, asking: Promise<unknown>) {
  let isOver = false;
  asking.then(() => isOver = true);
  await until(async () => {
    const [{ count }] = await admin`
      select count(*)::int from pg_stat_activity
      where usename = 'authenticator' and wait_event_type = 'Lock'
    `;
    return isOver || count > 0;
  });
}

const PATIENCE_MS = 20_000;

async function until(condition: () => Promise<boolean>) {
  const began = performance.now();
  while (!await condition()) {
    if (performance.now() - began > PATIENCE_MS) {
      throw new Error(`This condition was never true: ${condition}`);
    }
    await delay(10);
  }
}
