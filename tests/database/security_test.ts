// Tests the rules for every object in the schemas public and app. The objects are read from the
// system catalog.

import assert from "node:assert/strict";
import { root } from "../../local/checkout.ts";
import { rolledBack } from "../support/acting_as.ts";
import { statement, withDatabase } from "../support/test_stack.ts";

/** The first column of a query result. */
async function found(query: string): Promise<unknown[]> {
  return await withDatabase(async (sql) =>
    (await sql.unsafe(query).values()).map(([first]) => first)
  );
}

/**
 * A query that returns one line for each privilege on the project's own objects. The query leaves
 * out the privileges of roles that do not meet the condition `grantee`.
 */
const privilegesOf = (grantee: string) => `
  with ours as (select oid from pg_namespace where nspname in ('public', 'app')),
  granted as (
    select c.oid::regclass::text as object, acl.* from pg_class c,
      aclexplode(coalesce(relacl, acldefault(case relkind when 'S' then 's' else 'r' end::"char", relowner))) acl
    where relnamespace in (table ours) and relkind not in ('i', 'I')
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

/**
 * The tables that an API key can write to. A response to a write token contains the rows that the
 * token has written.
 */
const WRITTEN = ["contacts", "conversations", "deals"];

/** The rule that a policy must contain, both for visible rows and for written rows. */
function ruleOf({ table, command, roles }: Policy): string {
  // The role `service_role` bypasses policies. This policy exists only because the CLI's advisors
  // report every table without a policy.
  if (roles === "service_role") return "true";
  if (roles === "api_client") {
    const [name, argument] = command !== "select"
      ? ["company_id", "write"]
      : WRITTEN.includes(table)
      ? ["company_id_to_read", table]
      : ["company_id", "read"];
    return `(company_id = ( SELECT app.${name}('${argument}'::text) AS ${name}))`;
  }
  const column = { companies: "id", channel_apps: "owner_company_id" }[table] ?? "company_id";
  const managed = table.startsWith("api_key") ||
    ["channel_apps", "company_events", "company_invitations"].includes(table) ||
    (["companies", "company_members"].includes(table) && command === "update") ||
    (["pipelines", "stages"].includes(table) && command === "delete");
  const ids = managed ? "managed_company_ids" : "member_company_ids";
  return `(${column} = ANY (( SELECT app.${ids}() AS ${ids})::uuid[]))`;
}

Deno.test("every policy, except the platform's, checks only the caller's company", () => {
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

Deno.test("row-level security is on for every table", async () => {
  const query = (on: boolean) => `
    select relname from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and relrowsecurity = ${on}
  `;
  assert.deepEqual(await found(query(false)), []);
  assert.ok((await found(query(true))).length >= 10);
});

Deno.test("the schemas contain only tables, indexes, views, the partitioned tables of events and deliveries, and the event sequence", async () => {
  const others = "select oid::regclass::text from pg_class where relnamespace = " +
    "any (array['public', 'app']::regnamespace[]) and relkind not in ('r', 'i', 'c', 'v') order by 1";
  assert.deepEqual(await found(others), [
    ...["app.deliveries", "app.deliveries_newest_first_idx", "app.deliveries_not_delivered_idx"],
    "app.deliveries_with_answers_idx",
    ...["app.event_seq", "app.events", "app.events_id_idx", "app.events_in_order_idx"],
    "app.events_record_idx",
  ]);
});

Deno.test("every view shows only rows of the key's company, and only `api_reader` can read the views", async () => {
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
    // A view has its owner's privileges, so no policy applies. If a policy applied, operators that
    // are not leakproof could not use an index. The rest of this test shows that the view is safe
    // without a policy.
    assert.deepEqual(rest, {
      owner: "postgres",
      options: null,
      grantee: "api_reader",
      privilege: "SELECT",
      is_grantable: false,
    }, name);
    const [, table, joins] =
      /^ SELECT [^;]+\n {3}FROM \(*(?:public\.)?(?:contacts (?=searched))?(\w+)\)*([^;]*?)\n {2}WHERE \((?:\w+\.)?company_id = \( SELECT app\.company_id\('read'::text\) AS company_id\)\);$/
        .exec(definition)!;
    // Each row that a view joins belongs to the same company.
    const joined = joins.split(/\sJOIN (?:public\.)?(?:contacts (?=whole))?/).slice(1);
    for (const join of joined) {
      const [other] = /^\w+/.exec(join)!;
      assert.ok(
        join.includes(` ON (((${other}.company_id = ${table}.company_id) AND (`),
        definition,
      );
    }
    // The view contains no other condition, table or statement.
    const keywords: string[] = definition.match(/\b(SELECT|FROM|WHERE|JOIN|UNION|WITH)\b/g)!;
    const others = keywords.filter((keyword) => keyword !== "JOIN");
    assert.deepEqual(others, ["SELECT", "FROM", "WHERE", "SELECT"], name);
    assert.equal(keywords.length - others.length, joined.length, name);
  }
  const columnGrants = await found(`
    select attrelid::regclass || '.' || attname from pg_attribute join pg_class on pg_class.oid = attrelid
    where relkind = 'v' and attacl is not null and relnamespace = any (array['public', 'app']::regnamespace[])
  `);
  assert.deepEqual(columnGrants, []);
});

Deno.test("anon and PUBLIC have no privilege on any table, column, sequence or function", async () => {
  assert.deepEqual(await found(privilegesOf("grantee = 0")), []);
  assert.deepEqual(await found(privilegesOf("grantee = 'anon'::regrole")), []);
  assert.ok((await found(privilegesOf("grantee = 'api_client'::regrole"))).length > 20);
});

Deno.test("no Data API role inherits another role's privileges or can create objects", async () => {
  const roles =
    "('anon', 'authenticated', 'service_role', 'api_client', 'api_reader', 'channel_client', " +
    "'settings_client', 'usage_client', 'webhook_client')";
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

Deno.test("the client roles cannot log in, own nothing and do not bypass policies", async () => {
  const byKey = [
    "plan_cache_mode=force_generic_plan",
    ...["seqscan", "bitmapscan", "material", "hashjoin", "mergejoin"].map((name) =>
      `enable_${name}=off`
    ),
    "jit=off",
  ];
  const limits = {
    api_client: ["statement_timeout=8s", "lock_timeout=1s", ...byKey],
    api_reader: [
      "statement_timeout=3s",
      "lock_timeout=1s",
      "plan_cache_mode=force_custom_plan",
      "jit=off",
    ],
    channel_client: ["statement_timeout=20s", "lock_timeout=5s", ...byKey],
    settings_client: ["statement_timeout=8s", "lock_timeout=3s"],
    usage_client: ["statement_timeout=5s", "lock_timeout=2s", ...byKey],
    webhook_client: ["statement_timeout=20s", "lock_timeout=5s", ...byKey],
  };
  for (const [name, rolconfig] of Object.entries(limits)) {
    const [role] = await statement`
      select rolcanlogin, rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, rolreplication, rolconfig
      from pg_roles where rolname = ${name}
    `;
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

Deno.test("a migration that changes the settings of a role tells the Data API to reload them", async () => {
  const folder = `${root}supabase/migrations`;
  const files = Array.from(Deno.readDirSync(folder), ({ name }) => name).sort();
  const texts = await Promise.all(files.map((name) => Deno.readTextFile(`${folder}/${name}`)));
  const sql = texts.join("\n");
  const changes = [...sql.matchAll(/^alter role \w+ (re)?set /gm)];
  assert.ok(changes.length > 0);
  assert.ok(sql.lastIndexOf("\nnotify pgrst, 'reload config';") > changes.at(-1)!.index);
});

Deno.test("the roles of the edge functions can call only functions in the schema public, and cannot use tables", async () => {
  for (const role of ["channel_client", "settings_client", "usage_client", "webhook_client"]) {
    const granted = await found(privilegesOf(`grantee = '${role}'::regrole`));
    assert.ok(granted.length > 0);
    assert.deepEqual(granted.filter((each) => !`${each}`.startsWith("EXECUTE on ")), []);
    const schemas = await found(`
      select nspname from pg_namespace
      where nspname in ('app', 'auth', 'extensions', 'public') and has_schema_privilege('${role}', oid, 'usage')
    `);
    assert.deepEqual(schemas, ["public"]);
  }
});

Deno.test("`api_reader` can read views and call the functions that the views need, but cannot use tables", async () => {
  const granted = (await found(privilegesOf("grantee = 'api_reader'::regrole"))).map(String);
  assert.deepEqual(granted.filter((each) => !/^(SELECT on own_\w+|EXECUTE on .*)$/.test(each)), []);
  const schemas = await found(`
    select nspname from pg_namespace
    where nspname in ('app', 'auth', 'extensions', 'public') and has_schema_privilege('api_reader', oid, 'usage')
    order by 1
  `);
  assert.deepEqual(schemas, ["app", "public"]);
});

Deno.test("no Data API role can use a new object until a migration grants a privilege on it", async () => {
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

Deno.test("every function has an empty search_path, so callers cannot change what a name refers to", async () => {
  const others = `
    select name from (${FUNCTIONS}) functions join pg_proc p using (oid)
    where coalesce(not 'search_path=""' = any (p.proconfig), true)
  `;
  assert.deepEqual(await found(others), []);
  const definers =
    `select name from (${FUNCTIONS}) functions join pg_proc p using (oid) where prosecdef`;
  assert.ok((await found(definers)).includes("app.company_id(text)"));
});

Deno.test("no Data API role can read key digests, account tokens, signed URLs or settlement ids", async () => {
  const readers = (column: string) => `
    select rolname from pg_roles where not rolsuper and rolname <> 'postgres' and rolname !~ '^pg_'
      and has_column_privilege(rolname, 'public.' || '${column.split(".")[0]}',
      '${column.split(".")[1]}', 'select')
  `;
  assert.deepEqual(await found(readers("api_keys.key_hash")), []);
  assert.deepEqual(await found(readers("messaging_accounts.encrypted_token")), []);
  assert.deepEqual(await found(readers("sends.claim_id")), []);
  for (const secret of ["sealed_secret", "sealed_previous_secret", "sealed_verify_token"]) {
    assert.deepEqual(await found(readers(`channel_apps.${secret}`)), []);
  }
  for (const secret of ["sealed_secret", "sealed_previous_secrets"]) {
    assert.deepEqual(await found(readers(`webhooks.${secret}`)), []);
  }
  // Anyone who has a signed URL can open the sample.
  assert.deepEqual(await found(readers("templates.sample_url")), []);
  assert.ok((await found(readers("api_keys.hint"))).includes("authenticated"));
});
