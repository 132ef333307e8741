import { readdirSync } from "node:fs";
import { root } from "../../local/checkout.ts";
import type { Words } from "../../supabase/functions/_shared/http/api_words.ts";

// Collects the descriptions for the OpenAPI document from all files with the name `words.ts`.

const FUNCTIONS = `${root}supabase/functions/`;

const files = readdirSync(FUNCTIONS, { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith("/words.ts")).sort();
const all: Words[] = await Promise.all(
  files.map(async (path) => (await import(`${FUNCTIONS}${path}`)).words),
);

/**
 * Returns all entries of one kind.
 * @throws Error if two files have a description for the same id.
 */
function gathered<Kind extends keyof Words>(kind: Kind): NonNullable<Words[Kind]> {
  const found: Record<string, unknown> = {};
  for (const words of all) {
    for (const [id, each] of Object.entries(words[kind] ?? {})) {
      if (id in found) throw new Error(`two files describe ${id}: keep one description`);
      found[id] = each;
    }
  }
  return found as NonNullable<Words[Kind]>;
}

/** The description of each operation, by operation id. */
export const OPERATIONS = gathered("operations");

/** The description of each schema, by schema id. */
export const SCHEMAS = gathered("schemas");

/** The description of each field, by schema id and field name. */
export const FIELDS = gathered("fields");
