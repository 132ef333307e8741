import { Buffer } from "node:buffer";

// A form with a large file is read chunk by chunk, because Request.formData() would keep the whole
// file in memory.

/** The headers of one part of a form (RFC 7578). */
export interface PartHead {
  name: string;
  /** Only a part that contains a file has a file name. */
  filename?: string;
  /** The part's Content-Type. */
  type?: string;
}

/** The error of a body that is not multipart/form-data. */
export class MalformedForm extends Error {
  override name = "MalformedForm";
}

/** The maximum length of a part's headers, far more than any part needs. */
const MAX_HEAD_BYTES = 8_192;
const LINE = Buffer.from("\r\n");
const END_OF_HEAD = Buffer.from("\r\n\r\n");

/**
 * Reads a form, and passes the content of each part to the function that `onPart` returns for that
 * part. Only one network chunk and one part's headers are in memory.
 *
 * @throws MalformedForm, and the errors of these functions
 */
export async function readForm(
  request: Request,
  onPart: (head: PartHead) => (piece: Uint8Array) => void,
): Promise<void> {
  const boundary = boundaryOf(request.headers.get("Content-Type") ?? "");
  if (boundary === null || !request.body) throw new MalformedForm("It is not multipart/form-data");
  // Each delimiter except the first begins with a line break. `rest` begins with a line break, so
  // the first delimiter matches too.
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  let rest = LINE;
  let reading = "preamble" as "preamble" | "head" | "content" | "end";
  let read: (piece: Uint8Array) => void = () => {};

  /** Reads as much of `rest` as is possible before the next chunk arrives. */
  const advance = () => {
    while (reading !== "end") {
      if (reading === "head") {
        // After a delimiter, "--" ends the form. Otherwise a line break and a head follow.
        if (rest.length < 2) return;
        if (rest.subarray(0, 2).toString("latin1") === "--") {
          reading = "end";
          return;
        }
        const end = rest.indexOf(END_OF_HEAD);
        if (end < 0 && rest.length <= MAX_HEAD_BYTES) return;
        if (end < 0 || end > MAX_HEAD_BYTES) {
          throw new MalformedForm("The head of a part is too long");
        }
        read = onPart(headOf(rest.subarray(0, end).toString("utf8")));
        rest = rest.subarray(end + END_OF_HEAD.length);
        // If the content is empty, its delimiter follows immediately.
        reading = "content";
        continue;
      }
      const at = rest.indexOf(delimiter);
      // The end of the chunk may be the beginning of a delimiter, so the next chunk must be read
      // first.
      const certain = at >= 0 ? at : Math.max(0, rest.length - delimiter.length + 1);
      if (reading === "content" && certain > 0) read(rest.subarray(0, certain));
      rest = rest.subarray(at >= 0 ? at + delimiter.length : certain);
      if (at < 0) return;
      reading = "head";
    }
  };
  const reader = request.body.getReader();
  try {
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      rest = rest.length > 0 ? Buffer.concat([rest, piece.value]) : Buffer.from(piece.value);
      advance();
      // Text after the last delimiter is read and ignored.
      if (reading === "end") rest = Buffer.alloc(0);
    }
  } finally {
    // This call is not awaited: if the body was cloned, the call ends only when the clone ends too.
    reader.cancel().catch(() => {});
  }
  if (reading !== "end") throw new MalformedForm("It ends before its last boundary");
}

function boundaryOf(contentType: string): string | null {
  if (!/^multipart\/form-data\s*;/i.test(contentType)) return null;
  const [, quoted, bare] = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(contentType) ??
    [];
  return quoted ?? bare ?? null;
}

function headOf(text: string): PartHead {
  const headers = new Map(
    text.split("\r\n").filter((line) => line !== "").map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const disposition = headers.get("content-disposition") ?? "";
  const name = parameter(disposition, "name");
  if (!/^form-data\s*;/i.test(disposition) || name === undefined) {
    throw new MalformedForm("A part has no name");
  }
  return { name, filename: parameter(disposition, "filename"), type: headers.get("content-type") };
}

function parameter(disposition: string, name: string): string | undefined {
  return new RegExp(`;\\s*${name}="([^"]*)"`, "i").exec(disposition)?.[1];
}
