// The Data API of the local stack while its database is away, as PostgREST is then.
import assert from "node:assert/strict";
import { deadline } from "deno-std/async/deadline.js";
import { delay } from "deno-std/async/delay.js";
import postgres from "postgres";
import { newCompany } from "../support/company.ts";
import { keyToken } from "../support/rest.ts";
import { stack } from "../support/test_stack.ts";
import { silently, startLite } from "./lite.ts";
import { openDoor } from "./postgres_door.ts";

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

/** As many as find every connection of the pool in use. */
const REQUESTS = 30;

Deno.test("a database that is away is a 503 for everybody, until it is back", async () => {
  const door = openDoor();
  const rest = await restThrough(door.url);
  const askAll = () => Promise.all(Array.from({ length: REQUESTS }, rest.ask));
  await silently(async () => {
    for (let outage = 1; outage <= 3; outage++) {
      for (const { status } of await askAll()) assert.equal(status, 200);
      door.shut();
      for (const { status, body } of await askAll()) {
        assert.equal(status, 503);
        assert.match(body.code, /^PGRST00[01]$/);
      }
      door.open();
    }
    for (const { status } of await askAll()) assert.equal(status, 200);
  });
  await rest.close();
  door.shut();
});

/** What Postgres answers to whoever connects while it is starting up. */
const STARTING_UP = ["SFATAL", "VFATAL", "C57P03", "Mthe database system is starting up", ""]
  .map((field) => `${field}\0`).join("");

Deno.test("a database that is starting up is a 503", async () => {
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

Deno.test("lite itself does not answer 503", async () => {
  const door = openDoor();
  const rest = await restThrough(door.url, true);
  door.shut();
  await silently(async () => assert.notEqual((await rest.ask()).status, 503));
  await rest.close();
});

Deno.test("the driver itself writes to a connection that it lost", async () => {
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
