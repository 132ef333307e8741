import { startStack } from "../local/stack.ts";
import { root } from "../local/checkout.ts";

const target = new URL("../supabase/functions/_shared/database/types.ts", import.meta.url);

if (import.meta.main) {
  const folder = await Deno.makeTempDir({ prefix: "types-" });
  const stack = await startStack({
    folder,
    port: 0,
    fresh: true,
    seed: false,
    durable: false,
    progress: () => {},
  });
  await Deno.writeTextFile(target, await databaseTypes(stack.addresses.database_url));
  await stack.stop();
  await Deno.remove(folder, { recursive: true });
  console.log("Wrote supabase/functions/_shared/database/types.ts");
  Deno.exit(0);
}

/** The TypeScript types of the schema public, as the Supabase CLI writes them, formatted. */
export async function databaseTypes(databaseUrl: string): Promise<string> {
  const types = await output("node", [
    `${root}tools/node_modules/supabase/dist/supabase.js`,
    ...["gen", "types", "--lang", "typescript", "--schema", "public"],
    ...[`--remote=${databaseUrl}?sslmode=disable`, "--agent", "no"],
  ]);
  return await output(Deno.execPath(), ["fmt", "--ext", "ts", "-"], types);
}

async function output(program: string, args: string[], input = ""): Promise<string> {
  const child = new Deno.Command(program, {
    args,
    cwd: root,
    env: { SUPABASE_TELEMETRY_DISABLED: "1", SUPABASE_YES: "1" },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(input));
  await writer.close();
  const { success, stdout, stderr } = await child.output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout);
}
