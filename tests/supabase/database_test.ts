// Tests that the Supabase CLI and the local stack create the same database.

import assert from "node:assert/strict";
import { cp } from "node:fs/promises";
import { bootstrap, connect, databaseUrl, migrate, seed } from "../../local/postgres/database.ts";
import { catalogue, differences } from "../../local/postgres/catalogue.ts";
import { startPostgres } from "../../local/postgres/server.ts";
import { databaseTypes } from "../../generate/database_types.ts";
import { root } from "../../local/checkout.ts";
import { withFolder } from "../support/started.ts";
import { stack, withDatabase } from "../support/test_stack.ts";
import { supabase } from "./cli.ts";

const migrations = Array.from(Deno.readDirSync(`${root}supabase/migrations`), ({ name }) => name)
  .sort();
const versions = migrations.map((name) => name.split("_")[0]);
/**
 * The CLI's advisors report two foreign keys to `messaging_accounts`, because their index covers
 * only the account column. This index finds the same rows as an index on both columns. If the index
 * began with the company column, Postgres would read all of the company's rows until the table has
 * statistics.
 */
const EXPECTED_ADVICE = [
  "unindexed_foreign_keys_public_contact_windows_contact_windows_account_fkey",
  "unindexed_foreign_keys_public_conversations_conversations_messaging_account_fkey",
];
/**
 * In a new database, no index has been used yet. No role may read the tables in the `app` schema,
 * so these tables need no policies. The daily partitions of the logs need no primary key, because
 * other indexes find their rows.
 */
const IGNORED_ADVICE =
  /^unused_index_|^rls_enabled_no_policy_app_|^no_primary_key_app_(events|deliveries)_\d\d$/;
const UP_TO_DATE = /^Remote database is up to date\.$/m;

Deno.test("the CLI finds the same migrations in the checkout and the database, and nothing to push", async () => {
  const [list, push] = await Promise.all([
    supabase(["migration", "list", remote(stack.database_url)]),
    supabase(["db", "push", "--dry-run", "--include-seed", remote(stack.database_url)]),
  ]);
  const sides = Array.from(list.matchAll(/`(\d*)` +\| +`(\d*)`/g), ([, ...both]) => both);
  assert.deepEqual(sides, versions.map((version) => [version, version]));
  assert.match(push, UP_TO_DATE);
});

Deno.test("the committed types match the database", async () => {
  const committed = await Deno.readTextFile(`${root}supabase/functions/_shared/database/types.ts`);
  assert.equal(committed, await databaseTypes(stack.database_url), "run: npm run generate");
});

Deno.test("a migration that the CLI creates comes after the existing migrations", async () => {
  await withFolder(async (folder) => {
    await cp(`${root}supabase/migrations`, `${folder}/supabase/migrations`, { recursive: true });
    await Deno.copyFile(`${root}supabase/config.toml`, `${folder}/supabase/config.toml`);
    await supabase(["migration", "new", "ours"], { cwd: folder });
    const names = Array.from(Deno.readDirSync(`${folder}/supabase/migrations`), ({ name }) => name);
    assert.equal(names.length, migrations.length + 1);
    assert.match(names.sort().at(-1)!, /^\d{14}_ours\.sql$/);
  });
});

Deno.test("the CLI and the local stack create the same database, and the CLI's advisors report nothing unexpected", async () => {
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
    try {
      await bootstrap(admin, "secret");
      const url = databaseUrl(server.port, "postgres", "secret");
      const pushed = await supabase(["db", "push", "--include-seed", remote(url)]);
      for (const migration of migrations) assert.ok(pushed.includes(migration), migration);
      const again = await supabase(["db", "push", "--dry-run", "--include-seed", remote(url)]);
      assert.match(again, UP_TO_DATE);
      assert.deepEqual(differences(await withDatabase(catalogue), await catalogue(owner)), []);
      const advisors = ["db", "advisors", "--type", "all", "--level", "info", "--fail-on", "warn"];
      const text = await supabase([...advisors, remote(url)]);
      const advice = Array.from(text.matchAll(/^ {4}"cache_key": "(.*)"/gm), ([, key]) => key);
      assert.ok(advice.length > 0 || text.includes("No issues found"), text);
      assert.deepEqual(advice.filter((key) => !IGNORED_ADVICE.test(key)), EXPECTED_ADVICE);
      const [{ contacts }] = await owner`select count(*)::int as contacts from contacts`;
      assert.equal(contacts, 40);

      for await (const file of migrate(owner)) assert.fail(`${file} was applied again`);
      assert.equal(await seed(owner), false);

      // docs/deploying.md describes the `migration repair` commands below, for a database that was
      // created by other migrations.
      await owner`update supabase_migrations.schema_migrations set version = '20260101000000'`;
      await assert.rejects(supabase(["db", "push", remote(url)]));
      const repair = (status: string, ...versions: string[]) =>
        supabase(["migration", "repair", "--status", status, ...versions, remote(url)]);
      await repair("reverted", "20260101000000");
      await repair("applied", ...versions);
      const repaired = await supabase(["db", "push", "--dry-run", "--include-seed", remote(url)]);
      assert.match(repaired, UP_TO_DATE);
    } finally {
      await Promise.all([admin, owner].map((sql) => sql.end()));
      await server.stop();
    }
  });
});

/** The CLI argument that names a database. */
function remote(databaseUrl: string): string {
  return `--remote=${databaseUrl}?sslmode=disable`;
}
