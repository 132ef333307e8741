// What owners and admins do on the settings page, nobody else does, and they themselves do nothing beyond it.

import assert from "node:assert/strict";
import { newCompany } from "../support/company.ts";
import { keyIds } from "../support/key_usage.ts";
import { personToken, rest } from "../support/rest.ts";
import { withDatabase } from "../support/test_stack.ts";
import {
  agent,
  type Attempt,
  attempt,
  DIGESTS,
  ids,
  MANAGED,
  MANAGERS,
  other,
  outcome,
  OUTSIDERS,
  own,
  owner,
  PEOPLE,
  test,
} from "./attacks.ts";

const REPLACING = { Prefer: "resolution=merge-duplicates,return=representation" };
const SKIPPING = { Prefer: "resolution=ignore-duplicates,return=representation" };
const newKey = {
  ...{ company_id: own.id, name: "Mine", scopes: ["read", "write", "messaging"], hint: "0000" },
  key_hash: "0".repeat(64),
};
const on = (table: string) => `/${table}?${MANAGED[table].row}&select=${MANAGED[table].column}`;

/** What nobody at all may write. */
const FORBIDDEN: Attempt[] = [
  { method: "POST", path: "/api_keys?select=id", json: newKey },
  { method: "POST", path: "/api_keys?select=id", json: [newKey, newKey] },
  { method: "POST", path: "/api_keys?columns=name,company_id&select=id", json: newKey },
  ...[REPLACING, SKIPPING].map((headers) => ({
    ...{ method: "POST", path: "/api_keys?on_conflict=id&select=id", headers },
    json: { ...newKey, id: ids.key },
  })),
  { method: "PUT", path: `/api_keys?id=eq.${ids.key}`, json: { ...newKey, id: ids.key } },
  ...Object.entries({
    id: crypto.randomUUID(),
    company_id: other.id,
    key_hash: "0".repeat(64),
    hint: "0000",
    scopes: ["messaging"],
    expires_at: null,
    last_used_at: null,
    created_by: null,
    created_at: "2000-01-01",
    updated_at: "2000-01-01",
    replaces: null,
    replaced_at: null,
    meant_to_expire_at: "infinity",
  }).flatMap(([column, value]) => [
    { method: "PATCH", path: on("api_keys"), json: { [column]: value } },
    { method: "PATCH", path: on("api_keys"), json: { name: "Mine", [column]: value } },
  ]),
  { method: "PATCH", path: `/api_keys?key_hash=eq.${DIGESTS[0]}`, json: { is_active: false } },
  { method: "DELETE", path: `/api_keys?key_hash=eq.${DIGESTS[0]}` },
  ...["api_key_events", "api_key_errors", "api_key_usage"].flatMap((table) => [
    { method: "POST", path: `/${table}`, json: { company_id: own.id, key_id: ids.key } },
    { method: "POST", path: `/${table}`, headers: REPLACING, json: { company_id: own.id } },
    { method: "PATCH", path: on(table), json: { company_id: other.id } },
    { method: "PATCH", path: on(table), json: { key_id: crypto.randomUUID() } },
    { method: "DELETE", path: on(table) },
    { method: "DELETE", path: `/${table}?company_id=not.is.null` },
  ]),
  ...["messaging_accounts", "account_connections", "account_notices", "sends"].flatMap((table) => [
    { method: "POST", path: `/${table}?select=id`, json: { company_id: own.id } },
    {
      ...{ method: "PATCH", path: `/${table}?company_id=eq.${own.id}&select=id` },
      json: { company_id: other.id },
    },
    { method: "DELETE", path: `/${table}?company_id=eq.${own.id}&select=id` },
  ]),
  {
    ...{ method: "PATCH", path: `/messaging_accounts?id=eq.${own.account_id}&select=id` },
    json: { disconnected_at: "2026-01-01", encrypted_token: null },
  },
  // Who would like to be an owner.
  {
    ...{ method: "PATCH", path: `/company_members?user_id=eq.${agent}&select=user_id` },
    json: { role: "owner" },
  },
  ...[{}, REPLACING].map((headers) => ({
    ...{ method: "POST", path: "/company_members?select=user_id", headers },
    json: { company_id: own.id, user_id: other.member_id, role: "owner" },
  })),
  { method: "DELETE", path: `/company_members?user_id=eq.${owner}&select=user_id` },
  // What the page never calls.
  ...Object.entries({
    record_api_key_usage: { usage: [], errors: [] },
    authenticate: {},
    current_account_notices: { company_id: own.id },
    list_company_members: { company_id: own.id },
    add_company_member: { company_id: own.id, email: "mallory@people.example", role: "owner" },
    change_company_member_role: { company_id: own.id, email: "x@people.example", role: "owner" },
    remove_company_member: { company_id: own.id, email: "x@people.example" },
    sealed_account_tokens: {},
  }).map(([name, json]) => ({ method: "POST", path: `/rpc/${name}`, json })),
];

