// The shared part of `npm run site` and `npm run settings`: only one build runs at a time, with its
// packages installed.
import { join } from "node:path";
import { root } from "./checkout.ts";
import { readIfPresent } from "./files.ts";

export interface BuildInTurn {
  /** The folder of the checkout with packages that only this build needs, such as `site`. */
  folder: string;
  /** The file that this process runs. A new process can run the same file. */
  main: string;
  /** The name of the result, for the last sentence. */
  out: string;
  /** Whether an earlier build is still current. This check runs when it is this build's turn. */
  isDone(): boolean;
  build(): Promise<void>;
}

/**
 * Installs missing packages, and builds. If that fails, the process prints the reason and ends with
 * 1.
 */
export async function buildInTurn({ folder, main, out, isDone, build }: BuildInTurn) {
  const atStart = await installed(folder);
  // The operating system releases the lock even when a build is killed.
  const lock = await Deno.open(join(root, folder, ".lock"), { write: true, create: true })
    .catch((error: Error) => {
      console.error(`The folder ${folder}/ of the checkout cannot be written: ${error.message}`);
      return Deno.exit(1);
    });
  await lock.lock(true);

  try {
    if (isDone()) Deno.exit(0);
    await installPackages(folder);
    if (await installed(folder) !== atStart) {
      lock.close();
      return await startAgain(main);
    }
    const began = performance.now();
    await build();
    console.log(`Built ${out} in ${((performance.now() - began) / 1000).toFixed(1)} s.`);
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    Deno.exit(1);
  }
}

/** A text that identifies the installed packages of a folder; null when none are installed. */
async function installed(folder: string): Promise<string | null> {
  return await readIfPresent(join(root, folder, "node_modules", ".installed"));
}

/**
 * Builds in a new process, because Deno does not find packages that were installed after its start.
 */
async function startAgain(main: string): Promise<never> {
  const { code } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--allow-all", "--no-prompt", main, ...Deno.args],
    stdin: "null",
    stdout: "inherit",
    stderr: "inherit",
  }).spawn().status;
  Deno.exit(code);
}

async function installPackages(folder: string) {
  const { success } = await new Deno.Command("node", {
    args: [join(root, "local", "setup.mjs"), `--with-${folder}`],
    stdin: "null",
    stdout: "inherit",
    stderr: "inherit",
  }).spawn().status;
  if (!success) throw new Error(`The packages of ${folder}/ could not be installed.`);
}
