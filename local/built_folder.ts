// A folder that contains either the complete new build or the previous content, and never a part of
// a build.
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { MADE_OF } from "./site_sources.ts";

/**
 * Replaces the previous content of the folder with the build, once the build is complete.
 *
 * @param what the name of the content, for the error about a folder with other files.
 * @param madeOf the kind of the build, and a string that identifies the state of the sources. Both
 * are stored with the build.
 * @param write writes all files into the folder whose path it receives.
 * @throws Error when the folder has files that are not from an earlier build of the same kind.
 */
export async function replaceFolder(
  out: string,
  what: string,
  madeOf: string,
  write: (unfinished: string) => Promise<void>,
) {
  refuseOtherFolder(out, what, madeOf);
  const unfinished = `${out}.unfinished`;
  const replaced = `${out}.replaced`;
  // An earlier build that was killed may have left these folders.
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

/**
 * A build deletes the folder's content, so the folder may contain only an earlier build of the same
 * kind.
 */
function refuseOtherFolder(out: string, what: string, madeOf: string) {
  if (!existsSync(out) || isSameKind(join(out, MADE_OF), madeOf)) return;
  if (Deno.statSync(out).isDirectory && Array.from(Deno.readDirSync(out)).length === 0) return;
  throw new Error(`${out} contains something other than ${what}. Choose a new folder with --out.`);
}

/** Earlier versions stored no kind, so a build without a kind may be of any kind. */
function isSameKind(file: string, madeOf: string): boolean {
  if (!existsSync(file)) return false;
  const [kind, state] = Deno.readTextFileSync(file).split(" ");
  return state === undefined || kind === madeOf.split(" ")[0];
}

async function removeFolder(path: string) {
  await Deno.remove(path, { recursive: true }).catch(unlessMissing);
}

function unlessMissing(error: unknown) {
  if (!(error instanceof Deno.errors.NotFound)) throw error;
}
