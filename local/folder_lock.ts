import { delay } from "deno-std/async/delay.js";
import { readIfPresent } from "./files.ts";

/** Who works on a data folder. */
export interface Holder {
  pid: number;
  url: string;
  since: string;
}

/** A data folder is in use; the message says by whom. */
export class FolderInUse extends Error {
  override name = "FolderInUse";
}

/** A lock on a data folder. */
export interface FolderLock {
  /** Writes down who holds the folder, for whoever comes second. */
  note(holder: Holder): Promise<void>;
  release(): void;
}

/**
 * Takes a folder for this process. The operating system gives the lock back when the process ends,
 * however it ends, so a crash never locks anyone out.
 *
 * @throws FolderInUse when another process has it for longer than two seconds.
 */
export async function lockFolder(folder: string): Promise<FolderLock> {
  const path = `${folder}/lock`;
  const file = await Deno.open(path, { read: true, write: true, create: true, mode: 0o600 });
  // A stack that is just ending needs a moment to put its database to rest.
  for (let attempt = 0; !await file.tryLock(true); attempt++) {
    if (attempt === 40) {
      file.close();
      throw new FolderInUse(inUse(folder, await readIfPresent(path)));
    }
    await delay(50);
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
  const advice = "Stop that one first, or give this one a folder of its own with --data.";
  if (!written) {
    return `The data in ${folder} is in use by a stack that is just starting. ${advice}`;
  }
  const { pid, url, since } = JSON.parse(written) as Holder;
  return `The data in ${folder} is in use by the stack at ${url} (process ${pid}, since ${since}). ${advice}`;
}
