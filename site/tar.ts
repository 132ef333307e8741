const BLOCK = 512;

/**
 * Reads one file from a compressed tar archive, as npm creates it.
 * @returns null if the archive does not contain the file.
 */
export async function readTarFile(archive: string, wanted: string): Promise<Uint8Array | null> {
  using file = await Deno.open(archive);
  const unpacked = file.readable.pipeThrough(new DecompressionStream("gzip"));
  const bytes = new Uint8Array(await new Response(unpacked).arrayBuffer());
  for (let at = 0; at + BLOCK <= bytes.length;) {
    const name = textAt(bytes, at, 100);
    const size = parseInt(textAt(bytes, at + 124, 12), 8) || 0;
    const content = at + BLOCK;
    if (name === wanted) return bytes.subarray(content, content + size);
    at = content + Math.ceil(size / BLOCK) * BLOCK;
  }
  return null;
}

/** Reads a string of at most this many bytes. A zero byte ends the string earlier. */
function textAt(bytes: Uint8Array, at: number, length: number): string {
  return new TextDecoder().decode(bytes.subarray(at, at + length)).split("\0")[0].trim();
}
