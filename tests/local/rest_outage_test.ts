// The Data API of the local stack without its database answers as PostgREST does.
import assert from "node:assert/strict";
import { deadline } from "deno-std/async/deadline.js";
import { delay } from "deno-std/async/delay.js";
import postgres from "postgres";
import { newCompany } from "../support/company.ts";
import { keyToken } from "../support/rest.ts";
import { stack } from "../support/test_stack.ts";
import { silently, startLite } from "./lite.ts";
import { startProxy } from "./postgres_proxy.ts";

async function restThrough(url: (role: string) => string, uncorrected = false) {
  const rest = await startLite(url, { uncorrected });
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

/** More than the pool has connections. */
const REQUESTS = 30;

Deno.test("without its database every request fails as PostgREST's do, and after its return none does", async () => {
  const proxy = startProxy();
  const rest = await restThrough(proxy.url);
  const askAll = () => Promise.all(Array.from({ length: REQUESTS }, rest.ask));
  await silently(async () => {
    for (let outage = 1; outage <= 3; outage++) {
      for (const { status } of await askAll()) assert.equal(status, 200);
      proxy.cut();
      // The first requests get the connections that were idle; the others, none.
      const codes = (await askAll()).map(({ status, body }) => `${status} ${body.code}`);
      assert.deepEqual([...new Set(codes)].sort(), ["400 ", "503 PGRST000"]);
      proxy.restore();
    }
    for (const { status } of await askAll()) assert.equal(status, 200);
  });
  await rest.close();
  proxy.cut();
});

/** The answer of Postgres to a new connection while it is starting up. */
const STARTING_UP = ["SFATAL", "VFATAL", "C57P03", "Mthe database system is starting up", ""]
  .map((field) => `${field}\0`).join("");

Deno.test("while the database is starting up, a request is a 503", async () => {
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
    const { status, body } = await rest.ask();
    assert.deepEqual([status, body.code], [503, "PGRST000"]);
  });
  await rest.close();
  postgres.close();
  await serving;
});

Deno.test("uncorrected lite does not answer 503", async () => {
  const proxy = startProxy();
  const rest = await restThrough(proxy.url, true);
  proxy.cut();
  await silently(async () => assert.notEqual((await rest.ask()).status, 503));
  await rest.close();
});

Deno.test("the driver by itself writes to a connection that it has lost", async () => {
  const sql = postgres(stack.database_url, { max: 1 });
  const thrown = new Promise<Error>((resolve) =>
    addEventListener("error", (event) => {
      event.preventDefault();
      resolve(event.error);
    }, { once: true })
  );
  const held = await sql.reserve();
  await assert.rejects(held`select pg_terminate_backend(pg_backend_pid())`);
  await delay(50);
  held`rollback`.catch(() => {});
  assert.match(String(await deadline(thrown, 2000)), /null \(reading 'write'\)/);
  await sql.end({ timeout: 0 });
});
