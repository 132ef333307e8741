// Tests that the service creates and keeps one database client for each key and scope. A client
// uses each token for half a minute.
import assert from "node:assert/strict";
import { decodeJwt } from "jose";
import { readConfig } from "../../supabase/functions/_shared/config.ts";
import { callers } from "../../supabase/functions/_shared/key/caller.ts";
import { hashKey } from "../../supabase/functions/_shared/key/presented_key.ts";
import type { Scope } from "../../supabase/functions/_shared/key/token.ts";
import { environment } from "../support/test_stack.ts";

/**
 * A fake Data API that records the token and id of each request, and functions that call this API
 * through a client.
 */
async function tokenRecorder() {
  const tokens: string[] = [];
  const requestIds: string[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => {
    tokens.push(request.headers.get("Authorization")!.replace("Bearer ", ""));
    requestIds.push(request.headers.get("X-Request-Id")!);
    return Response.json([]);
  });
  const supabaseUrl = `http://127.0.0.1:${server.addr.port}`;
  const callerOf = callers(await readConfig(environment({ supabaseUrl })));
  const dbOf = async (key: string, scope: Scope | null, requestId = "a-request") =>
    (await callerOf(new Headers({ "X-Api-Key": key }), scope, requestId)).db;
  return {
    requestIds,
    dbOf,
    /** The database token that the service uses for a request with this key. */
    async tokenOf(key: string, scope: Scope | null): Promise<string> {
      await (await dbOf(key, scope)).from("deals").select("id");
      return tokens.at(-1)!;
    },
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

const [ONE, OTHER] = ["sk_live_one", "sk_live_other"];

Deno.test("requests with the same key and scope use one token, which contains the key's hash and the scope", async () => {
  await using database = await tokenRecorder();
  const token = await database.tokenOf(ONE, "read");
  const { key_hash, scope, role } = decodeJwt(token);
  assert.deepEqual([role, key_hash, scope], ["api_client", await hashKey(ONE), "read"]);
  assert.equal(await database.tokenOf(ONE, "read"), token);

  const others = [[OTHER, "read"], [ONE, "write"], [ONE, "messaging"], [ONE, "webhooks"], [
    ONE,
    null,
  ]] as const;
  for (const [key, scope] of others) {
    const claims = decodeJwt(await database.tokenOf(key, scope));
    assert.deepEqual([claims.key_hash, claims.scope], [await hashKey(key), scope ?? undefined]);
  }
  assert.equal(await database.tokenOf(ONE, "read"), token);
});

Deno.test("a token is used for half a minute, and is replaced if the clock is set back", async () => {
  const { now } = Date;
  try {
    await using database = await tokenRecorder();
    const at = async (ms: number) => {
      Date.now = () => began + ms;
      return await database.tokenOf(ONE, "read");
    };
    const began = now();
    const first = await at(0);
    assert.equal(await at(29_999), first);
    const second = await at(30_000);
    assert.notEqual(second, first);
    assert.notEqual(await at(-3_600_000), second);
  } finally {
    Date.now = now;
  }
});

Deno.test("the number of cached clients is limited, and a client in use remains cached", async () => {
  await using database = await tokenRecorder();
  const used = await database.tokenOf(ONE, "read");
  const unused = await database.tokenOf(OTHER, "read");
  for (let tried = 0; tried < 1_000; tried++) {
    await database.dbOf(`sk_live_${tried}`, "read");
    await database.dbOf(ONE, "read");
  }
  const { now } = Date;
  try {
    // A new client signs a token with the new time. A cached client uses its old token, so an equal
    // token shows that the client was cached.
    Date.now = () => now() + 5_000;
    assert.equal(await database.tokenOf(ONE, "read"), used);
    assert.notEqual(await database.tokenOf(OTHER, "read"), unused);
  } finally {
    Date.now = now;
  }
});

Deno.test("each statement has the id of its own request, even if requests run simultaneously", async () => {
  await using database = await tokenRecorder();
  await Promise.all(["one", "two"].map(async (id) => {
    const db = await database.dbOf(ONE, "read", id);
    await db.from("deals").select("id");
    await db.rpc("authenticate");
  }));
  assert.deepEqual(database.requestIds.sort(), ["one", "one", "two", "two"]);
});
