/**
 * The number of bytes in a chunk. It is a multiple of three, because base64 encodes three bytes as
 * four characters. The bytes of a chunk are few enough to be the arguments of one call.
 */
const PIECE = 3 * 8192;

/** Encodes bytes in base64, in the form that Postgres decodes. */
export function base64(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += PIECE) {
    text += btoa(String.fromCharCode(...bytes.subarray(at, at + PIECE)));
  }
  return text;
}
