// The client package as npm installs it, and the runtimes for programs that use the package.
import { dirname } from "node:path";
import { root } from "../../local/checkout.ts";

/** The name of the client package. */
export const CLIENT = "@crm-messaging/client";

/**
 * The Bun executable. npm's link to the executable is only a text file if the install scripts did
 * not run.
 */
export const BUN = bun();

function bun(): string {
  const modules = `${root}tools/node_modules`;
  const { bin } = JSON.parse(Deno.readTextFileSync(`${modules}/bun/package.json`));
  const linked = `${modules}/bun/${bin.bun}`;
  if (Deno.statSync(linked).size > 1_000_000) return linked;
  const [{ name }] = Deno.readDirSync(`${modules}/@oven`);
  return `${modules}/@oven/${name}/bin/bun`;
}

const TSC = `${root}tools/node_modules/typescript/bin/tsc`;

let building: Promise<string> | undefined;

/**
 * A folder in which programs for Node and Bun find the client as a package. The first test worker
 * of a run creates the folder next to the tests' stack. The types are not checked here, because
 * `npm run check` checks them.
 */
export function folderWithClient(): Promise<string> {
  return building ??= build(`${dirname(Deno.env.get("STACK_FILE")!)}/with-client`);
}

async function build(folder: string): Promise<string> {
  const made = `${folder}-${crypto.randomUUID()}`;
  const home = `${made}/node_modules/${CLIENT}`;
  await Deno.mkdir(home, { recursive: true });
  for (const name of ["package.json", "README.md", "LICENSE"]) {
    await Deno.copyFile(`${root}client/${name}`, `${home}/${name}`);
  }
  await ran("node", [TSC, "-p", `${root}client`, "--noCheck", "--outDir", `${home}/dist`]);
  // If another worker was faster, that worker's folder is used.
  await Deno.rename(made, folder).catch(() => Deno.remove(made, { recursive: true }));
  return folder;
}

/**
 * Runs a program and returns its output.
 * @throws Error with the output if the program fails.
 */
export async function ran(
  program: string,
  args: string[],
  { cwd = root, env }: { cwd?: string; env?: Record<string, string> } = {},
): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(program, {
    args,
    cwd,
    env,
    stdin: "null",
  }).output();
  const [printed, errors] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  if (!success) throw new Error(`${program} failed:\n${printed}\n${errors}`);
  return printed;
}
