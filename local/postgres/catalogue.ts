import type { Sql } from "./database.ts";

/**
 * The descriptions of all database objects by their names, such as `column public.contacts.phone`.
 */
export type Catalogue = Map<string, Described>;

interface Described {
  definition: string;
  comment: string | null;
}

/**
 * All objects that the schema files define: roles, schemas, types, tables, views and functions,
 * with their comments, rights and settings. For a table, also its columns, constraints, indexes,
 * statistics objects, triggers and policies.
 *
 * The platform's own roles, schemas and rights are left out, so they never count as differences.
 * Dropped columns and the order in which rights were granted do not count either.
 */
export async function catalogue(sql: Sql): Promise<Catalogue> {
  const rows = await sql.begin(async (transaction) => {
    // With an empty search path, definitions qualify each object with its schema.
    await transaction`set local search_path = ''`;
    return await transaction.unsafe(CATALOGUE);
  });
  return new Map(rows.map(({ name, definition, comment }) => [name, { definition, comment }]));
}

/**
 * Removes the comments from a catalogue, including comments in function bodies. Replaces all white
 * space by single spaces.
 */
export function withoutComments(catalogue: Catalogue): Catalogue {
  const bare = (definition: string) => definition.replaceAll(/--.*/g, "").replaceAll(/\s+/g, " ");
  return new Map(
    Array.from(catalogue, ([name, { definition }]) => [
      name,
      { definition: bare(definition), comment: null },
    ]),
  );
}

/** The differences between two catalogues, one line each; empty when the catalogues are equal. */
export function differences(expected: Catalogue, actual: Catalogue): string[] {
  const names = [...new Set([...expected.keys(), ...actual.keys()])].sort();
  return names.flatMap((name) => {
    const [one, other] = [expected.get(name), actual.get(name)];
    if (!other) return [`missing: ${name}`];
    // A project may have extensions that these tables do not need.
    if (!one) return name.startsWith("extension ") ? [] : [`not in the schema files: ${name}`];
    if (one.definition !== other.definition) return [`different: ${name}`];
    return one.comment === other.comment ? [] : [`another comment: ${name}`];
  });
}

/**
 * Privileges as `role=privilege`, with a star when the role may grant the privilege to others. The
 * owner's privileges are left out.
 */
const rights = (list: string, owner: string) =>
  `(
  select string_agg(
    case grantee when 0 then 'public' else grantee::regrole::text end || '=' || lower(privilege_type)
      || case when is_grantable then '*' else '' end,
    ', ' order by grantee::regrole::text collate "C", privilege_type collate "C"
  )
  from aclexplode(${list}) where grantee <> ${owner}
)`;

/** The roles that every project has. */
const PLATFORM = "'postgres', 'anon', 'authenticated', 'service_role', 'authenticator'";

