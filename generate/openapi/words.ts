import { readdirSync } from "node:fs";
import { root } from "../../local/checkout.ts";
import type { Words } from "../../supabase/functions/_shared/http/api_words.ts";

// The texts of the API's description, from every file words.ts.

const FUNCTIONS = `${root}supabase/functions/`;

const files = readdirSync(FUNCTIONS, { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith("/words.ts")).sort();
const all: Words[] = await Promise.all(
  files.map(async (path) => (await import(`${FUNCTIONS}${path}`)).words),
);

/** All entries of one kind. @throws Error when two files have words for the same id. */
function gathered<Kind extends keyof Words>(kind: Kind): NonNullable<Words[Kind]> {
  const found: Record<string, unknown> = {};
  for (const words of all) {
    for (const [id, each] of Object.entries(words[kind] ?? {})) {
      if (id in found) throw new Error(`two files have words for ${id}`);
      found[id] = each;
    }
  }
  return found as NonNullable<Words[Kind]>;
}

/** The words of each operation, by its id. */
export const OPERATIONS = gathered("operations");

/** The words of each schema, by its id. */
export const SCHEMAS = gathered("schemas");

/** The words of each field, by the id of its schema and its name. */
export const FIELDS = gathered("fields");
