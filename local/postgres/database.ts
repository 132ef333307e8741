import { encodeHex } from "deno-std/encoding/hex.js";
import postgres from "postgres";

export type Sql = postgres.Sql;

/** Connects as one of the database's login roles. */
export function connect(port: number, user: string, password: string, max = 1): Sql {
  return postgres(databaseUrl(port, user, password), {
    max,
    onnotice: () => {},
    // Migrations change types that prepared statements rely on, and no statement here runs often.
    prepare: false,
  });
}

export function databaseUrl(port: number, user: string, password: string): string {
  return `postgresql://${user}:${password}@127.0.0.1:${port}/postgres`;
}

const bootstrapFile = new URL("./bootstrap.sql", import.meta.url);
const authFile = new URL("./auth.sql", import.meta.url);
const migrationsFolder = new URL("../../supabase/migrations/", import.meta.url);
const seedFile = new URL("../../supabase/seed.sql", import.meta.url);

/**
 * Gives a cluster the roles and schemas of a Supabase database that it does not have yet: all of them when it is
 * new, those of Supabase Auth when a version that had no sign-in has made it.
 * @param admin a connection as the superuser.
 */
export async function bootstrap(admin: Sql, password: string) {
  const [has] = await admin`
    select to_regrole('authenticator') is not null as roles,
      to_regclass('auth.audit_log_entries') is not null as auth
  `;
  const files = [
    ...(has.roles ? [] : [{ file: bootstrapFile, roles: ["postgres", "authenticator"] }]),
    ...(has.auth ? [] : [{ file: authFile, roles: ["supabase_auth_admin"] }]),
  ];
  if (files.length === 0) return;
  const statements = files.map(async ({ file, roles }) => {
    const passwords = roles.map((role) => `alter role ${role} password '${password}';`);
    return [await Deno.readTextFile(file), ...passwords].join("\n");
  });
  // One message is one transaction, so a start that is killed here leaves nothing behind.
  await admin.unsafe((await Promise.all(statements)).join("\n"));
}

/**
 * Applies, in order, the migrations that are not in the history. Each migration and its entry in the
 * history are one transaction. The history is the table of the Supabase CLI, so `supabase migration
 * list` and `supabase db push` agree with it.
 *
 * Yields the file name of each migration after it is applied.
 *
 * @throws Error whose message names the migration and gives the database's reason.
 */
export async function* migrate(sql: Sql): AsyncGenerator<string> {
  await sql.unsafe(`
    create schema if not exists supabase_migrations;
    create table if not exists supabase_migrations.schema_migrations (
      version text not null primary key, statements text[], name text
    );
  `);
  const history = await sql`select version from supabase_migrations.schema_migrations`;
  const known = new Set(history.map(({ version }) => version));

  for (const file of await migrationFiles()) {
    const [, version, name] = /^(\d+)_(.+)\.sql$/.exec(file)!;
    if (known.has(version)) continue;
    const text = await Deno.readTextFile(new URL(file, migrationsFolder));
    try {
      await sql.begin(async (transaction) => {
        await transaction.unsafe(text);
        await transaction`
          insert into supabase_migrations.schema_migrations (version, statements, name)
          values (${version}, ${[text]}, ${name})
        `;
      });
    } catch (error) {
      throw new Error(`The migration ${file} failed: ${describe(error, text)}`);
    }
    yield file;
  }
}

async function migrationFiles(): Promise<string[]> {
  const files: string[] = [];
  for await (const { name } of Deno.readDir(migrationsFolder)) {
    if (/^\d+_.+\.sql$/.test(name)) files.push(name);
  }
  return files.sort();
}

/**
 * Writes the demo data of supabase/seed.sql, once for each database. The table that the Supabase CLI
 * uses for `--include-seed` records that it was written.
 *
 * @returns whether this call wrote the data.
 */
export async function seed(sql: Sql): Promise<boolean> {
  const path = "supabase/seed.sql";
  await sql.unsafe(`
    create table if not exists supabase_migrations.seed_files (path text not null primary key, hash text not null)
  `);
  const [done] = await sql`select from supabase_migrations.seed_files where path = ${path}`;
  if (done) return false;
  const text = await Deno.readTextFile(seedFile);
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  const hash = encodeHex(digest);
  try {
    await sql.begin(async (transaction) => {
      await transaction.unsafe(text);
      await transaction`
        insert into supabase_migrations.seed_files (path, hash) values (${path}, ${hash})
      `;
    });
  } catch (error) {
    throw new Error(`${path} failed: ${describe(error, text)}`);
  }
  return true;
}

/** The message of Postgres, with the line of the file when Postgres names a position. */
function describe(error: unknown, text: string): string {
  if (!(error instanceof postgres.PostgresError)) return String(error);
  const position = Number(error.position);
  // Postgres counts code points; JavaScript counts some of them as two.
  const before = Array.from(text).slice(0, position).join("");
  const line = position ? ` (line ${before.split("\n").length})` : "";
  return [error.message + line, error.detail, error.hint].filter(Boolean).join(". ");
}
