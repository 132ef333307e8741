import { ApiError, type FieldError, invalidRequest } from "../errors.ts";
import { late, nextPiece } from "./body.ts";

// A request body that is a file. Its bytes are passed on while they arrive, so only a few chunks
// are in memory at a time.

/** The content type that the request declares for a file: `image/png`, without parameters. */
export function namedType(headers: Headers): string {
  const [type] = (headers.get("Content-Type") ?? "").split(";", 1);
  return type.trim().toLowerCase();
}

/**
 * The length that the request declares, in bytes; null when it declares none.
 * @throws ApiError payload_too_large when the length is over the limit.
 */
export function declaredLength(headers: Headers, limit: FileLimit): number | null {
  const text = headers.get("Content-Length") ?? "";
  const length = /^\d{1,15}$/.test(text) ? Number(text) : null;
  if (length !== null && length > limit.maxBytes) throw tooLarge(limit);
  return length;
}

/** The maximum size of a file of one type. */
export interface FileLimit {
  type: string;
  maxBytes: number;
}

/** The error about a file that is too large for its type. */
export function tooLarge({ type, maxBytes }: FileLimit): ApiError {
  return new ApiError(
    "payload_too_large",
    `The file is larger than the ${maxBytes / 2 ** 20} MB that a file of the type ${type} may have`,
    { headers: { Connection: "close" } },
  );
}

/** The error about a file that does not match its content type. */
export function wrongFile(message: string): ApiError {
  return invalidRequest([{ field: "Content-Type", message } satisfies FieldError]);
}

/**
 * The bytes of a body, in chunks. If reading stops early, the rest of the body is not read.
 *
 * @param timeoutMs a body that takes longer than this to arrive is refused.
 * @throws ApiError malformed_request when the body ends too early; request_timeout.
 */
export async function* arriving(
  { body }: Request,
  timeoutMs: number,
): AsyncGenerator<Uint8Array> {
  if (!body) return;
  const { read, cancel } = readerOf(body);
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    cancel(); // this ends the loop, even while it waits for a chunk
  }, timeoutMs);
  try {
    for (;;) {
      const { done, value } = await nextPiece({ read });
      if (isLate) throw late();
      if (done) return;
      yield value;
    }
  } finally {
    clearTimeout(timer);
    cancel();
  }
}

/**
 * How many bytes are read at a time. If the runtime chose this size, memory use would grow twice as
 * much before garbage collection.
 */
const PIECE = 16_384;

/** Reads chunks of `PIECE` bytes, if the stream supports this. */
function readerOf(body: NonNullable<Request["body"]>) {
  try {
    const reader = body.getReader({ mode: "byob" });
    return {
      read: () => reader.read(new Uint8Array(PIECE)),
      cancel: () => void reader.cancel().catch(() => {}),
    };
  } catch {
    const reader = body.getReader();
    return { read: () => reader.read(), cancel: () => void reader.cancel().catch(() => {}) };
  }
}

/**
 * Reads the beginning of a file: at least `atLeast` bytes, or the whole file if it is shorter.
 * @returns the beginning, and a generator of all bytes of the file.
 */
export async function withBeginning(
  pieces: AsyncGenerator<Uint8Array>,
  atLeast: number,
): Promise<{ beginning: Uint8Array; bytes: AsyncGenerator<Uint8Array> }> {
  const first: Uint8Array[] = [];
  let length = 0;
  while (length < atLeast) {
    const { done, value } = await pieces.next();
    if (done) break;
    first.push(value);
    length += value.length;
  }
  const beginning = new Uint8Array(await new Blob(first as BlobPart[]).arrayBuffer());
  const bytes = async function* () {
    try {
      yield beginning;
      yield* pieces;
    } finally {
      await pieces.return(undefined);
    }
  };
  return { beginning, bytes: bytes() };
}
