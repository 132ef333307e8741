// A folder that a build makes, as a whole or not at all.
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { MADE_OF } from "./site_sources.ts";

/**
 * Puts what a build writes in the place of what the folder had before, which stays there until the build is whole.
 *
 * @param what it is, for the sentence about a folder that has something else.
 * @param madeOf the state of the sources.
 * @param write writes everything into another folder, whose path it is given.
 * @throws Error when the folder has something else than an earlier build.
 */
export async function replaceFolder(
  out: string,
  what: string,
  madeOf: string,
  write: (unfinished: string) => Promise<void>,
) {
  refuseOtherFolder(out, what);
  const unfinished = `${out}.unfinished`;
  const replaced = `${out}.replaced`;
  // One that was killed may have left them.
  for (const folder of [unfinished, replaced]) await removeFolder(folder);
  try {
    await Deno.mkdir(unfinished, { recursive: true });
    await write(unfinished);
    await Deno.writeTextFile(join(unfinished, MADE_OF), madeOf);
    await Deno.mkdir(dirname(out), { recursive: true });
    await Deno.rename(out, replaced).catch(unlessMissing);
    await Deno.rename(unfinished, out);
  } finally {
    for (const folder of [unfinished, replaced]) await removeFolder(folder);
  }
}

/** What a folder had is gone after a build, so it may have nothing but an earlier one. */
function refuseOtherFolder(out: string, what: string) {
  if (!existsSync(out) || existsSync(join(out, MADE_OF))) return;
  if (Deno.statSync(out).isDirectory && Array.from(Deno.readDirSync(out)).length === 0) return;
  throw new Error(`${out} has something else than ${what}. Choose a new folder with --out.`);
}

async function removeFolder(path: string) {
  await Deno.remove(path, { recursive: true }).catch(unlessMissing);
}

function unlessMissing(error: unknown) {
  if (!(error instanceof Deno.errors.NotFound)) throw error;
}
