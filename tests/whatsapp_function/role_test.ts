// Tests what the role of the function whatsapp may do: call the functions for its jobs.
import assert from "node:assert/strict";
import { readConfig } from "../../supabase/functions/_shared/config.ts";
import { companyDb } from "../../supabase/functions/_shared/database/company_db.ts";
import { channelTokenSource } from "../../supabase/functions/_shared/key/token.ts";
import { environment, stack, statement } from "../support/test_stack.ts";
import { companyWithCatalogue } from "./own_account.ts";

const config = await readConfig(environment());
const token = channelTokenSource(config.signingKey);

Deno.test("the function's token can neither read nor write any table", async () => {
  await companyWithCatalogue(); // this fills every important table
  const tables = await statement`
    select relname, attname as column from pg_class join pg_attribute on attrelid = pg_class.oid and attnum = 1
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v')
  `;
  assert.ok(tables.length > 15);
  for (const { relname, column } of tables) {
    for (const method of ["GET", "DELETE"]) {
      // A hosted project refuses every deletion without a filter.
      const response = await fetch(`${stack.url}/rest/v1/${relname}?${column}=not.is.null`, {
        method,
        headers: { apikey: stack.publishable_key, Authorization: `Bearer ${await token()}` },
      });
      const { code } = await response.json();
      // No one can delete from a view of several tables (55000).
      const isRefused = response.status === 403 && code === "42501" || code === "55000";
      assert.ok(isRefused, `${method} ${relname}: ${response.status} ${code}`);
    }
  }
  const granted = await statement`
    select relname, privilege_type from information_schema.column_privileges
    join pg_class on relname = table_name
    where grantee = 'channel_client'
  `;
  assert.deepEqual([...granted], []);
});

Deno.test("the function's token can begin a job for an account of any company, but cannot schedule jobs", async () => {
  const db = companyDb(config, token);
  for (const company of [await companyWithCatalogue(), await companyWithCatalogue()]) {
    const { data } = await db.rpc("begin_job", {
      job: "template-sync",
      account_id: company.account_id,
    });
    const begun = data as Record<string, unknown>;
    assert.deepEqual([begun.company_id, begun.encrypted_token], [company.id, company.sealed_token]);
  }
  const others = [
    ...["jobs_status", "unschedule_jobs", "sealed_account_tokens"] as const,
    ...["sealed_app_secrets", "channel_apps_status"] as const,
  ];
  for (const name of others) {
    assert.equal((await db.rpc(name)).error?.code, "42501", name);
  }
});
