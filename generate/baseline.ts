import { root } from "../local/checkout.ts";
import { schemaFiles } from "../local/postgres/schema_files.ts";

/** The generated migration, which creates the whole database. */
export const BASELINE = "supabase/migrations/20261123000000_baseline.sql";

/** Returns the text of the baseline: all schema files, in order. */
export async function baseline(): Promise<string> {
  const parts = (await schemaFiles()).map(({ name, text }) => `-- schemas/${name}\n\n${text}`);
  return `-- Written by \`npm run generate\` from supabase/schemas/; do not edit.\n\n${
    parts.join("\n")
  }`;
}

/**
 * Whether the version is 1.0.0 or later. From 1.0.0 on, the baseline does not change. Each change
 * to a schema file then needs its own migration, which upgrades existing databases.
 */
export async function isReleased(): Promise<boolean> {
  const { version } = JSON.parse(await Deno.readTextFile(`${root}package.json`));
  return !version.startsWith("0.");
}
