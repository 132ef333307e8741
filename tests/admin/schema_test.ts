import assert from "node:assert/strict";
import { databaseUrl, type Sql } from "../../local/postgres/database.ts";
import { withSchemaFiles } from "../../local/postgres/schema_files.ts";
import { admin } from "./command.ts";

const check = (DB_URL: string | undefined, ...options: string[]) =>
  admin(["schema", "check", ...options], { env: { DB_URL } });

/** The URL for connecting to this database as its owner. */
function urlOf(sql: Sql): string {
  const { port, user, pass } = sql.options as unknown as {
    port: number[];
    user: string;
    pass: string;
  };
  return databaseUrl(port[0], user, pass);
}

Deno.test("the local stack's database has exactly the objects in the schema files", async () => {
  const { code, stdout, stderr } = await check(undefined);
  assert.equal(stderr, "");
  assert.match(
    stdout,
    /^The database matches supabase\/schemas\/: \d{4} objects are equal\.\n$/,
  );
  assert.equal(code, 0);
});

Deno.test("the command lists the differences between a database and the schema files, but ignores comments", async () => {
  await withSchemaFiles(async (sql) => {
    await sql.unsafe(`
      comment on table public.deals is 'Else';
      create or replace function public.health() returns boolean language sql stable set search_path = '' as $$
        -- Another comment.
        select true
      $$;
      drop index public.deals_title_idx;
      create table public.extra (id int);
      alter policy "a key reads its company's teams" on public.teams using (true);
    `);
    const { code, stdout, stderr } = await check(urlOf(sql), "--json");
    assert.deepEqual(JSON.parse(stdout).differences, [
      "not in the schema files: column public.extra.id",
      "missing: index public.deals_title_idx",
      `different: policy public.teams "a key reads its company's teams"`,
      "not in the schema files: table public.extra",
    ]);
    assert.deepEqual([code, stderr], [
      1,
      "The database differs from supabase/schemas/ in 4 objects.\n",
    ]);
  });
});

Deno.test("if a database cannot be read, the error does not contain the database's password", async () => {
  const unreachable = await check("postgresql://postgres:sesame@127.0.0.1:9/postgres");
  assert.equal(unreachable.code, 1);
  assert.match(unreachable.stderr, /^The database cannot be read: .+\. Check DB_URL\.\n$/);
  const malformed = await check("https://postgres:sesame@127.0.0.1");
  assert.match(malformed.stderr, /^DB_URL must be the connection string of a database/);
  const encoding = await check("postgresql://postgres:sesame%RET@127.0.0.1:9/postgres");
  assert.equal(encoding.code, 1);
  assert.match(
    encoding.stderr,
    /^DB_URL must be the connection string of .*\(a special character in the password must be percent-encoded\)\.\n$/,
  );
  for (const { stdout, stderr } of [unreachable, malformed, encoding]) {
    assert.doesNotMatch(stdout + stderr, /sesame/);
  }
});
