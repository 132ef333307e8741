// The shared part of `npm run site` and `npm run settings`. It installs a build's packages and runs
// only one build at a time.
import { join } from "node:path";
import { root } from "./checkout.ts";
import { readIfPresent } from "./files.ts";

export interface BuildInTurn {
  /**
   * A folder of the checkout, such as `site`. Only this build needs the packages of this folder.
   */
  folder: string;
  /** The file that this process runs, so that a new process can run the same file. */
  main: string;
  /** The name of the build's result, for the last printed sentence. */
  out: string;
  /**
   * Whether an earlier build is still current. This is called only while no other build of the
   * folder runs.
   */
  isDone(): boolean;
  build(): Promise<void>;
}

/**
 * Installs missing packages, and builds. On failure, the process prints the reason and exits with
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

/** A string that identifies a folder's installed packages; null when none are installed. */
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