const CATALOGUE = `
with
schemas as (select * from pg_catalog.pg_namespace where nspname in ('public', 'app')),
relations as (
  select pg_class.*, oid::regclass::text as name from pg_catalog.pg_class
  where relnamespace in (select oid from schemas)
),
functions as (select * from pg_catalog.pg_proc where pronamespace in (select oid from schemas)),
roles as (
  select * from pg_catalog.pg_roles
  where rolname not in (${PLATFORM}) and oid in (
    select (aclexplode(relacl)).grantee from relations
    union select (aclexplode(proacl)).grantee from functions
    union select (aclexplode(attacl)).grantee from pg_catalog.pg_attribute join relations on relations.oid = attrelid
  )
)

select 'role ' || rolname as name,
  jsonb_build_object(
    'log in', rolcanlogin, 'inherits', rolinherit, 'passes row security', rolbypassrls, 'makes roles', rolcreaterole,
    'makes databases', rolcreatedb, 'superuser', rolsuper, 'replicates', rolreplication,
    'settings', array(
      select setting from pg_catalog.pg_db_role_setting, unnest(setconfig) as setting
      where setrole = roles.oid order by setting collate "C"
    ),
    'members', array(
      select concat_ws(' ', member::regrole, admin_option, inherit_option, set_option)
      from pg_catalog.pg_auth_members
      where roleid = roles.oid and member::regrole::text <> 'postgres' order by member::regrole::text collate "C"
    )
  )::text as definition,
  shobj_description(oid, 'pg_authid') as comment
from roles

union all
select 'schema ' || nspname,
  array(
    select concat(grantee::regrole, '=', lower(privilege_type)) from aclexplode(nspacl)
    where nspname = 'app' and grantee <> nspowner or grantee in (select oid from roles)
    order by grantee::regrole::text collate "C", privilege_type collate "C"
  )::text,
  case nspname when 'app' then obj_description(oid, 'pg_namespace') end
from schemas

union all
-- Default rights in one schema are granted in addition to the default rights in all schemas.
select concat_ws(' ', 'default rights', nspname, defaclobjtype),
  coalesce(${rights("defaclacl", "defaclrole")}, 'none'), null
from pg_catalog.pg_default_acl
left join schemas on schemas.oid = defaclnamespace
where defaclrole::regrole::text = 'postgres'
  and (defaclnamespace = 0 or nspname is not null and ${
  rights("defaclacl", "defaclrole")
} is not null)

union all
select 'extension ' || extname, extnamespace::regnamespace::text, null
from pg_catalog.pg_extension where extname <> 'plpgsql'

union all
select 'type ' || pg_type.oid::regtype,
  jsonb_build_object(
    'kind', typtype, 'base', nullif(typbasetype, 0)::regtype, 'default', typdefault, 'not null', typnotnull,
    'labels', array(select enumlabel from pg_catalog.pg_enum where enumtypid = pg_type.oid order by enumsortorder),
    'constraints', array(
      select concat_ws(' ', conname, pg_get_constraintdef(pg_constraint.oid))
      from pg_catalog.pg_constraint where contypid = pg_type.oid order by conname collate "C"
    ),
    'rights', ${rights("typacl", "typowner")}
  )::text,
  obj_description(pg_type.oid, 'pg_type')
from pg_catalog.pg_type
left join relations on relations.oid = typrelid
where typnamespace in (select oid from schemas) and (typtype in ('e', 'd', 'r') or typtype = 'c' and relkind = 'c')

union all
select case when relkind in ('v', 'm') then 'view ' when relkind = 'S' then 'sequence ' else 'table ' end || name,
  jsonb_build_object(
    'kind', relkind, 'persistence', relpersistence, 'owner', relowner::regrole,
    'row security', relrowsecurity, 'forced', relforcerowsecurity, 'replica identity', relreplident,
    'options', reloptions, 'rights', ${rights("relacl", "relowner")},
    'query', case when relkind in ('v', 'm') then pg_get_viewdef(oid) end,
    'sequence', (select to_jsonb(pg_sequence) - 'seqrelid' from pg_catalog.pg_sequence where seqrelid = oid)
  )::text,
  obj_description(oid, 'pg_class')
from relations where relkind in ('r', 'p', 'f', 'v', 'm', 'S')

union all
select concat('column ', name, '.', quote_ident(attname)),
  jsonb_build_object(
    'place', row_number() over (partition by attrelid order by attnum),
    'type', format_type(atttypid, atttypmod), 'collation', nullif(attcollation, 0)::regcollation,
    'not null', attnotnull, 'identity', attidentity, 'generated', attgenerated,
    'expression', pg_get_expr(adbin, adrelid), 'options', attoptions, 'statistics', attstattarget,
    'storage', attstorage, 'compression', attcompression, 'rights', ${rights("attacl", "relowner")}
  )::text,
  col_description(attrelid, attnum)
from relations
join pg_catalog.pg_attribute on attrelid = relations.oid and attnum > 0 and not attisdropped
left join pg_catalog.pg_attrdef on adrelid = attrelid and adnum = attnum
where relkind in ('r', 'p', 'f', 'v', 'm', 'c')

union all
select concat('constraint ', conrelid::regclass, '.', quote_ident(conname)),
  concat_ws(' ', pg_get_constraintdef(pg_constraint.oid), case when convalidated then 'validated' end),
  obj_description(pg_constraint.oid, 'pg_constraint')
from pg_catalog.pg_constraint where conrelid in (select oid from relations)

union all
select 'index ' || name,
  jsonb_build_object(
    'definition', pg_get_indexdef(indexrelid), 'valid', indisvalid, 'replica identity', indisreplident,
    'clustered', indisclustered, 'statistics', array(
      select concat_ws(' ', attname, attstattarget) from pg_catalog.pg_attribute
      where attrelid = indexrelid and attstattarget is not null order by attnum
    )
  )::text,
  obj_description(indexrelid, 'pg_class')
from relations join pg_catalog.pg_index on indexrelid = relations.oid

union all
select concat('statistics ', stxnamespace::regnamespace, '.', quote_ident(stxname)),
  concat_ws(' ', pg_get_statisticsobjdef(oid), stxstattarget), obj_description(oid, 'pg_statistic_ext')
from pg_catalog.pg_statistic_ext where stxrelid in (select oid from relations)

union all
select 'function ' || oid::regprocedure,
  concat_ws(
    E'\\n', case when prokind in ('f', 'p') then pg_get_functiondef(oid) else prosrc end, proowner::regrole,
    ${rights("coalesce(proacl, acldefault('f', proowner))", "proowner")}
  ),
  obj_description(oid, 'pg_proc')
from functions

union all
select concat('trigger ', name, '.', quote_ident(tgname)),
  concat_ws(' ', pg_get_triggerdef(pg_trigger.oid), tgenabled), obj_description(pg_trigger.oid, 'pg_trigger')
from pg_catalog.pg_trigger join relations on relations.oid = tgrelid where not tgisinternal

union all
select concat('rule ', name, '.', quote_ident(rulename)), pg_get_ruledef(pg_rewrite.oid), null
from pg_catalog.pg_rewrite join relations on relations.oid = ev_class where rulename <> '_RETURN'

union all
select concat('policy ', polrelid::regclass, ' ', quote_ident(polname)),
  jsonb_build_object(
    'command', polcmd, 'permissive', polpermissive, 'roles', array(
      select case role when 0 then 'public' else role::regrole::text end
      from unnest(polroles) as role order by role::regrole::text collate "C"
    ),
    'using', pg_get_expr(polqual, polrelid), 'check', pg_get_expr(polwithcheck, polrelid)
  )::text,
  obj_description(pg_policy.oid, 'pg_policy')
from pg_catalog.pg_policy where polrelid in (select oid from relations)

union all
select concat('publication ', pubname, ' of ', prrelid::regclass),
  concat_ws(' ', prattrs, pg_get_expr(prqual, prrelid)), null
from pg_catalog.pg_publication_rel join pg_catalog.pg_publication on pg_publication.oid = prpubid
where prrelid in (select oid from relations)
`;
