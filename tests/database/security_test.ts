// The rules for every object of the schemas public and app, read from the catalogue.

import assert from "node:assert/strict";
import { rolledBack } from "../support/acting_as.ts";
import { withDatabase } from "../support/test_stack.ts";

/** The first column of a query's rows. */
async function found(query: string): Promise<unknown[]> {
  return await withDatabase(async (sql) =>
    (await sql.unsafe(query).values()).map(([first]) => first)
  );
}

/** One line for each privilege on our objects whose grantee meets this condition. */
const privilegesOf = (grantee: string) => `
  with ours as (select oid from pg_namespace where nspname in ('public', 'app')),
  granted as (
    select c.oid::regclass::text as object, acl.* from pg_class c,
      aclexplode(coalesce(relacl, acldefault(case relkind when 'S' then 's' else 'r' end::"char", relowner))) acl
    where relnamespace in (table ours) and relkind <> 'i'
    union all
    select attrelid::regclass || '.' || attname, acl.* from pg_attribute
      join pg_class c on c.oid = attrelid, aclexplode(attacl) acl
    where relnamespace in (table ours)
    union all
    select oid::regprocedure::text, acl.* from pg_proc, aclexplode(coalesce(proacl, acldefault('f', proowner))) acl
    where pronamespace in (table ours)
  )
  select distinct privilege_type || ' on ' || object as privilege from granted
  where ${grantee} order by 1
`;

const FUNCTIONS = `
  select p.oid, p.oid::regprocedure::text as name from pg_proc p
  where pronamespace in ('public'::regnamespace, 'app'::regnamespace)
`;

Deno.test("row-level security is on for every table", async () => {
  const query = (on: boolean) => `
    select relname from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and relrowsecurity = ${on}
  `;
  assert.deepEqual(await found(query(false)), []);
  assert.ok((await found(query(true))).length >= 10);
});

Deno.test("the schemas have only tables, indexes and views", async () => {
  const kinds = "select distinct relkind::text from pg_class where relnamespace = " +
    "any (array['public', 'app']::regnamespace[]) and relkind not in ('r', 'i', 'c', 'v')";
  assert.deepEqual(await found(kinds), []);
});

Deno.test("every view shows rows of one table of the key's company, and api_reader alone may select them", async () => {
  const views = await withDatabase(async (sql) =>
    await sql`
      select
        oid::regclass::text as name, pg_get_viewdef(oid) as definition, relowner::regrole::text as owner,
        reloptions as options, pg_get_userbyid(grantee) as grantee, privilege_type as privilege, is_grantable
      from pg_class
      left join aclexplode(relacl) on grantee <> relowner
      where relkind = 'v' and relnamespace = any (array['public', 'app']::regnamespace[])
    `
  );
  assert.ok(views.length >= 10);
  for (const { name, definition, ...rest } of views) {
    // The owner's rights, so that operators that are not leakproof may use an index. Hence the rest of this test.
    assert.deepEqual(rest, {
      owner: "postgres",
      options: null,
      grantee: "api_reader",
      privilege: "SELECT",
      is_grantable: false,
    }, name);
    assert.match(
      definition,
      /^ SELECT [^;]+\n {3}FROM (public\.)?\w+\n {2}WHERE \(company_id = \( SELECT app\.company_id\('read'::text\) AS company_id\)\);$/,
      name,
    );
    // No other condition, table or statement within it.
    const keywords = definition.match(/\b(SELECT|FROM|WHERE|JOIN|UNION|WITH)\b/g);
    assert.deepEqual(keywords, ["SELECT", "FROM", "WHERE", "SELECT"], name);
  }
  const columnGrants = await found(`
    select attrelid::regclass || '.' || attname from pg_attribute join pg_class on pg_class.oid = attrelid
    where relkind = 'v' and attacl is not null and relnamespace = any (array['public', 'app']::regnamespace[])
  `);
  assert.deepEqual(columnGrants, []);
});

Deno.test("anon and PUBLIC hold no privilege on any table, column, sequence or function", async () => {
  assert.deepEqual(await found(privilegesOf("grantee = 0")), []);
  assert.deepEqual(await found(privilegesOf("grantee = 'anon'::regrole")), []);
  assert.ok((await found(privilegesOf("grantee = 'api_client'::regrole"))).length > 20);
});

