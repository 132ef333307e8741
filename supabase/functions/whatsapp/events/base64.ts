/**
 * Groups of three bytes become groups of four characters. A chunk has few enough bytes to be passed
 * as the arguments of one call.
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
