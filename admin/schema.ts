import type { Command } from "commander";
import postgres from "postgres";
import {
  type Catalogue,
  catalogue,
  differences,
  withoutComments,
} from "../local/postgres/catalogue.ts";
import { withSchemaFiles } from "../local/postgres/schema_files.ts";
import { examples } from "./examples.ts";
import { OperatorError } from "./operator_error.ts";
import { JSON_OPTION, print, type Printing } from "./print.ts";
import { localDatabaseUrl } from "./project.ts";

/** Adds `schema check`. */
export function schemaCommands(program: Command) {
  const schema = program.command("schema")
    .description("Compare a database with supabase/schemas/.")
    .addHelpText("after", examples("npm run admin -- schema check"));

  schema.command("check")
    .description(
      "Show how the database differs from supabase/schemas/. Comments are not compared. DB_URL " +
        "has the connection string of the database, with its password; without DB_URL, the " +
        "command reads the local stack's database. Nothing is changed.",
    )
    .option(...JSON_OPTION)
    .addHelpText("after", examples("npm run admin -- schema check"))
    .action(checkSchema);
}

async function checkSchema(options: Printing) {
  const url = Deno.env.get("DB_URL") || localDatabaseUrl();
  const actual = await catalogueAt(url);
  const expected = await withSchemaFiles(catalogue);
  const found = differences(withoutComments(expected), withoutComments(actual));
  print(
    options,
    { objects: expected.size, differences: found },
    () =>
      found.join("\n") ||
      `The database matches supabase/schemas/: ${expected.size} objects are equal.`,
  );
  if (found.length === 0) return;
  const objects = found.length === 1 ? "one object" : `${found.length} objects`;
  throw new OperatorError(`The database differs from supabase/schemas/ in ${objects}.`);
}

/**
 * @throws OperatorError when the database cannot be read. The message does not contain the
 * password.
 */
async function catalogueAt(url: string): Promise<Catalogue> {
  const sql = connection(url);
  try {
    return await catalogue(sql);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new OperatorError(`The database cannot be read: ${reason}. Check DB_URL.`);
  } finally {
    await sql.end({ timeout: 1 });
  }
}

function connection(url: string): postgres.Sql {
  const options = { max: 1, connect_timeout: 30, prepare: false, onnotice: () => {} };
  if (!/^postgres(ql)?:/.test(url) || !URL.canParse(url) || !isEncoded(url)) {
    throw new OperatorError(
      "DB_URL must be the connection string of a database, such as postgresql://postgres:<password>@<host>:5432/postgres " +
        "(a special character in the password must be percent-encoded).",
    );
  }
  const asked = new URL(url);
  const isLocal = ["127.0.0.1", "localhost", "[::1]"].includes(asked.hostname);
  // Connections to other hosts are always encrypted.
  return postgres(
    url,
    asked.searchParams.has("sslmode") || isLocal ? options : { ...options, ssl: "require" },
  );
}

/** Whether all percent-encoded characters of a URL can be decoded. */
function isEncoded(url: string): boolean {
  try {
    decodeURIComponent(url);
    return true;
  } catch {
    return false;
  }
}
