import assert from "node:assert/strict";
import { root } from "../../local/checkout.ts";

/**
 * The CLI's warnings about files that it skips or settings that it does not understand. The CLI
 * exits without an error in spite of these warnings.
 */
const WARNING = /\bwarn|does not recognize|skipping|no such file/i;

/**
 * Runs the Supabase CLI and returns its output. The test fails if the CLI fails or prints a
 * warning.
 */
export async function supabase(
  args: string[],
  { cwd = root, env = {} }: { cwd?: string; env?: Record<string, string> } = {},
): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command("node", {
    args: [
      `${root}tools/node_modules/supabase/dist/supabase.js`,
      ...args,
      ...["--agent", "no"],
    ],
    cwd,
    env: { NO_COLOR: "1", SUPABASE_TELEMETRY_DISABLED: "1", SUPABASE_YES: "1", ...env },
    stdin: "null",
  }).output();
  const printed = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
  assert.ok(success, printed);
  assert.doesNotMatch(printed, WARNING);
  return printed;
}