/** One of each role of the Data API: what is not granted to it, nobody may who acts in it. */
const ROLES: Record<string, string | null> = {
  "an owner": MANAGERS["an owner"],
  ...Object.fromEntries(
    ["the publishable key alone", "an API key, to write", "an API key, as the functions read"]
      .map((who) => [who, OUTSIDERS[who]]),
  ),
};

test("nobody writes what belongs to the database alone, owners and admins neither", async () => {
  for (const [who, to] of Object.entries(ROLES)) {
    for (const each of FORBIDDEN) {
      // A key is told which one it is.
      if (each.path === "/rpc/authenticate" && who === "an API key, to write") continue;
      const answer = await attempt(who, to, each);
      const said = `${who}: ${each.method} ${each.path} ${JSON.stringify(each.json)}`;
      // Before an upsert, the local Data API looks for the row, which a token for writing may not.
      const found = outcome(answer).replace("403 PT403", "403 42501");
      assert.equal(found, to === null ? "401 42501" : "403 42501", said);
    }
  }
});

test("whoever has no rights to the keys changes and deletes none, with or without a condition", async () => {
  const writes: Attempt[] = [
    { method: "PATCH", path: on("api_keys"), json: { name: "Mine" } },
    { method: "PATCH", path: on("api_keys"), json: { is_active: false } },
    { method: "DELETE", path: on("api_keys") },
    {
      ...{ method: "PATCH", path: `/api_keys?company_id=eq.${own.id}&select=id` },
      json: { is_active: false },
    },
    { method: "DELETE", path: `/api_keys?company_id=eq.${own.id}&select=id` },
  ];
  for (const [who, to] of Object.entries(OUTSIDERS)) {
    for (const each of writes) {
      const answer = await attempt(who, to, each);
      const said = `${who}: ${each.method} ${each.path}`;
      if (PEOPLE.includes(who)) assert.deepEqual([answer.status, answer.body], [200, []], said);
      else assert.equal(outcome(answer), to === null ? "401 42501" : "403 42501", said);
    }
  }
});

