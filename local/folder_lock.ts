import { poll } from "deno-std/async/poll.js";
import { readIfPresent } from "./files.ts";

/** Describes the stack that uses a data folder. */
export interface Holder {
  pid: number;
  url: string;
  since: string;
}

/**
 * The error when another stack uses the data folder. The error message names that stack and
 * suggests a solution.
 */
export class FolderInUse extends Error {
  override name = "FolderInUse";
}

/** A lock on a data folder. */
export interface FolderLock {
  /** Records the holder in the folder, for the error message of a second start. */
  note(holder: Holder): Promise<void>;
  release(): void;
}

/** How long a start waits for an earlier stack to stop its database. */
const PATIENCE_MS = 2_000;

/**
 * Locks a folder for this process. The operating system releases the lock when the process ends or
 * crashes, so no lock is left over.
 *
 * @throws FolderInUse when another process still has the lock after two seconds.
 */
export async function lockFolder(folder: string): Promise<FolderLock> {
  const path = `${folder}/lock`;
  const file = await Deno.open(path, { read: true, write: true, create: true, mode: 0o600 });
  const signal = AbortSignal.timeout(PATIENCE_MS);
  try {
    await poll(() => file.tryLock(true), Boolean, { interval: 50, signal });
  } catch (error) {
    file.close();
    throw signal.aborted ? new FolderInUse(inUse(folder, await readIfPresent(path))) : error;
  }
  await file.truncate();
  return {
    async note(holder) {
      await file.truncate();
      await file.seek(0, Deno.SeekMode.Start);
      await file.write(new TextEncoder().encode(JSON.stringify(holder)));
    },
    release: () => file.close(),
  };
}

function inUse(folder: string, written: string | null): string {
  const advice = "Stop that stack first, or choose another folder with --data.";
  if (!written) {
    return `The data in ${folder} is in use by a stack that is starting. ${advice}`;
  }
  const { pid, url, since } = JSON.parse(written) as Holder;
  return `The data in ${folder} is in use by the stack at ${url} (process ${pid}, since ${since}). ${advice}`;
}
