// The policies, word for word: adding, dropping or widening one fails a test here.

import assert from "node:assert/strict";
import { withDatabase } from "../support/test_stack.ts";

interface Policy {
  table: string;
  name: string;
  command: string;
  roles: string;
  permissive: string;
  using: string | null;
  check: string | null;
}

const policies = await withDatabase((sql) =>
  sql<Policy[]>`
    select
      tablename as table, policyname as name, lower(cmd) as command, array_to_string(roles, ', ') as roles,
      permissive, qual as using, with_check as check
    from pg_policies where schemaname in ('public', 'app')
    order by tablename collate "C", policyname collate "C"
  `
);

Deno.test("there are exactly these policies", () => {
  const lines = policies.map(({ table, name, command, roles }) =>
    `${table}: ${name} (${command} to ${roles})`
  );
  assert.deepEqual(lines, [
    "account_channel_apps: the platform reads which apps accounts have named (select to service_role)",
    "account_connections: people read when their company's accounts were connected (select to authenticated)",
    "account_notices: people read what the channel says of their company's accounts (select to authenticated)",
    "api_key_errors: owners and admins read the errors of their company's keys (select to authenticated)",
    "api_key_errors: the platform reads the errors of keys (select to service_role)",
    "api_key_events: owners and admins read what was done to their company's keys (select to authenticated)",
    "api_key_usage: owners and admins read the usage of their company's keys (select to authenticated)",
    "api_key_usage: the platform reads the usage of keys (select to service_role)",
    "api_keys: owners and admins delete their company's keys (delete to authenticated)",
    "api_keys: owners and admins rename keys and switch them on and off (update to authenticated)",
    "api_keys: owners and admins see their company's keys (select to authenticated)",
    "channel_apps: the platform reads apps of the channel (select to service_role)",
    "channel_events: the platform reads events of the channel (select to service_role)",
    "channel_jobs: the platform reads the runs of the channel's jobs (select to service_role)",
    "companies: owners and admins rename their company (update to authenticated)",
    "companies: people read their companies (select to authenticated)",
    "company_members: a key reads the members of its company (select to api_client)",
    "company_members: owners and admins name the members of their company (update to authenticated)",
    "company_members: people see who works in their companies (select to authenticated)",
    "contact_former_phones: people read former phones of their company's contacts (select to authenticated)",
    "contact_identities: people read who their company's contacts are (select to authenticated)",
    "contact_identity_events: people read what changed of their company's contacts (select to authenticated)",
    "contact_windows: people read the windows of their company's contacts (select to authenticated)",
    "contacts: a key adds contacts to its company (insert to api_client)",
    "contacts: a key changes its company's contacts (update to api_client)",
    "contacts: a key reads its company's contacts (select to api_client)",
    "contacts: people add contacts to their company (insert to authenticated)",
    "contacts: people change their company's contacts (update to authenticated)",
    "contacts: people read their company's contacts (select to authenticated)",
    "conversations: a key changes its company's conversations (update to api_client)",
    "conversations: a key reads its company's conversations (select to api_client)",
    "conversations: people change their company's conversations (update to authenticated)",
    "conversations: people read their company's conversations (select to authenticated)",
    "deal_history: people read the history of their company's deals (select to authenticated)",
    "deals: a key adds deals to its company (insert to api_client)",
    "deals: a key changes its company's deals (update to api_client)",
    "deals: a key reads its company's deals (select to api_client)",
    "deals: people add deals to their company (insert to authenticated)",
    "deals: people change their company's deals (update to authenticated)",
    "deals: people read their company's deals (select to authenticated)",
    "deleted_rows: a key reads what was deleted in its company (select to api_client)",
    "idempotency_keys: the platform reads idempotency keys (select to service_role)",
    "job_calls: the platform reads the calls of jobs (select to service_role)",
    "job_runs: the platform reads the runs of jobs (select to service_role)",
    "messages: a key reads its company's messages (select to api_client)",
    "messages: people read their company's messages (select to authenticated)",
    "messaging_accounts: people see their company's messaging accounts (select to authenticated)",
    "pipelines: a key reads its company's pipelines (select to api_client)",
    "pipelines: owners and admins delete their company's pipelines (delete to authenticated)",
    "pipelines: people add pipelines to their company (insert to authenticated)",
    "pipelines: people change their company's pipelines (update to authenticated)",
    "pipelines: people read their company's pipelines (select to authenticated)",
    "sends: people see their company's sends (select to authenticated)",
    "stages: a key reads its company's stages (select to api_client)",
    "stages: owners and admins delete their company's stages (delete to authenticated)",
    "stages: people add stages to their company (insert to authenticated)",
    "stages: people change their company's stages (update to authenticated)",
    "stages: people read their company's stages (select to authenticated)",
    "teams: a key reads its company's teams (select to api_client)",
    "teams: people add teams to their company (insert to authenticated)",
    "teams: people change their company's teams (update to authenticated)",
    "teams: people delete their company's teams (delete to authenticated)",
    "teams: people read their company's teams (select to authenticated)",
    "template_catalogues: people read their company's template catalogues (select to authenticated)",
    "template_hints: the platform reads what the channel told of templates (select to service_role)",
    "template_media: the platform reads the media of templates (select to service_role)",
    "template_rereads: the platform reads when templates were read again (select to service_role)",
    "templates: a key reads its company's templates (select to api_client)",
    "templates: people read their company's templates (select to authenticated)",
    "user_id_changes: the platform reads changes of unknown ids (select to service_role)",
    "waiting_facts: the platform reads waiting facts (select to service_role)",
  ]);
});

/** The tables that a key writes; a token for writing is answered the rows that it writes. */
const WRITTEN = ["contacts", "conversations", "deals"];

/** The rule that a policy must have for the rows that it shows and for the rows that it accepts. */
function ruleOf({ table, command, roles }: Policy): string {
  // The role bypasses policies. Without one, the CLI's advisors take the table for one that was forgotten.
  if (roles === "service_role") return "true";
  if (roles === "api_client") {
    const [name, argument] = command !== "select"
      ? ["company_id", "write"]
      : WRITTEN.includes(table)
      ? ["company_id_to_read", table]
      : ["company_id", "read"];
    return `(company_id = ( SELECT app.${name}('${argument}'::text) AS ${name}))`;
  }
  const column = table === "companies" ? "id" : "company_id";
  const managed = table.startsWith("api_key") ||
    (["companies", "company_members"].includes(table) && command === "update") ||
    (["pipelines", "stages"].includes(table) && command === "delete");
  const ids = managed ? "managed_company_ids" : "member_company_ids";
  return `(${column} = ANY (( SELECT app.${ids}() AS ${ids})::uuid[]))`;
}

Deno.test("every policy is about the caller's company and nothing else, but for the platform's", () => {
  for (const policy of policies) {
    const { table, name, command, permissive, using, check } = policy;
    const rule = ruleOf(policy);
    assert.deepEqual({ permissive, using, check }, {
      permissive: "PERMISSIVE",
      using: command === "insert" ? null : rule,
      check: command === "insert" || command === "update" ? rule : null,
    }, `${table}: ${name}`);
  }
});
