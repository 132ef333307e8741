import { root } from "../local/checkout.ts";
import { formatted, output } from "./formatted.ts";

/**
 * Returns the module with the TypeScript types of the schema `public`, which the Supabase CLI
 * generates.
 */
export async function databaseTypes(databaseUrl: string): Promise<string> {
  const types = await output("node", [
    `${root}tools/node_modules/supabase/dist/supabase.js`,
    ...["gen", "types", "--lang", "typescript", "--schema", "public"],
    ...[`--remote=${databaseUrl}?sslmode=disable`, "--agent", "no"],
  ]);
  const head = "// Written by `npm run generate` from the schema files; do not edit.\n\n";
  return await formatted("ts", head + types);
}
