// The transaction of a request to the Data API: its connection is lost at any moment, it waits for a lock,
// it could not be serialized.
import assert from "node:assert/strict";
import { poll } from "deno-std/async/poll.js";
import { dataApi, silently, startBoth, startLite } from "./lite.ts";
import { startProxy } from "./postgres_proxy.ts";

const { corrected, uncorrected, sql, url, end } = await startBoth(`
  create table things (id int primary key);
  create function wait() returns void language sql as 'select pg_advisory_xact_lock(1)';
  create function wait_at_commit() returns trigger language plpgsql as $$
    begin perform wait(); return null; end $$;
  create constraint trigger slowly after insert on things deferrable initially deferred
    for each row execute function wait_at_commit();
  create sequence attempts;
  create function conflict(after int) returns bigint language plpgsql security definer as $$
    begin
      if nextval('attempts') <= after then
        raise exception using errcode = '40001', message = 'could not serialize access';
      end if;
      return currval('attempts');
    end $$;
  grant select, insert on things to authenticated;
`);
Deno.test.afterAll(end);

/** What PostgREST answers when the connection just broke, and it could not ask for a rollback. */
const NOTHING = { code: "", message: "", details: null, hint: null };
/** What it answers when the server said why it closed the connection. */
const TERMINATED = {
  code: "57P01",
  message: "terminating connection due to administrator command",
  details: null,
  hint: null,
};
/** What it answers when it could not send its rollback. */
const NO_ROLLBACK = {
  code: "PGRST001",
  message: "Database client error. Retrying the connection.",
  details: "no connection to the server\n",
  hint: null,
};

/** A Data API that reaches Postgres through a proxy, with one idle connection. */
async function proxied() {
  const proxy = startProxy();
  const through = (role: string) =>
    Object.assign(new URL(proxy.url(role)), { pathname: new URL(url(role)).pathname }).href;
  const rest = await startLite((role) => (role === "authenticator" ? through : url)(role));
  const api = dataApi(rest);
  const ask = async (...request: Parameters<typeof api>) => {
    const { status, body } = await api(...request);
    return [status, body];
  };
  assert.deepEqual((await ask("/things?id=eq.0"))[0], 200);
  return {
    ask,
    proxy,
    async [Symbol.asyncDispose]() {
      await rest.close();
      proxy.cut();
    },
  };
}

/** Ends the statements and connections of the Data API, as an administrator does. */
async function terminate() {
  await sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where usename = 'authenticator' and datname = current_database()
  `;
}

/** Waits until a statement of the Data API waits for the lock. */
async function untilWaiting() {
  const waiting = () => sql`select from pg_locks where locktype = 'advisory' and not granted`;
  await poll(async () => (await waiting()).count, (count: number) => count === 1, { interval: 5 });
}

/** Holds the lock while something happens to a request that waits for it. Returns its answer. */
async function whileWaiting(request: () => Promise<unknown>, happens: () => unknown) {
  await sql`select pg_advisory_lock(1)`;
  try {
    const answer = request();
    await untilWaiting();
    await happens();
    return await answer;
  } finally {
    await sql`select pg_advisory_unlock_all()`;
  }
}

Deno.test("a connection that broke while it was idle fails the next request, with nothing said", async () => {
  await using data = await proxied();
  data.proxy.cut();
  assert.deepEqual(await data.ask("/things?id=eq.0"), [400, NOTHING]);
  data.proxy.restore();
  assert.deepEqual(await data.ask("/things?id=eq.0"), [200, []]);
});

Deno.test("a connection that the server ended while it was idle fails the next request with its words", async () => {
  await using data = await proxied();
  await terminate();
  assert.deepEqual(await data.ask("/things?id=eq.0"), [503, TERMINATED]);
  assert.deepEqual(await data.ask("/things?id=eq.0"), [200, []]);
});

Deno.test("a connection that is lost within a statement is a 503 when the server ended it, and says nothing when it broke", async () => {
  await using data = await proxied();
  const waiting = () => data.ask("/rpc/wait", { method: "POST", json: {} });
  assert.deepEqual(await whileWaiting(waiting, terminate), [503, NO_ROLLBACK]);
  assert.deepEqual(await whileWaiting(waiting, data.proxy.cut), [400, NOTHING]);
  const refused = await data.ask("/things?id=eq.0") as [number, Record<string, unknown>];
  assert.deepEqual([refused[0], refused[1].code], [503, "PGRST000"]);
  data.proxy.restore();
  assert.deepEqual(await data.ask("/things?id=eq.0"), [200, []]);
});

Deno.test("a connection that breaks at the commit leaves open whether the change was made", async () => {
  await using data = await proxied();
  const insert = (id: number) => () => data.ask("/things", { method: "POST", json: { id } });
  const has = async (id: number) => (await sql`select from things where id = ${id}`).count === 1;

  assert.deepEqual(await whileWaiting(insert(1), data.proxy.cut), [400, NOTHING]);
  data.proxy.restore();
  // Postgres does not know that nobody listens any more, and commits.
  await poll(() => has(1), Boolean, { interval: 5 });

  assert.deepEqual(await whileWaiting(insert(2), terminate), [503, TERMINATED]);
  assert.ok(!await has(2));
});

Deno.test("a role's lock_timeout applies to its requests", async () => {
  await using data = await proxied();
  const role = `impatient_${crypto.randomUUID().slice(0, 8)}`;
  await sql.unsafe(`
    create role ${role};
    alter role ${role} set lock_timeout = '20ms';
    grant ${role} to authenticator;
    grant authenticated to ${role};
  `);
  const waiting = () =>
    data.ask("/rpc/wait", { method: "POST", json: {}, claims: { role } }) as Promise<
      [number, { code: string }]
    >;
  await sql`select pg_advisory_lock(1)`;
  const [status, { code }] = await waiting();
  await sql`select pg_advisory_unlock_all()`;
  assert.deepEqual([status, code], [500, "55P03"]);
  await sql.unsafe(`drop role ${role}`);
});

Deno.test("a transaction that could not be serialized is repeated until it succeeds", async () => {
  const succeeding = { method: "POST", json: { after: 5 } };
  assert.deepEqual((await corrected("/rpc/conflict", succeeding)).body, 6);
  // PostgREST would never answer this, before its version 16.
  const never = await corrected("/rpc/conflict", { method: "POST", json: { after: 1e6 } });
  assert.deepEqual([never.status, never.body.code], [500, "40001"]);

  const printed = await silently(async () => {
    assert.equal((await uncorrected("/rpc/conflict", succeeding)).status, 500);
  });
  assert.equal(printed, 1);
});
