import postgres from "postgres";
import type { Sql } from "../local/postgres/database.ts";

const HEAD = `Each role's rights in the database, and the rows to which they apply.
Written by \`npm run generate\` from the database; do not edit.

A line says what a role may do with a table or a view, by column. The lines below it are the policies of that role, which name the rows. No policy applies to a role with bypassrls.
`;

/** Returns the same text as `rights`, for the database at a connection URL. */
export async function rightsOf(databaseUrl: string): Promise<string> {
  const sql = postgres(databaseUrl, { max: 1 });
  return await rights(sql).finally(() => sql.end());
}

/**
 * Returns the rights of the roles in a database, as text that can be read and compared. The text
 * lists the roles, the rights on tables and views, what each view shows, and who may call each
 * function.
 */
export async function rights(sql: Sql): Promise<string> {
  const roles = await sql`
    select rolname || case when rolbypassrls then ' (bypassrls)' else '' end as line
    from (${rolesOfRequests(sql)}) as roles order by 1
  `;
  const tables = await sql`
    with relations as (
      select oid, relkind, relnamespace::regnamespace || '.' || relname as name from pg_class
      where relnamespace in ('public'::regnamespace, 'app'::regnamespace) and relkind in ('r', 'p', 'v', 'm', 'S', 'f')
    ),
    grantees as (${rolesOfRequests(sql)}),
    columns as (
      select relations.oid, rolname, place, verb, string_agg(attname, ' ' order by attnum) as list
      from relations
      join pg_attribute on attrelid = relations.oid and attnum > 0 and not attisdropped
      cross join grantees
      cross join (
        values (1, 'select', 'selects'), (2, 'insert', 'inserts'), (3, 'update', 'updates'),
          (4, 'references', 'references')
      ) as privileges (place, privilege, verb)
      where has_column_privilege(rolname, relations.oid, attnum, privilege)
      group by 1, 2, 3, 4
      union all
      select relations.oid, rolname, place, verb, null
      from relations cross join grantees
      cross join (
        values (5, 'delete', 'deletes'), (6, 'truncate', 'truncates'), (7, 'trigger', 'adds triggers'),
          (8, 'maintain', 'maintains')
      ) as privileges (place, privilege, verb)
      where has_table_privilege(rolname, relations.oid, privilege)
    )
    select relations.oid, name, rolname as role, string_agg(concat_ws(' ', verb, list), ' | ' order by place) as may
    from relations join columns using (oid)
    group by 1, 2, 3
    order by relations.name collate "C", rolname collate "C"
  `;
  const policies = await sql`
    select
      polrelid as oid, role, polname as name,
      case polcmd when 'r' then 'selects' when 'a' then 'inserts' when 'w' then 'updates' when 'd' then 'deletes'
        else 'does all' end as verb,
      case when not polpermissive then 'restrictive' end as kind,
      pg_get_expr(polqual, polrelid) as using, pg_get_expr(polwithcheck, polrelid) as check
    from pg_policy
    cross join lateral (
      select case oid when 0 then 'public' else oid::regrole::text end as role from unnest(polroles) as oid
    ) as roles
    order by polcmd, polname collate "C"
  `;
  const views = await sql`
    select relnamespace::regnamespace || '.' || relname as name, relowner::regrole as owner, reloptions as options,
      substring(pg_get_viewdef(oid) from '\\mFROM .*') as source
    from pg_class
    where relnamespace in ('public'::regnamespace, 'app'::regnamespace) and relkind in ('v', 'm')
    order by relname collate "C"
  `;
  const functions = await sql`
    select
      pronamespace::regnamespace || '.' || proname || '(' || oidvectortypes(proargtypes) || ')' as name,
      prosecdef as is_definer,
      array(
        select case grantee when 0 then 'public' else grantee::regrole::text end
        from aclexplode(coalesce(proacl, acldefault('f', proowner)))
        where grantee <> proowner order by grantee::regrole::text collate "C"
      ) as callers
    from pg_proc
    where pronamespace in ('public'::regnamespace, 'app'::regnamespace)
    order by oid::regprocedure::text collate "C"
  `;

  const unseen = new Set(policies);
  const tableLines = tables.flatMap(({ oid, name, role, may }) => {
    const own = policies.filter((policy) => policy.oid === oid && policy.role === role);
    for (const policy of own) unseen.delete(policy);
    return [`${name}: ${role} ${may}`, ...own.map((policy) => `    ${ruleOf(policy)}`)];
  });
  const without = [...unseen].map((policy) => `${policy.role}, without a right: ${ruleOf(policy)}`);
  const viewLines = views.map(({ name, owner, options, source }) =>
    [`${name}, as ${owner}:`, options?.join(" "), oneLine(source)].filter(Boolean).join(" ")
  );
  const called = functions.filter(({ callers }) => callers.length > 0);
  const functionLines = called.map(({ name, is_definer, callers }) =>
    `${name}: ${callers.join(" ")}${is_definer ? ", as its owner" : ""}`
  );
  return [
    HEAD,
    section("Roles of a request", roles.map(({ line }) => line)),
    section("Tables and views", [...tableLines, ...without]),
    section("What views show", viewLines),
    section("Who may call functions", functionLines),
  ].join("\n");
}

/** Selects the roles that a request's token may name. */
function rolesOfRequests(sql: Sql) {
  return sql`
    select rolname collate "C" as rolname, rolbypassrls from pg_roles
    where oid in (select roleid from pg_auth_members where member = 'authenticator'::regrole)
      and rolname !~ '^supabase_'
  `;
}

function section(title: string, lines: string[]): string {
  return `${title}\n${"-".repeat(title.length)}\n${lines.join("\n")}\n`;
}

// deno-lint-ignore no-explicit-any -- a row of pg_policy
function ruleOf({ name, verb, kind, using, check }: any): string {
  const rows = using && `where ${oneLine(using)}`;
  const written = check && check !== using && `what has ${oneLine(check)}`;
  return [verb, kind, rows, written].filter(Boolean).join(" ") + `: ${name}`;
}

function oneLine(text: string): string {
  // Postgres adds a column name to each subquery with one column. This code removes the name.
  return text.replaceAll(/\s+/g, " ").replaceAll(/ AS \w+\)/g, ")").replace(/;$/, "");
}
