// A token allows exactly what both its key and its scope allow, while the token and the key are
// valid.

import assert from "node:assert/strict";
import { hashKey } from "../../supabase/functions/_shared/key/presented_key.ts";
import { base64url } from "jose";
import { newCompany } from "../support/company.ts";
import { keyToken, rest, token } from "../support/rest.ts";
import { snapshot, tables } from "../support/snapshot.ts";
import { stack } from "../support/test_stack.ts";
import { anyClaim } from "./sends.ts";

const company = await newCompany();
const READABLE = ["contacts", "conversations", "deals", "pipelines", "stages"];

/**
 * What an API key can do through the Data API: reads, writes, and function calls without effect.
 */
const reads = READABLE.map((table) => ["GET", `/${table}?select=id`, undefined] as const);
const writes = [
  ["PATCH", `/contacts?select=id&id=eq.${company.contact_id}`, { name: "Changed" }],
  ["PATCH", `/deals?select=id&id=eq.${company.deal_id}`, { title: "Changed" }],
  ["PATCH", `/conversations?select=id&id=eq.${company.conversation_id}`, { status: "pending" }],
] as const;
const calls = [["POST", "/rpc/authenticate", {}], ["POST", "/rpc/own_key", {}]] as const;
/** Functions that a write request calls after a conflict, to find the existing row. */
const lookups = [
  ["POST", "/rpc/contact_id_by_phone", { phone: "+15550100" }],
  ["POST", "/rpc/contact_id_by_external_id", { external_id: "C-1" }],
  ["POST", "/rpc/deal_id_by_external_id", { external_id: "D-1" }],
  ["POST", "/rpc/other_conversation_not_closed", { conversation_id: company.conversation_id }],
] as const;
/** A claim that finds no account and therefore has no effect. */
const claimings = [[
  "POST",
  "/rpc/claim_template_send",
  anyClaim({ phone_number_id: "0" }),
]] as const;
const claim_id = crypto.randomUUID();
const settlement = { claim_id, outcome: "failed", reason: "template_rejected" };
const settlements = [["POST", "/rpc/settle_send", settlement]] as const;
const everything = [...reads, ...writes, ...lookups, ...calls, ...claimings];

type Request = readonly [method: string, path: string, json: unknown];

/**
 * Defines a test in which every request is refused and every row of the company must remain
 * unchanged.
 */
function testRefusals(fact: string, work: () => Promise<void>) {
  Deno.test(fact, async () => {
    const before = await snapshot(company.id);
    await work();
    assert.deepEqual(await snapshot(company.id), before);
  });
}

async function assertRefused(
  token: string | null,
  requests: readonly Request[],
  expected: [status: number, code?: string, message?: string],
) {
  await Promise.all(requests.map(async ([method, path, json]) => {
    const { status, body } = await rest(token, method, path, { json });
    const actual = [status, body.code, body.message].slice(0, expected.length);
    assert.deepEqual(actual, expected, `${method} ${path}`);
  }));
}

const UNKNOWN: [number, string, string] = [401, "PT401", "Invalid or expired API key"];
const lacking = (
  scope: string,
): [number, string, string] => [403, "PT403", `This API key does not have ${scope} permission`];

testRefusals(
  "a token is refused everywhere if its key does not have the token's scope",
  async () => {
    for (const claimed of ["read", "write", "messaging", "webhooks"] as const) {
      for (const held of ["read", "write", "messaging", "webhooks"] as const) {
        if (claimed === held) continue;
        const claiming = await keyToken(company.keys[held], claimed);
        await assertRefused(claiming, everything, lacking(claimed));
      }
    }
    for (const claimed of ["admin", "", "READ", "read write"]) {
      const key_hash = await hashKey(company.keys.all);
      const claiming = await token({ role: "api_client", key_hash, scope: claimed });
      await assertRefused(claiming, everything, lacking(claimed));
    }
  },
);

testRefusals("a token without the digest of a known key is refused for every request", async () => {
  const { keys } = company;
  const nearly = await hashKey(`${keys.all} `);
  const digests = [undefined, null, "", keys.all, "0".repeat(64), nearly, {}, []];
  for (const key_hash of [...digests, (await hashKey(keys.all)).toUpperCase()]) {
    const unknown = await token({ role: "api_client", key_hash, scope: "write" });
    await assertRefused(unknown, everything, UNKNOWN);
  }
});

testRefusals("an expired token is refused", async () => {
  const claims = { role: "api_client", key_hash: await hashKey(company.keys.all), scope: "write" };
  const stale = await token(claims, { expires: "-1m" });
  await assertRefused(stale, [...everything, ...settlements], [401, "PGRST303"]);
});

testRefusals("a forged token is refused, whatever role it names", async () => {
  const key_hash = await hashKey(company.keys.all);
  const roles = [
    ...["api_client", "service_role", "postgres", "supabase_admin", "authenticator", "anon"],
  ];
  for (const role of roles) {
    const claims = { role, key_hash, scope: "write", exp: Math.floor(Date.now() / 1000) + 60 };
    const unsigned = (alg: string) =>
      [{ alg, typ: "JWT" }, claims].map((part) => base64url.encode(JSON.stringify(part))).join(".");
    const forged = [
      await token(claims, { key: crypto.getRandomValues(new Uint8Array(32)) }),
      await token(claims, { key: new Uint8Array(32) }),
      await token(claims, { key: new TextEncoder().encode(stack.publishable_key) }),
      `${unsigned("none")}.`,
      `${unsigned("None")}.`,
      `${unsigned("HS256")}.`,
      // The signature of a valid token, combined with other claims.
      `${unsigned("HS256")}.${(await keyToken(company.keys.read, "read")).split(".")[2]}`,
    ];
    for (const each of forged) {
      await assertRefused(each, [reads[0], writes[0], calls[0], settlements[0]], [401]);
    }
  }
});

testRefusals(
  "a token with a role that can log in is refused, even with a valid signature",
  async () => {
    for (const role of ["postgres", "supabase_admin", "authenticator"]) {
      const claims = { role, key_hash: await hashKey(company.keys.all), scope: "write" };
      await assertRefused(await token(claims), [...everything, ...settlements], [403, "42501"]);
    }
  },
);

testRefusals("the publishable key by itself gives access to nothing", async () => {
  const everywhere: Request[] = (await tables()).flatMap((table) => {
    const column = table === "companies" ? "id" : "company_id";
    const row = { [column]: company.id };
    return [
      ["GET", `/${table}?select=${column}`, undefined],
      ["POST", `/${table}?select=${column}`, row],
      ["PATCH", `/${table}?select=${column}&${column}=eq.${company.id}`, row],
      ["DELETE", `/${table}?select=${column}&${column}=eq.${company.id}`, undefined],
    ];
  });
  const create = ["POST", "/rpc/create_api_key", {
    name: "Mine",
    scopes: ["read"],
    company_id: company.id,
  }] as const;
  // A Supabase client also sends its key as the bearer token.
  for (const bearer of [null, stack.publishable_key]) {
    const functions = [...lookups, ...calls, ...claimings, ...settlements, create];
    await assertRefused(bearer, [...everywhere, ...functions], [401, "42501"]);
  }
});
