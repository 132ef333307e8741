import { encodeHex } from "deno-std/encoding/hex.js";
import postgres from "postgres";

export type Sql = postgres.Sql;

/** Connects as one of the database's login roles. */
export function connect(
  port: number,
  user: string,
  password: string,
  max = 1,
  database = "postgres",
): Sql {
  return postgres(databaseUrl(port, user, password), {
    max,
    database,
    onnotice: () => {},
    // A prepared statement depends on types, which migrations may change. No statement here runs
    // often enough to need preparing.
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
 * Gives a new cluster the roles and schemas of a Supabase database.
 * @param admin a connection as the superuser.
 */
export async function bootstrap(admin: Sql, password: string) {
  const [{ is_done }] = await admin`select to_regrole('authenticator') is not null as is_done`;
  if (is_done) return;
  const texts = await Promise.all([bootstrapFile, authFile].map((file) => Deno.readTextFile(file)));
  const passwords = ["postgres", "authenticator", "supabase_auth_admin"].map((role) =>
    `alter role ${role} password '${password}';`
  );
  // All statements are sent as one message, so they are one transaction. A start that is killed
  // here changes nothing.
  await admin.unsafe([...texts, ...passwords].join("\n"));
}

/**
 * Applies, in order, the migrations that are not in the history. Each migration and its entry in
 * the history are written in one transaction. The history is the table that the Supabase CLI uses,
 * so `supabase migration list` and `supabase db push` find the same migrations.
 *
 * Yields the file name of each migration after it is applied.
 *
 * @throws Error if a migration fails. The message contains the migration's file name and the
 *   database's error.
 * @throws StaleDatabase if the database was made by other migrations.
 */
export async function* migrate(sql: Sql): AsyncGenerator<string> {
  await sql.unsafe(`
    create schema if not exists supabase_migrations;
    create table if not exists supabase_migrations.schema_migrations (
      version text not null primary key, statements text[], name text
    );
  `);
  const history = await sql<
    Applied[]
  >`select version, statements from supabase_migrations.schema_migrations`;
  const applied = new Map(history.map((each) => [each.version, each]));
  const files = await migrationFiles();
  if (history.length > 0 && !applied.has(versionOf(files[0]))) throw new StaleDatabase();

  for (const file of files) {
    const version = versionOf(file);
    const name = file.slice(version.length + 1, -".sql".length);
    const text = await Deno.readTextFile(new URL(file, migrationsFolder));
    const before = applied.get(version);
    if (before) {
      // The Supabase CLI stores a migration as separate statements. They are not compared with the
      // file.
      if (before.statements?.length === 1 && before.statements[0] !== text) {
        throw new StaleDatabase();
      }
      continue;
    }
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

interface Applied {
  version: string;
  statements: string[] | null;
}

/** The error for a database that was made by migrations other than those of this checkout. */
export class StaleDatabase extends Error {
  override name = "StaleDatabase";
  constructor() {
    super(
      "This database was made by migrations that differ from the migrations in " +
        "supabase/migrations. Start with --fresh for an empty database, or with --data <folder> " +
        "to keep this one.",
    );
  }
}

function versionOf(file: string): string {
  return file.slice(0, file.indexOf("_"));
}

async function migrationFiles(): Promise<string[]> {
  const files: string[] = [];
  for await (const { name } of Deno.readDir(migrationsFolder)) {
    if (/^\d+_.+\.sql$/.test(name)) files.push(name);
  }
  return files.sort();
}

/**
 * Writes the demo data of supabase/seed.sql, once for each database. A table records that the data
 * was written; the Supabase CLI uses the same table for `--include-seed`.
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

/**
 * Postgres' error message. If Postgres reports a position, the line number in the file is added.
 */
export function describe(error: unknown, text: string): string {
  if (!(error instanceof postgres.PostgresError)) return String(error);
  const position = Number(error.position);
  // Postgres counts code points. JavaScript counts some characters as two.
  const before = Array.from(text).slice(0, position).join("");
  const line = position ? ` (line ${before.split("\n").length})` : "";
  return [error.message + line, error.detail, error.hint].filter(Boolean).join(". ");
}
