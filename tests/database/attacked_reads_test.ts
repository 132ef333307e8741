// What the settings page shows to owners and admins is shown to nobody else, and some of it not to them.

import assert from "node:assert/strict";
import { token } from "../support/rest.ts";
import {
  attempt,
  DIGESTS,
  ids,
  MANAGED,
  MANAGERS,
  outcome,
  OUTSIDERS,
  own,
  owner,
  PEOPLE,
  test,
} from "./attacks.ts";

test("nobody but owners and admins reads the keys, their history, their use or their errors", async () => {
  for (const [table, { column, row }] of Object.entries(MANAGED)) {
    const reads = [
      `select=${column}&company_id=eq.${own.id}`,
      `select=${column}&${row}`,
      `select=${column}&or=(company_id.eq.${own.id},${row.replace("=", ".")})`,
      `select=${column}&company_id=in.(${own.id})&order=${column}&limit=1&offset=0`,
      `select=company_id,companies!${table}_company_id_fkey!inner(id)&companies.id=eq.${own.id}`,
    ];
    for (const [who, to] of Object.entries(OUTSIDERS)) {
      for (const read of reads) {
        const answer = await attempt(who, to, {
          path: `/${table}?${read}`,
          headers: { Prefer: "count=exact" },
        });
        const said = `${who}: ${table} ${read}`;
        if (PEOPLE.includes(who)) {
          assert.deepEqual([answer.status, answer.body], [200, []], said);
          assert.equal(answer.headers.get("Content-Range"), "*/0", said);
        } else assert.equal(outcome(answer), to === null ? "401 42501" : "403 42501", said);
      }
    }
    for (const [who, to] of Object.entries(MANAGERS)) {
      const { body } = await attempt(who, to, { path: `/${table}?select=${column}&${row}` });
      assert.ok(body.length > 0, `${who}: ${table}`);
    }
  }
});

test("no embedding shows a key, its history or its use to an agent or to another company", async () => {
  // More than one way leads from a company to its rows, so each is named.
  const each = Object.entries(MANAGED).map(([table, { column }]) =>
    `${table}!${table}_company_id_fkey(${column})`
  );
  const embeddings = [
    `/companies?select=id,${each}`,
    ...["company_members", "messaging_accounts"].map((table) =>
      `/${table}?select=company_id,companies!${table}_company_id_fkey(id,${each})`
    ),
  ];
  for (const who of PEOPLE) {
    for (const path of embeddings) {
      const answer = await attempt(who, OUTSIDERS[who], { path });
      assert.equal(answer.status, 200, `${who}: ${path}`);
    }
  }
  // A company's own owner sees them in this way, so the embeddings are ones that there are.
  for (const path of embeddings) {
    const { body } = await attempt("an owner", MANAGERS["an owner"], { path });
    assert.ok(JSON.stringify(body).includes(ids.key), path);
  }
});

/** What even owners do not read, by table. */
const HIDDEN: Record<string, string[]> = {
  api_keys: ["key_hash", "replaced_at", "meant_to_expire_at"],
  messaging_accounts: ["encrypted_token", "channel_app_id"],
  sends: ["claim_id", "fingerprint"],
  templates: ["sample_url"],
};

test("an owner neither reads a hidden column nor finds rows by it", async () => {
  for (const [table, columns] of Object.entries(HIDDEN)) {
    const embedded = `${table}!${table}_company_id_fkey`;
    const paths = columns.flatMap((column) => [
      `/${table}?select=${column}`,
      `/${table}?select=id,shown:${column}`,
      `/${table}?select=id,shown:${column}::text`,
      `/${table}?select=id&${column}=not.is.null`,
      `/${table}?select=id&not.and=(${column}.is.null)`,
      `/${table}?select=id&or=(id.is.null,${column}.not.is.null)`,
      `/${table}?select=id&order=${column}.desc`,
      `/companies?select=id,${embedded}(id,${column})`,
      `/companies?select=id,${embedded}(id)&${table}.${column}=not.is.null`,
      `/companies?select=id,${embedded}(id)&${table}.order=${column}`,
      `/companies?select=id,${embedded}!inner(id)&${table}.${column}=not.is.null`,
    ]);
    for (const path of [`/${table}?select=*`, `/companies?select=*,${embedded}(*)`, ...paths]) {
      const answer = await attempt("an owner", MANAGERS["an owner"], { path });
      assert.equal(outcome(answer), "403 42501", path);
    }
  }
  const guesses = DIGESTS.flatMap((digest) => [`eq.${digest}`, `like.${digest.slice(0, 3)}*`]);
  for (const guess of ["gt.8", "match.^0", ...guesses.slice(0, 2)]) {
    const path = `/api_keys?select=id&key_hash=${guess}`;
    const answer = await attempt("an owner", MANAGERS["an owner"], { path });
    assert.equal(outcome(answer), "403 42501", path);
  }
});

test("a session that Supabase Auth has not signed, or that is over, is none", async () => {
  const claims = { role: "authenticated", sub: owner };
  const part = (value: unknown) =>
    btoa(JSON.stringify(value)).replaceAll("=", "").replaceAll("+", "-").replaceAll("/", "_");
  const forged = [
    await token(claims, { key: new TextEncoder().encode("a secret of nobody, 32 characters") }),
    await token({ ...claims, role: "service_role" }, { key: new Uint8Array(32) }),
    await token(claims, { expires: Math.floor(Date.now() / 1000) - 60 }),
    `${part({ alg: "none", typ: "JWT" })}.${part({ ...claims, exp: 4e9 })}.`,
    `${part({ alg: "HS256", typ: "JWT" })}.${part({ ...claims, exp: 4e9 })}.AAAA`,
  ];
  for (const each of forged) {
    for (const path of ["/api_keys?select=id", `/api_key_events?select=id`]) {
      assert.equal((await attempt("a forger", each, { path })).status, 401, each);
    }
  }
});
