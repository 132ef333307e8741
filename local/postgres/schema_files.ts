import { bootstrap, connect, describe, type Sql } from "./database.ts";
import { startPostgres } from "./server.ts";

const folder = new URL("../../supabase/schemas/", import.meta.url);

export interface SchemaFile {
  name: string;
  text: string;
}

/** The files that define the database, in the order in which they must run. */
export async function schemaFiles(): Promise<SchemaFile[]> {
  const names = Array.from(Deno.readDirSync(folder), ({ name }) => name)
    .filter((name) => name.endsWith(".sql")).sort();
  return await Promise.all(names.map(async (name) => ({
    name,
    text: await Deno.readTextFile(new URL(name, folder)),
  })));
}

/**
 * Makes a database from the schema files in a separate Postgres, calls `work` with a connection as
 * the owner of the tables, and removes the database.
 *
 * @throws Error if a file fails. The message contains the name of the file and the database's
 *   reason.
 */
export async function withSchemaFiles<Answer>(
  work: (sql: Sql) => Promise<Answer>,
): Promise<Answer> {
  const parent = await Deno.makeTempDir({ prefix: "crm-schema-" });
  await using ends = new AsyncDisposableStack();
  ends.defer(() => Deno.remove(parent, { recursive: true }));
  const password = crypto.randomUUID();
  const server = await startPostgres({
    dataFolder: `${parent}/data`,
    fresh: false,
    port: 0,
    password,
    logFile: `${parent}/postgres.log`,
    durable: false,
  });
  ends.defer(server.stop);
  const [admin, owner] = ["supabase_admin", "postgres"].map((user) =>
    connect(server.port, user, password)
  );
  for (const sql of [admin, owner]) ends.defer(() => sql.end({ timeout: 1 }));
  await bootstrap(admin, password);
  for (const { name, text } of await schemaFiles()) {
    await owner.begin((transaction) => transaction.unsafe(text)).catch((error) => {
      throw new Error(`The schema file ${name} failed: ${describe(error, text)}`);
    });
  }
  return await work(owner);
}