test("no function of the page does or shows anything of a company to whoever may not", async () => {
  const unknown = crypto.randomUUID();
  const key = { name: "Mine", scopes: ["read"], company_id: own.id };
  /** By function: the arguments, and what the owner of another company and an agent are answered. */
  const calls: [name: string, json: Record<string, unknown>, stranger: string, agent: string][] = [
    ["create_api_key", key, "403 PT403", "403 PT403"],
    ["create_api_key", { ...key, company_id: unknown }, "403 PT403", "403 PT403"],
    ["rotate_api_key", { key_id: ids.key }, "404 PT404", "403 PT403"],
    ["rotate_api_key", { key_id: ids.key, overlap_hours: 0 }, "404 PT404", "403 PT403"],
    ["rotate_api_key", { key_id: unknown }, "404 PT404", "403 PT403"],
    ["disconnect_messaging_account", { account_id: own.account_id }, "404 PT404", "403 PT403"],
    ["disconnect_messaging_account", { account_id: unknown }, "404 PT404", "404 PT404"],
    ["sends_by_state", { company_id: own.id }, "403 PT403", "403 PT403"],
    ["sends_by_state", { company_id: unknown }, "403 PT403", "403 PT403"],
    ["sends_by_state", { company_id: null }, "403 PT403", "403 PT403"],
    ["messaging_accounts_overview", { company_id: unknown }, "200", "200"],
    ["messaging_accounts_overview", { company_id: null }, "200", "200"],
  ];
  for (const [name, json, stranger, ofAgent] of calls) {
    for (const [who, to] of Object.entries(OUTSIDERS)) {
      const answer = await attempt(who, to, { method: "POST", path: `/rpc/${name}`, json });
      const said = `${who}: ${name} ${JSON.stringify(json)}`;
      if (answer.status === 200) assert.deepEqual(answer.body, [], said);
      // Whoever runs no company is told so.
      const expected = who === "an agent"
        ? ofAgent
        : who === "the owner of another company"
        ? stranger
        : PEOPLE.includes(who)
        ? name === "rotate_api_key" ? "403 PT403" : stranger
        : to === null
        ? "401 42501"
        : "403 42501";
      assert.equal(outcome(answer), expected, said);
    }
  }
  const overview = { company_id: own.id };
  for (const [who, to] of Object.entries(OUTSIDERS)) {
    const path = "/rpc/messaging_accounts_overview";
    const { status, body } = await attempt(who, to, { method: "POST", path, json: overview });
    const rows = status === 200 ? body.length : status;
    const expected = who === "an agent" ? 1 : PEOPLE.includes(who) ? 0 : to === null ? 401 : 403;
    assert.equal(rows, expected, who);
  }
});

test("a link does nothing: a function that writes is not called by GET, nor is one of the schema app", async () => {
  const queries = [
    `/rpc/create_api_key?name=Mine&scopes={read}&company_id=${own.id}`,
    `/rpc/rotate_api_key?key_id=${ids.key}`,
    `/rpc/disconnect_messaging_account?account_id=${own.account_id}`,
  ];
  for (const path of queries) {
    const { status } = await attempt("an owner", MANAGERS["an owner"], { path });
    assert.equal(status, 405, path);
  }
  const hidden = [
    ...["add_api_key", "note_api_key_event", "name_of_person", "note_last_event", "is_current"],
    ...["client_address", "managed_company_ids", "keep_an_owner", "remove_old_usage_of_keys"],
  ];
  for (const name of hidden) {
    const asked = { method: "POST", path: `/rpc/${name}`, json: {} };
    const answer = await attempt("an owner", MANAGERS["an owner"], asked);
    assert.equal(answer.status, 404, name);
    const profile = { ...asked, headers: { "Content-Profile": "app", "Accept-Profile": "app" } };
    assert.equal(
      (await attempt("an owner", MANAGERS["an owner"], profile)).status,
      406,
      `${name} of app`,
    );
  }
});

Deno.test("the history of keys has the address of the connection, whatever a person writes into the headers", async () => {
  const company = await newCompany();
  const { read: key } = await withDatabase((sql) => keyIds(sql, company));
  const headers = Object.fromEntries(
    ["CF-Connecting-IP", "X-Real-IP", "X-Forwarded-For", "Forwarded", "True-Client-IP"]
      .map((name) => [name, "203.0.113.66"]),
  );
  const to = await personToken(company.member_id);
  const json = { name: "Renamed" };
  const renamed = await rest(to, "PATCH", `/api_keys?id=eq.${key}&select=name`, { json, headers });
  assert.deepEqual(renamed.body, [json]);
  const path = `/api_key_events?key_id=eq.${key}&action=eq.renamed&select=client_address,actor_id`;
  const { body } = await rest(to, "GET", path);
  assert.deepEqual(body, [{ client_address: "127.0.0.1", actor_id: company.member_id }]);
});
