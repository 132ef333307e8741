import postgres from "postgres";
import type { StackAddresses } from "../../local/stack.ts";

const file = Deno.env.get("STACK_FILE");
if (!file) {
  throw new Error("Tests need a running stack: use npm test, or name a stack.json in STACK_FILE.");
}

/** The stack that these tests run against. */
export const stack: StackAddresses = JSON.parse(Deno.readTextFileSync(file));

/** What only the stack itself knows, such as the key of its tokens. */
export const secrets: import("../../local/secrets.ts").Secrets = JSON.parse(
  Deno.readTextFileSync(file.replace(/stack\.json$/, "secrets.json")),
);

/** Works on the database as the owner of its tables, and lets go of the connection afterwards. */
export async function withDatabase<Answer>(
  work: (sql: postgres.Sql) => Promise<Answer>,
): Promise<Answer> {
  const sql = postgres(stack.database_url, { max: 1, onnotice: () => {}, prepare: false });
  try {
    return await work(sql);
  } finally {
    await sql.end({ timeout: 1 });
  }
}
