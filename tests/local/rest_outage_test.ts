// Without its database, the local stack's Data API answers as PostgREST does.
import assert from "node:assert/strict";
import { newCompany } from "../support/company.ts";
import { keyToken } from "../support/rest.ts";
import { stack } from "../support/test_stack.ts";
import { silently, startLite } from "./lite.ts";
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

/** The pool has fewer connections than this. */
const REQUESTS = 30;

Deno.test("while the database is down, requests fail as with PostgREST, and when it is up, all succeed", async () => {
  const proxy = startProxy();
  const rest = await restThrough(proxy.url);
  const askAll = () => Promise.all(Array.from({ length: REQUESTS }, rest.ask));
  await rest.ask(); // this request reads the catalogue, so that the others need not
  await silently(async () => {
    for (let outage = 1; outage <= 3; outage++) {
      for (const { status } of await askAll()) assert.equal(status, 200);
      proxy.cut();
      // The first requests get the idle connections, and the others get no connection.
      const codes = (await askAll()).map(({ status, body }) => `${status} ${body.code}`);
      assert.deepEqual([...new Set(codes)].sort(), ["400 ", "503 PGRST000", "503 PGRST002"]);
      proxy.restore();
    }
    for (const { status } of await askAll()) assert.equal(status, 200);
  });
  await rest.close();
  proxy.cut();
});

/** How Postgres answers a new connection while it is starting. */
const STARTING_UP = ["SFATAL", "VFATAL", "C57P03", "Mthe database system is starting up", ""]
  .map((field) => `${field}\0`).join("");

Deno.test("while the database is starting, a request gets a 503", async () => {
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
