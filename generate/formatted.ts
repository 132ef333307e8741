import { root } from "../local/checkout.ts";

/** Returns the text, formatted with `deno fmt`. */
export async function formatted(extension: "ts" | "json", text: string): Promise<string> {
  return await output(Deno.execPath(), ["fmt", "--ext", extension, "-"], text);
}

/**
 * Runs a program in the checkout and returns its output.
 * @throws Error with the program's stderr output if the program fails.
 */
export async function output(program: string, args: string[], input = ""): Promise<string> {
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
