/** A file's text, or null when the file does not exist. */
export async function readIfPresent(path: string): Promise<string | null> {
  try {
    return await Deno.readTextFile(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}

/** Writes JSON to a file that only its owner can read. A reader never sees a half-written file. */
export async function writePrivately(path: string, value: unknown) {
  const unfinished = `${path}.unfinished`;
  await Deno.remove(unfinished).catch(() => {}); // a killed process may have left this file, with other permissions
  await Deno.writeTextFile(unfinished, JSON.stringify(value, null, 2) + "\n", { mode: 0o600 });
  await Deno.rename(unfinished, path);
}
