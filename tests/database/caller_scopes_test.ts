// Tests what each token scope allows through the Data API, for every table and function.
// docs/architecture.md lists the rules. All tokens are for one key with all scopes.

import assert from "node:assert/strict";
import type { Answer } from "../support/calls.ts";
import { addMessage, anyPhone, newCompany } from "../support/company.ts";
import { rest } from "../support/rest.ts";
import { tables } from "../support/snapshot.ts";
import { statement, withDatabase } from "../support/test_stack.ts";
import { CHANGES, columnsOf, documented, scopedTokens } from "./scopes.ts";
import { anyClaim } from "./sends.ts";
import { joinBusinessAccount } from "./templates.ts";

const company = await newCompany();
await withDatabase((sql) =>
  sql.begin(async (sql) => {
    await joinBusinessAccount(sql, company.account_id);
    await addMessage(sql, company);
  })
);
const everyTable = await tables();

const TOKENS = await scopedTokens(company);

/** The column that identifies a row of the table. */
const columnOf = (table: string) => table === "companies" ? "id" : "company_id";

/** The scopes whose tokens succeed. Tokens with any other scope must receive a 403. */
async function allowed(request: (token: string) => Promise<Answer>): Promise<string> {
  const scopes = await Promise.all(
    Object.entries(TOKENS).map(async ([scope, token]) => {
      const { status, body } = await request(token);
      // PT404 means that the function looked for a record that the company does not have.
      if ((status >= 200 && status < 300) || body?.code === "PT404") return [scope];
      const refusal = `${scope}: ${status} ${JSON.stringify(body)}`;
      assert.ok(status === 403 && /^(PT403|42501)$/.test(body?.code), refusal);
      return [];
    }),
  );
  return scopes.flat().join(" ");
}

/**
 * The scopes that allow each request, by the request's name. Requests that no scope allows are left
 * out.
 */
async function matrix(requests: [name: string, request: (token: string) => Promise<Answer>][]) {
  const found: Record<string, string> = {};
  for (const [name, request] of requests) {
    const scopes = await allowed(request);
    if (scopes) found[name] = scopes;
  }
  return found;
}

Deno.test("only a read token can read, and only the tables that API keys may read", async () => {
  const gets = (path: (table: string) => string) =>
    everyTable.map((table): [string, (token: string) => Promise<Answer>] => [
      table,
      (token) => rest(token, "GET", path(table), { headers: { Prefer: "count=exact" } }),
    ]);
  const readable = await documented("read");
  const paths = [
    (table: string) => `/${table}?select=${columnOf(table)}`,
    (table: string) => `/${table}?select=${columnsOf(table)}`,
    (table: string) =>
      `/${table}?select=${columnOf(table)}&${columnOf(table)}=eq.${company.id}&limit=1`,
    (table: string) => `/${table}?select=${columnOf(table)}&order=${columnOf(table)}.desc&offset=0`,
  ];
  for (const path of paths) assert.deepEqual(await matrix(gets(path)), readable, path("table"));
});

Deno.test("only a write token can change rows, and no token can add or delete rows", async () => {
  const requests = everyTable.flatMap((table): [string, (token: string) => Promise<Answer>][] => {
    const found = `${columnOf(table)}=eq.${company.id}`;
    const anyRow = { [columnOf(table)]: company.id };
    const answered = `select=${columnsOf(table)}`;
    const change = CHANGES[table] ?? anyRow;
    const minimal = { headers: { Prefer: "return=minimal" } };
    return [
      [`POST ${table}`, (to) => rest(to, "POST", `/${table}?${answered}`, { json: anyRow })],
      [
        `POST ${table}, no answer`,
        (to) => rest(to, "POST", `/${table}`, { json: anyRow, ...minimal }),
      ],
      [
        `PATCH ${table}`,
        (to) => rest(to, "PATCH", `/${table}?${answered}&${found}`, { json: change }),
      ],
      [
        `PATCH ${table}, no answer`,
        (to) => rest(to, "PATCH", `/${table}?${found}`, { json: change, ...minimal }),
      ],
      [`DELETE ${table}`, (to) => rest(to, "DELETE", `/${table}?${answered}&${found}`)],
      [`DELETE ${table}, no answer`, (to) => rest(to, "DELETE", `/${table}?${found}`, minimal)],
    ];
  });
  const writable = Object.entries(await documented("change")).flatMap(([table, scopes]) => [
    [`PATCH ${table}`, scopes],
    [`PATCH ${table}, no answer`, scopes],
  ]);
  assert.deepEqual(await matrix(requests), Object.fromEntries(writable));
});