Deno.test("no role of the Data API inherits another's privileges or creates objects", async () => {
  const roles =
    "('anon', 'authenticated', 'service_role', 'api_client', 'api_reader', 'channel_client', 'usage_client')";
  assert.deepEqual(
    await found(`
      select member::regrole::text || ' in ' || roleid::regrole::text from pg_auth_members
      where member::regrole::text in ${roles}
    `),
    [],
  );
  assert.deepEqual(
    await found(`
      select rolname || ' in ' || nspname from pg_roles, pg_namespace
      where rolname in ${roles} and nspname in ('public', 'app') and has_schema_privilege(rolname, nspname, 'create')
    `),
    [],
  );
  assert.deepEqual(await found("select has_schema_privilege('anon', 'app', 'usage')"), [false]);
});

Deno.test("api_client, api_reader, channel_client and usage_client cannot log in, own nothing and do not bypass policies", async () => {
  const limits = {
    api_client: ["statement_timeout=8s", "lock_timeout=1s", "plan_cache_mode=force_custom_plan"],
    api_reader: [
      "statement_timeout=3s",
      "lock_timeout=1s",
      "plan_cache_mode=force_custom_plan",
      "jit=off",
    ],
    channel_client: ["statement_timeout=20s", "lock_timeout=5s"],
    usage_client: ["statement_timeout=5s", "lock_timeout=2s"],
  };
  for (const [name, rolconfig] of Object.entries(limits)) {
    const [role] = await withDatabase((sql) =>
      sql`
        select rolcanlogin, rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, rolreplication, rolconfig
        from pg_roles where rolname = ${name}
      `
    );
    assert.deepEqual({ ...role }, {
      rolcanlogin: false,
      rolsuper: false,
      rolbypassrls: false,
      rolcreaterole: false,
      rolcreatedb: false,
      rolreplication: false,
      rolconfig,
    }, name);
    const owned = `select relname from pg_class where relowner = '${name}'::regrole`;
    assert.deepEqual(await found(owned), []);
  }
});

Deno.test("channel_client uses no table and no schema but public: it calls the functions of its jobs and of events", async () => {
  const granted = await found(privilegesOf("grantee = 'channel_client'::regrole"));
  assert.deepEqual(granted.filter((each) => !`${each}`.startsWith("EXECUTE on ")), []);
  assert.equal(granted.length, 17);
  const schemas = await found(`
    select nspname from pg_namespace
    where nspname in ('app', 'auth', 'extensions', 'public') and has_schema_privilege('channel_client', oid, 'usage')
  `);
  assert.deepEqual(schemas, ["public"]);
});

Deno.test("usage_client uses no table and no schema but public: it calls one function", async () => {
  assert.deepEqual(await found(privilegesOf("grantee = 'usage_client'::regrole")), [
    "EXECUTE on record_api_key_usage(jsonb,jsonb)",
  ]);
  const schemas = await found(`
    select nspname from pg_namespace
    where nspname in ('app', 'auth', 'extensions', 'public') and has_schema_privilege('usage_client', oid, 'usage')
  `);
  assert.deepEqual(schemas, ["public"]);
});

Deno.test("api_reader reads views and calls what they need, and uses no table", async () => {
  const granted = (await found(privilegesOf("grantee = 'api_reader'::regrole"))).map(String);
  assert.deepEqual(
    granted.filter((each) => !/^(SELECT on own_\w+|EXECUTE on .*)$/.test(each)),
    [],
  );
  const schemas = await found(`
    select nspname from pg_namespace
    where nspname in ('app', 'auth', 'extensions', 'public') and has_schema_privilege('api_reader', oid, 'usage')
    order by 1
  `);
  assert.deepEqual(schemas, ["app", "public"]);
});

Deno.test("an object that a migration makes is granted to no role until the migration grants it", async () => {
  await rolledBack(async (sql) => {
    await sql`set local role postgres`;
    await sql`create table public.made_by_a_test (id bigint generated always as identity)`;
    await sql`create function public.made_by_a_test() returns int language sql as 'select 1'`;
    await sql`create function app.made_by_a_test() returns int language sql as 'select 1'`;
    const granted = await sql.unsafe(privilegesOf("grantee <> 'postgres'::regrole"));
    const made = granted.filter(({ privilege }) => privilege.includes("made_by_a_test"));
    assert.deepEqual(made, []);
  });
});

