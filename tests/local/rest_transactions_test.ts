// Tests the transaction of a Data API request. The transaction may lose its connection at any
// moment, wait for a lock, or have a serialization failure.
import assert from "node:assert/strict";
import { delay } from "deno-std/async/delay.js";
import { poll } from "deno-std/async/poll.js";
import { dataApi, startDataApi, startLite } from "./lite.ts";
import { startProxy } from "./postgres_proxy.ts";

const { api, sql, url, end } = await startDataApi(`
  create table things (id int primary key);
  create function wait() returns void language sql as 'select pg_advisory_xact_lock(1)';
  create function wait_at_commit() returns trigger language plpgsql as $$
    begin perform wait(); return null; end $$;
  create constraint trigger slowly after insert on things deferrable initially deferred
    for each row execute function wait_at_commit();
  create sequence attempts;
  create function conflict(state text, after int) returns bigint language plpgsql security definer as $$
    begin
      if nextval('attempts') <= after then
        raise exception using errcode = state, message = 'could not serialize access';
      end if;
      return currval('attempts');
    end $$;
  grant select, insert on things to authenticated;
`);
Deno.test.afterAll(end);

/** PostgREST's response if the connection broke without a message from the server. */
const NOTHING = { code: "", message: "", details: null, hint: null };
/**
 * PostgREST's response if the server sent a reason and closed the connection before the transaction
 * or during the commit.
 */
const TERMINATED = {
  code: "57P01",
  message: "terminating connection due to administrator command",
  details: null,
  hint: null,
};
/**
 * PostgREST's response if Postgres closes the connection within the transaction and says why.
 * PostgREST then cannot send its rollback.
 */
const NO_ROLLBACK = {
  code: "PGRST001",
  message: "Database client error. Retrying the connection.",
  details: "no connection to the server\n",
  hint: null,
};

/** Starts a Data API with one idle connection, which reaches Postgres through a proxy. */
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

/** Terminates the Data API's statements and connections, as an administrator can do. */
async function terminate() {
  await sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where usename = 'authenticator' and datname = current_database()
  `;
}

/**
 * Returns as soon as a Data API statement is waiting for the lock. Other tests wait for advisory
 * locks in other databases, and such a wait does not count.
 */
async function untilWaiting() {
  const waiting = () =>
    sql`
      select from pg_locks join pg_database on pg_database.oid = pg_locks.database
      where datname = current_database() and locktype = 'advisory' and not granted
    `;
  await poll(async () => (await waiting()).count, (count: number) => count === 1, { interval: 5 });
}

/**
 * Takes the lock, and sends a request that waits for the lock. Calls `happens` while the request
 * waits. Returns the response to the request.
 */
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

Deno.test("after an idle connection breaks, the next request's error contains no reason", async () => {
  await using data = await proxied();
  data.proxy.cut();
  assert.deepEqual(await data.ask("/things?id=eq.0"), [400, NOTHING]);
  data.proxy.restore();
  assert.deepEqual(await data.ask("/things?id=eq.0"), [200, []]);
});

Deno.test("after the server closes an idle connection, the next request's error contains the server's reason", async () => {
  await using data = await proxied();
  await terminate();
  assert.deepEqual(await data.ask("/things?id=eq.0"), [503, TERMINATED]);
  assert.deepEqual(await data.ask("/things?id=eq.0"), [200, []]);
});

Deno.test("the driver never closes a connection because of its age", async () => {
  const rest = await startLite((role) => `${url(role)}?max_lifetime=0.3`);
  const api = dataApi(rest);
  const statuses = new Set<number>();
  for (let round = 0; round < 3; round++) {
    const answers = Array.from({ length: 5 }, () => api("/things?id=eq.0"));
    for (const { status } of await Promise.all(answers)) statuses.add(status);
    await delay(350);
  }
  await rest.close();
  assert.deepEqual([...statuses], [200]);
});

Deno.test("a running request returns a 503 if the server closes the connection, and a 400 if the connection breaks", async () => {
  await using data = await proxied();
  const waiting = () => data.ask("/rpc/wait", { method: "POST", json: {} });
  assert.deepEqual(await whileWaiting(waiting, terminate), [503, NO_ROLLBACK]);
  assert.deepEqual(await whileWaiting(waiting, data.proxy.cut), [400, NOTHING]);
  const refused = await data.ask("/things?id=eq.0") as [number, Record<string, unknown>];
  assert.deepEqual([refused[0], refused[1].code], [503, "PGRST000"]);
  data.proxy.restore();
  assert.deepEqual(await data.ask("/things?id=eq.0"), [200, []]);
});

Deno.test("if the connection breaks during the commit, the response does not say whether the change was made", async () => {
  await using data = await proxied();
  const insert = (id: number) => () => data.ask("/things", { method: "POST", json: { id } });
  const has = async (id: number) => (await sql`select from things where id = ${id}`).count === 1;

  assert.deepEqual(await whileWaiting(insert(1), data.proxy.cut), [400, NOTHING]);
  data.proxy.restore();
  // Postgres does not know that the client has disconnected, and commits.
  await poll(() => has(1), Boolean, { interval: 5 });

  assert.deepEqual(await whileWaiting(insert(2), terminate), [503, TERMINATED]);
  assert.ok(!await has(2));
});

Deno.test("a transaction with a serialization failure or a deadlock is repeated, but not forever", async () => {
  for (const state of ["40001", "40P01"]) {
    await sql`alter sequence attempts restart`;
    const succeeding = { method: "POST", json: { state, after: 5 } };
    assert.deepEqual((await api("/rpc/conflict", succeeding)).body, 6);
    // PostgREST versions before 16 would repeat this transaction forever.
    const never = await api("/rpc/conflict", { method: "POST", json: { state, after: 1e6 } });
    assert.deepEqual([never.status, never.body.code], [500, state]);
  }
});