Deno.test("each function accepts only the token scopes that docs/architecture.md lists for that function", async () => {
  const call = (name: string, json: unknown): [string, (token: string) => Promise<Answer>] => [
    name,
    (token) => rest(token, "POST", `/rpc/${name}`, { json }),
  ];
  const claim_id = crypto.randomUUID();
  // The claim finds no account and the settlement finds no claim, so nothing is written.
  const claim = anyClaim({ claim_id, phone_number_id: "0" });
  const calls = [
    call("account_for_upload", {}),
    call("add_media_upload", { account_id: claim_id, upload: {} }),
    call("media_upload", { id: claim_id }),
    call("message_to_read", { message_id: claim_id }),
    call("note_account_refusal", { account_id: claim_id }),
    call("note_message_read", { message_id: claim_id }),
    call("message_to_react", { message_id: claim_id }),
    call("note_own_reaction", { message_id: claim_id, whatsapp_message_id: "wamid.1" }),
    call("add_company_member", { company_id: company.id, email: "ada@people.example" }),
    call("add_pipeline", { pipeline: { name: "Renewals" } }),
    call("add_stage", { stage: { pipeline_id: company.pipeline_id, name: "Due" } }),
    call("apply_template_sync", {
      account_id: company.account_id,
      began_at: "2026-01-01T00:00:00Z",
      templates: [],
      only_name: "welcome",
    }),
    call("archive_contact", { id: claim_id }),
    call("archive_deal", { id: claim_id }),
    call("archive_pipeline", { pipeline_id: claim_id }),
    call("archive_stage", { stage_id: claim_id }),
    call("authenticate", {}),
    call("own_key", {}),
    call("member_ids_by_email", { email: "ada@example.com" }),
    call("begin_job", { job: "template-sync", account_id: company.account_id }),
    call("begin_media_upload", { account_id: company.account_id, template_id: claim_id }),
    call("change_pipeline", { pipeline_id: claim_id, changes: {} }),
    call("change_stage", { stage_id: claim_id, changes: {} }),
    call("changes_status", {}),
    call("claim_reply", { claim_id, conversation_id: claim_id, content: "Hello" }),
    call("claim_template_send", claim),
    call("contact_changes", {}),
    call("list_events", {}),
    call("find_event", { name: "evt_" }),
    call("contact_id_by_external_id", { external_id: "C-1" }),
    call("contact_id_by_phone", { phone: anyPhone() }),
    call("contacts_of_further_phones", { phone_keys: [anyPhone()] }),
    call("conversation_changes", {}),
    call("create_api_key", { name: "Mine", scopes: ["read"], company_id: company.id }),
    call("current_account_notices", {}),
    call("deal_changes", {}),
    call("deal_id_by_external_id", { external_id: "D-1" }),
    call("disconnect_messaging_account", { account_id: company.account_id }),
    call("due_jobs", {}),
    call("due_media", { account_id: company.account_id }),
    call("end_job", { run_id: claim_id }),
    call("erase_contact", { id: claim_id }),
    call("fail_expired_sends", {}),
    call("fail_media_upload", { upload_id: claim_id, reason: "Lost" }),
    call("finish_media_upload", { upload_id: claim_id, media_id: "1" }),
    call("get_company_send", { company_id: company.id, message_id: claim_id }),
    call("health", {}),
    call("jobs_status", {}),
    call("list_company_members", { company_id: company.id }),
    call("list_company_sends", { company_id: company.id }),
    call("media_of_message", { message_id: claim_id }),
    call("merge_contact", { id: claim_id, from_id: claim_id }),
    call("message_changes", {}),
    call("messaging_accounts_overview", { company_id: company.id }),
    call("note_media_gone", { message_id: claim_id, media_id: "1" }),
    call("other_conversation_not_closed", { conversation_id: company.conversation_id }),
    call("patch_contacts", { items: [] }),
    call("patch_deals", { items: [] }),
    call("record_to_change", { of_table: "contacts", id: claim_id }),
    call("reseal_account_token", { account_id: claim_id, sealed_before: "x", sealed: "x" }),
    call("restart_changes", {}),
    call("restore_contact", { id: claim_id }),
    call("restore_deal", { id: claim_id }),
    call("rotate_api_key", { key_id: claim_id }),
    call("schedule_jobs", {
      url: "https://example.com",
      webhooks_url: "https://example.com",
      secret: "x".repeat(32),
    }),
    call("sealed_account_tokens", {}),
    call("set_api_key_expiry", { key_id: claim_id, expires_at: null }),
    call("sends_by_outcome", { company_id: company.id }),
    call("settle_send", { claim_id, outcome: "failed", reason: "template_rejected" }),
    call("survivor_of_contact", { id: claim_id }),
    call("unschedule_jobs", {}),
    call("create_webhook", {
      ...{ webhook_id: crypto.randomUUID(), url: "https://hooks.example.com/", types: ["*"] },
      ...{ payload: "full", description: null, sealed_secret: "a..b.c.d" },
    }),
    call("change_webhook", { webhook_id: claim_id, changes: {} }),
    call("delete_webhook", { webhook_id: claim_id }),
    call("rotate_webhook_secret", { webhook_id: claim_id, sealed_secret: "a..b.c.d" }),
    call("list_webhooks", {}),
    call("get_webhook", { webhook_id: claim_id }),
    call("webhook_deliveries", { webhook_id: claim_id }),
    call("redeliver_event", { webhook_id: claim_id, event_id: "evt_0" }),
    call("replay_webhook", { webhook_id: claim_id, since: "2026-11-01T00:00:00Z" }),
    call("test_webhook", { webhook_id: claim_id }),
    call("webhooks_overview", {}),
    call("write_contacts", { items: [] }),
    call("write_deals", { items: [] }),
  ];
  const callable = await statement`
    select distinct proname as name from pg_proc
    where pronamespace = 'public'::regnamespace and has_function_privilege('api_client', oid, 'execute')
  `;
  const untried = callable.filter(({ name }) => !calls.some(([called]) => called === name));
  assert.deepEqual(untried, []);
  assert.deepEqual(await matrix(calls), await documented("call"));
});

Deno.test("the role api_reader can use exactly the views and functions that the architecture page lists", async () => {
  const granted = await statement`
    select relname as name, 'read' as may from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v')
      and has_any_column_privilege('api_reader', oid, 'select')
    union all
    select proname, 'call' from pg_proc
    where pronamespace = 'public'::regnamespace and has_function_privilege('api_reader', oid, 'execute')
  `;
  for (const verb of ["read", "call"] as const) {
    const names = granted.filter(({ may }) => may === verb).map(({ name }) => name);
    assert.deepEqual(names.sort(), Object.keys(await documented(verb, "api_reader")).sort());
  }
});