Deno.test("each role may call exactly these functions", async () => {
  const callable = await withDatabase((sql) =>
    sql.unsafe(`
      select rolname as role, array_agg(name order by name collate "C") as names
      from (${FUNCTIONS}) functions, pg_roles
      where rolname in (
        'anon', 'authenticated', 'service_role', 'api_client', 'api_reader', 'channel_client', 'usage_client'
      )
        and has_function_privilege(rolname, functions.oid, 'execute')
      group by 1
    `)
  );
  assert.deepEqual(Object.fromEntries(callable.map(({ role, names }) => [role, names])), {
    api_client: [
      "add_pipeline(jsonb,jsonb)",
      "add_stage(jsonb,jsonb)",
      "app.change_clock_for(bigint,bigint,bigint)",
      "app.change_clock_now()",
      "app.change_now()",
      "app.compact_json_bytes(jsonb)",
      "app.company_id(text)",
      "app.company_id_to_read(text)",
      "app.longest(text[])",
      "app.merge_json(jsonb,jsonb)",
      "app.phone_key(text)",
      "app.words(text)",
      "apply_template_sync(uuid,timestamp with time zone,jsonb,text,text)",
      "archive_contact(uuid,bigint[])",
      "archive_deal(uuid,bigint[])",
      "archive_pipeline(uuid,bigint)",
      "archive_stage(uuid,uuid,bigint)",
      "authenticate()",
      "begin_media_upload(uuid,uuid,integer)",
      "change_pipeline(uuid,jsonb)",
      "change_stage(uuid,jsonb)",
      "claim_reply(uuid,uuid,text,text,boolean,text)",
      "claim_template_send(uuid,text,text,text,text,text,text,text,text,text[],text[],text[],text,boolean,text)",
      "contact_changes(bigint,bigint,uuid,integer)",
      "contact_id_by_phone(text)",
      "contacts_of_further_phones(text[],boolean)",
      "conversation_changes(bigint,bigint,uuid,integer)",
      "deal_changes(bigint,bigint,uuid,integer)",
      "erase_contact(uuid,jsonb)",
      "fail_media_upload(uuid,text)",
      "finish_media_upload(uuid,text,text)",
      "health()",
      "merge_contact(uuid,uuid,bigint[],boolean,jsonb)",
      "message_changes(bigint,bigint,uuid,integer)",
      "other_conversation_not_closed(uuid)",
      "patch_contacts(jsonb[],boolean)",
      "patch_deals(jsonb[],boolean)",
      "restore_contact(uuid,jsonb)",
      "restore_deal(uuid,jsonb)",
      "settle_send(uuid,text,text,text,integer,text,text)",
      "settle_template_send(uuid,text,text,text,integer)",
      "survivor_of_contact(uuid)",
      "write_contacts(jsonb[],text,boolean,bigint[],boolean,jsonb)",
      "write_deals(jsonb[],boolean,jsonb)",
    ],
    api_reader: [
      "app.company_id(text)",
      "app.words(text)",
      "search_records(text[],text,integer,text)",
    ],
    authenticated: [
      "app.change_now()",
      "app.company_id(text)",
      "app.is_current(account_notices)",
      "app.is_key_name(text)",
      "app.longest(text[])",
      "app.managed_company_ids()",
      "app.member_company_ids()",
      "app.phone_key(text)",
      "app.words(text)",
      "create_api_key(text,text[],timestamp with time zone,uuid)",
      "disconnect_messaging_account(uuid)",
      "erase_contact(uuid,jsonb)",
      "messaging_accounts_overview(uuid)",
      "rotate_api_key(uuid,integer)",
      "sends_by_state(uuid,integer)",
    ],
    channel_client: [
      "apply_channel_event(uuid,jsonb,text)",
      "apply_template_sync(uuid,timestamp with time zone,jsonb,text,text)",
      "begin_channel_job(text)",
      "begin_job(text,uuid)",
      "begin_media_upload(uuid,uuid,integer)",
      "channel_app(text)",
      "due_channel_events(integer)",
      "due_jobs()",
      "due_media(uuid,integer)",
      "end_channel_job(text,text,jsonb)",
      "end_job(uuid,text,jsonb)",
      "fail_channel_event(uuid,text)",
      "fail_media_upload(uuid,text)",
      "finish_media_upload(uuid,text,text)",
      "receive_channel_event(text,text,jsonb,text)",
      "store_channel_event(text,text)",
      "tend_channel(integer)",
    ],
    service_role: [
      "add_company_member(uuid,text,text,text)",
      "app.change_now()",
      "app.compact_json_bytes(jsonb)",
      "app.company_id(text)",
      "app.is_key_name(text)",
      "app.longest(text[])",
      "app.merge_json(jsonb,jsonb)",
      "app.phone_key(text)",
      "app.words(text)",
      "apply_channel_event(uuid,jsonb,text)",
      "apply_template_sync(uuid,timestamp with time zone,jsonb,text,text)",
      "begin_job(text,uuid)",
      "begin_media_upload(uuid,uuid,integer)",
      "change_company_member_role(uuid,text,text)",
      "changes_status()",
      "channel_apps_status()",
      "channel_health()",
      "create_api_key(text,text[],timestamp with time zone,uuid)",
      "current_account_notices(uuid)",
      "delete_channel_app(text,boolean)",
      "disconnect_messaging_account(uuid)",
      "due_channel_events(integer)",
      "due_jobs()",
      "due_media(uuid,integer)",
      "end_job(uuid,text,jsonb)",
      "expire_messages()",
      "fail_channel_event(uuid,text)",
      "fail_expired_sends()",
      "fail_expired_template_sends()",
      "fail_media_upload(uuid,text)",
      "finish_channel_app_rotation(text)",
      "finish_media_upload(uuid,text,text)",
      "import_contacts(uuid,jsonb[],text,boolean)",
      "jobs_status()",
      "list_company_members(uuid)",
      "remove_company_member(uuid,text)",
      "replay_channel_events(text[],timestamp with time zone,text,uuid,timestamp with time zone)",
      "reseal_account_token(uuid,text,text)",
      "reseal_app_secret(text,text,text,text)",
      "restart_changes()",
      "rotate_api_key(uuid,integer)",
      "rotate_channel_app(text,text)",
      "schedule_jobs(text,text)",
      "sealed_account_tokens(uuid,integer)",
      "sealed_app_secrets()",
      "unschedule_jobs()",
    ],
    usage_client: ["record_api_key_usage(jsonb,jsonb)"],
  });
});

