// The Supabase CLI and the local stack agree about the database.

import assert from "node:assert/strict";
import postgres from "postgres";
import { bootstrap, connect, databaseUrl, migrate, seed } from "../../local/postgres/database.ts";
import { startPostgres } from "../../local/postgres/server.ts";
import { databaseTypes } from "../../generate/database_types.ts";
import { root } from "../../local/checkout.ts";
import { withFolder } from "../support/started.ts";
import { stack } from "../support/test_stack.ts";
import { supabase } from "./cli.ts";

const migrations = Array.from(Deno.readDirSync(`${root}supabase/migrations`), ({ name }) => name)
  .sort();
const UP_TO_DATE = /^Remote database is up to date\.$/m;

Deno.test("the CLI finds every migration on both sides, and nothing to push", async () => {
  const [list, push] = await Promise.all([
    supabase(["migration", "list", remote(stack.database_url)]),
    supabase(["db", "push", "--dry-run", "--include-seed", remote(stack.database_url)]),
  ]);
  const sides = Array.from(list.matchAll(/`(\d*)` +\| +`(\d*)`/g), ([, ...both]) => both);
  const versions = migrations.map((name) => name.split("_")[0]);
  assert.deepEqual(sides, versions.map((version) => [version, version]));
  assert.match(push, UP_TO_DATE);
});

Deno.test("the committed types match the database", async () => {
  const committed = await Deno.readTextFile(`${root}supabase/functions/_shared/database/types.ts`);
  assert.equal(committed, await databaseTypes(stack.database_url), "run: npm run generate");
});

Deno.test("the CLI and the local stack make the same database, of which the CLI's advisors only say that it has not used its indexes", async () => {
  await withFolder(async (folder) => {
    const server = await startPostgres({
      dataFolder: `${folder}/data`,
      fresh: false,
      port: 0,
      password: "secret",
      logFile: `${folder}/postgres.log`,
      durable: false,
    });
    const admin = connect(server.port, "supabase_admin", "secret");
    const owner = connect(server.port, "postgres", "secret");
    const local = postgres(stack.database_url, { max: 1 });
    try {
      await bootstrap(admin, "secret");
      const url = databaseUrl(server.port, "postgres", "secret");
      const pushed = await supabase(["db", "push", "--include-seed", remote(url)]);
      for (const migration of migrations) assert.ok(pushed.includes(migration), migration);
      const again = await supabase(["db", "push", "--dry-run", "--include-seed", remote(url)]);
      assert.match(again, UP_TO_DATE);
      assert.deepEqual(await structure(owner), await structure(local));
      const advice = ["db", "advisors", "--type", "all", "--level", "info", "--fail-on", "warn"];
      const text = await supabase([...advice, remote(url)]);
      const names = Array.from(text.matchAll(/^ {4}"name": "(.*)"/gm), ([, name]) => name);
      assert.ok(names.length > 0 || text.includes("No issues found"), text);
      assert.deepEqual(names.filter((name) => name !== "unused_index"), []);
      const [{ contacts }] = await owner`select count(*)::int as contacts from contacts`;
      assert.equal(contacts, 40);

      for await (const file of migrate(owner)) assert.fail(`${file} was applied again`);
      assert.equal(await seed(owner), false);
    } finally {
      await Promise.all([admin, owner, local].map((sql) => sql.end()));
      await server.stop();
    }
  });
});

/** The argument that names a database to the CLI. */
function remote(databaseUrl: string): string {
  return `--remote=${databaseUrl}?sslmode=disable`;
}

/** Everything in the schemas public and app, one line each. */
async function structure(sql: postgres.Sql): Promise<string[]> {
  const rows = await sql`
    with ours as (select oid, nspname from pg_namespace where nspname in ('public', 'app'))
    select concat_ws(' ', 'relation', nspname, relname, relkind, relrowsecurity, relacl) as line
      from pg_class join ours on ours.oid = relnamespace
    union all
    select concat_ws(' ', 'column', attrelid::regclass, attname, format_type(atttypid, atttypmod),
        attnotnull, attacl, pg_get_expr(adbin, adrelid))
      from pg_attribute join pg_class on pg_class.oid = attrelid join ours on ours.oid = relnamespace
      left join pg_attrdef on adrelid = attrelid and adnum = attnum
      where attnum > 0
    union all
    select concat_ws(' ', 'constraint', conrelid::regclass, conname, pg_get_constraintdef(c.oid))
      from pg_constraint as c join ours on ours.oid = connamespace
    union all
    select pg_get_indexdef(indexrelid) from pg_index
      join pg_class on pg_class.oid = indrelid join ours on ours.oid = relnamespace
    union all
    select pg_get_triggerdef(t.oid) from pg_trigger as t
      join pg_class on pg_class.oid = tgrelid join ours on ours.oid = relnamespace where not tgisinternal
    union all
    select to_jsonb(pg_policies)::text from pg_policies
    union all
    select concat_ws(' ', pg_get_functiondef(p.oid), proacl, obj_description(p.oid))
      from pg_proc as p join ours on ours.oid = pronamespace
    order by line
  `;
  assert.ok(rows.length > 100);
  return rows.map(({ line }) => line);
}
