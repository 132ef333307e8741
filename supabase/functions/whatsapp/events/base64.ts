/**
 * The number of bytes in a chunk. Base64 encodes three bytes as four characters. So the number is a
 * multiple of three, and only the last chunk can have padding. `String.fromCharCode` accepts this
 * many arguments.
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