Deno.test("every function has an empty search_path, so that no caller decides what a name refers to", async () => {
  const others = `
    select name from (${FUNCTIONS}) functions join pg_proc p using (oid)
    where coalesce(not 'search_path=""' = any (p.proconfig), true)
  `;
  assert.deepEqual(await found(others), []);
  const definers =
    `select name from (${FUNCTIONS}) functions join pg_proc p using (oid) where prosecdef`;
  assert.ok((await found(definers)).includes("app.company_id(text)"));
});

Deno.test("no role of the Data API reads a key's digest, an account's token, a signed address or the id that settles a claim", async () => {
  const readers = (column: string) => `
    select rolname from pg_roles where not rolsuper and rolname <> 'postgres' and rolname !~ '^pg_'
      and has_column_privilege(rolname, 'public.' || '${column.split(".")[0]}', '${
    column.split(".")[1]
  }', 'select')
  `;
  assert.deepEqual(await found(readers("api_keys.key_hash")), []);
  assert.deepEqual(await found(readers("messaging_accounts.encrypted_token")), []);
  assert.deepEqual(await found(readers("sends.claim_id")), []);
  for (const secret of ["sealed_secret", "sealed_previous_secret", "sealed_verify_token"]) {
    assert.deepEqual(await found(readers(`channel_apps.${secret}`)), []);
  }
  // A signed address opens the sample for whoever has it.
  assert.deepEqual(await found(readers("templates.sample_url")), []);
  assert.ok((await found(readers("api_keys.hint"))).includes("authenticated"));
});
