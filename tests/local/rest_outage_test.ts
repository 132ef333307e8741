// Tests that the local stack's Data API behaves like PostgREST while its database is down.
import assert from "node:assert/strict";
import { delay } from "deno-std/async/delay.js";
import { newCompany } from "../support/company.ts";
import { startFunctionProcess } from "../../local/functions/process.ts";
import { server } from "../../trials/stack.ts";
import { keyToken, token } from "../support/rest.ts";
import { stack } from "../support/test_stack.ts";
import { restOptions, silently, startDataApi, startLite } from "./lite.ts";
import { startProxy } from "./postgres_proxy.ts";

async function restThrough(url: (role: string) => string) {
  const rest = await startLite(url);
  const { keys } = await newCompany();
  const Authorization = `Bearer ${await keyToken(keys.all, "read")}`;
  const headers = { apikey: stack.publishable_key, Authorization };
  const ask = async () => {
    const request = new Request("http://rest/rest/v1/contacts?select=id", { headers });
    const answer = await rest.fetch(request);
    return { status: answer.status, body: await answer.json() };
  };
  return { ask, close: () => rest.close() };
}

/** The number of requests exceeds the number of connections in the pool. */
const REQUESTS = 30;

Deno.test("requests fail as with PostgREST while the database is down, and succeed when it is up again", async () => {
  const proxy = startProxy();
  const rest = await restThrough(proxy.url);
  const askAll = () => Promise.all(Array.from({ length: REQUESTS }, rest.ask));
  await rest.ask(); // loads the catalogue, so that later requests do not load it
  await silently(async () => {
    for (let outage = 1; outage <= 3; outage++) {
      for (const { status } of await askAll()) assert.equal(status, 200);
      proxy.cut();
      // The first requests receive the idle connections, and the other requests receive no
      // connection.
      const codes = (await askAll()).map(({ status, body }) => `${status} ${body.code}`);
      assert.deepEqual([...new Set(codes)].sort(), ["400 ", "503 PGRST000", "503 PGRST002"]);
      proxy.restore();
    }
    for (const { status } of await askAll()) assert.equal(status, 200);
  });
  await rest.close();
  proxy.cut();
});

/** The response of Postgres to a new connection while Postgres is starting. */
const STARTING_UP = ["SFATAL", "VFATAL", "C57P03", "Mthe database system is starting up", ""]
  .map((field) => `${field}\0`).join("");

Deno.test("while the database is starting, a request returns a 503", async () => {
  const postgres = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const serving = (async () => {
    for await (const connection of postgres) {
      await connection.read(new Uint8Array(1024));
      const message = new TextEncoder().encode(`E0000${STARTING_UP}`);
      new DataView(message.buffer).setInt32(1, message.length - 1);
      await connection.write(message);
      connection.close();
    }
  })();
  const { port } = postgres.addr as Deno.NetAddr;
  const url = (role: string) =>
    role === "authenticator"
      ? `postgresql://${role}@127.0.0.1:${port}/postgres`
      : stack.database_url;
  const rest = await restThrough(url);
  await silently(async () => {
    for (const code of ["PGRST000", "PGRST002", "PGRST002"]) {
      const { status, body } = await rest.ask();
      assert.deepEqual([status, body.code], [503, code]);
    }
  });
  await rest.close();
  postgres.close();
  await serving;
});

Deno.test("the Data API survives connections that end at any moment of a request", async () => {
  const { sql, url, end } = await startDataApi(`
    create table things (id int primary key);
    grant select on things to authenticated;
  `);
  // The Data API runs in its own process, because an uncaught error does not always end a test
  // process.
  await using rest = await startFunctionProcess({
    entry: server("rest"),
    env: { REST_OPTIONS: JSON.stringify(restOptions(url)) },
    permissions: ["--allow-all"],
  });
  const Authorization = `Bearer ${await token({ role: "authenticated" })}`;
  const headers = { apikey: stack.publishable_key, Authorization };
  const ask = async () => {
    const answer = await fetch(`${rest.url}/rest/v1/things`, { headers });
    await answer.body?.cancel();
    return answer.status;
  };
  for (let round = 0; round < 60; round++) {
    const answers = Array.from({ length: 1 + round % 5 }, ask);
    if (round % 2) await delay(round % 7);
    await sql`
      select pg_terminate_backend(pid, ${round % 3 * 1000}) from pg_stat_activity
      where usename = 'authenticator' and datname = current_database()
    `;
    await Promise.all(answers);
  }
  // Each of the next requests may receive a closed connection from the pool.
  const statuses = [];
  for (let n = 0; n < 12; n++) statuses.push(await ask());
  assert.equal(statuses.at(-1), 200);
  await rest.end();
  await end();
});
