// A client of the database and its token are made once for a key and a scope, and used again for a while.
import assert from "node:assert/strict";
import { decodeJwt } from "jose";
import { companyDbs, type Scope } from "../../supabase/functions/_shared/database/company_db.ts";
import { readConfig } from "../../supabase/functions/_shared/config.ts";
import { environment } from "../support/test_stack.ts";

/** A database that notes the token of each request, and clients for it. */
async function notingTokens() {
  const tokens: string[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => {
    tokens.push(request.headers.get("Authorization")!.replace("Bearer ", ""));
    return Response.json([]);
  });
  const supabaseUrl = `http://127.0.0.1:${server.addr.port}`;
  const dbOf = companyDbs(await readConfig(environment({ supabaseUrl })));
  return {
    dbOf,
    /** The token of a request that carries this key. */
    async tokenOf(keyHash: string, scope: Scope): Promise<string> {
      await dbOf(keyHash, scope).from("deals").select("id");
      return tokens.at(-1)!;
    },
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

const [ONE, OTHER] = ["a".repeat(64), "b".repeat(64)];

Deno.test("requests of one key and scope share a token, which says just that", async () => {
  await using database = await notingTokens();
  const token = await database.tokenOf(ONE, "read");
  const { key_hash, scope, role } = decodeJwt(token);
  assert.deepEqual([role, key_hash, scope], ["api_client", ONE, "read"]);
  assert.equal(await database.tokenOf(ONE, "read"), token);

  const others = [[OTHER, "read"], [ONE, "write"], [ONE, "messaging"], [ONE, null]] as const;
  for (const [keyHash, scope] of others) {
    const claims = decodeJwt(await database.tokenOf(keyHash, scope));
    assert.deepEqual([claims.key_hash, claims.scope], [keyHash, scope ?? undefined]);
  }
  assert.equal(await database.tokenOf(ONE, "read"), token);
});

Deno.test("a token is used for half of its life, by a clock that may be set back", async () => {
  const { now } = Date;
  try {
    await using database = await notingTokens();
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

Deno.test("however many keys are tried, few clients are kept, and those in use stay", async () => {
  await using database = await notingTokens();
  const used = database.dbOf(ONE, "read");
  const unused = database.dbOf(OTHER, "read");
  for (let tried = 0; tried < 1_000; tried++) {
    database.dbOf(String(tried).padStart(64, "0"), "read");
    assert.equal(database.dbOf(ONE, "read"), used);
  }
  assert.notEqual(database.dbOf(OTHER, "read"), unused);
});
