import { ApiError } from "../errors.ts";
import { type JsonSurvey, surveyJson } from "./json_survey.ts";

// A caller without a valid key must not cost more than a caller with a valid key. So for an
// expensive body, the service checks the key in a separate round trip before it reads the rest of
// the body and parses it. An ordinary body is parsed first. The statement that writes the body's
// data then checks the key.

/** Options for reading a body. */
export interface BodyReading {
  /** How many JSON values the body may have. */
  maxValues: number;
  /** A body that takes longer than this to arrive is refused. */
  timeoutMs: number;
  /** Checks the key before an expensive body is read or parsed. */
  judge(): Promise<void>;
  /**
   * Refuses the body when too many large bodies are arriving. The body counts as arriving until
   * `arrived` resolves.
   */
  arriving?(arrived: Promise<void>): Promise<void>;
  /**
   * Waits until the body may be parsed. A parsed body takes much more memory than its bytes, so
   * only a few large bodies may be parsed at the same time.
   */
  turn?(): Promise<void>;
}

/**
 * The minimum transfer rate of a body: at least this many bytes per millisecond after the first
 * `graceMs`.
 */
export interface Pace {
  graceMs: number;
  bytesPerMs: number;
}

/**
 * How many JSON values a body may have, unless its operation has another limit. `custom_fields`
 * alone may have 8,200 values.
 */
export const MAX_VALUES = 10_000;

const MIB = 1024 * 1024;
/** How many bytes the body of a request may have. */
export const MAX_BODY_BYTES = MIB;
const ORDINARY_BYTES = 64 * 1024;
/** A body that arrives in more chunks than this is expensive, even if it is small. */
const ORDINARY_PIECES = 32;
const ORDINARY_VALUES = 250;
const ORDINARY_DIGITS = 1000;
/** `custom_fields` may have 32 levels of nested values. */
const MAX_DEPTH = 64;

const UTF8 = new TextDecoder("utf-8", { fatal: true });

/**
 * The text of a JSON body, and the facts that `surveyJson()` found in the text.
 *
 * @throws ApiError payload_too_large over 1 MiB; malformed_request when the body ends too early;
 *   request_timeout; invalid_request when the body is not UTF-8, or has too many values or levels;
 *   the errors of `judge`, `arriving` and `turn`.
 */
export async function readJsonText(
  request: Request,
  { maxValues, timeoutMs, judge, arriving, turn }: BodyReading,
): Promise<{ text: string; survey: JsonSurvey }> {
  const { bytes, isJudged } = await readBytes(request, {
    maxMib: MAX_BODY_BYTES / MIB,
    timeoutMs,
    judge,
    arriving,
  });
  const survey = surveyJson(bytes);
  if (survey.depth > MAX_DEPTH) {
    throw refused(`is nested too deeply; it may have at most ${MAX_DEPTH} levels`);
  }
  if (survey.values > maxValues) {
    throw refused(`has too many values; it may have at most ${maxValues}, including nested ones`);
  }
  const isOrdinary = survey.values <= ORDINARY_VALUES && survey.digits <= ORDINARY_DIGITS;
  if (!isOrdinary && !isJudged) await judge();
  await turn?.();
  try {
    return { text: UTF8.decode(bytes), survey };
  } catch {
    throw refused("is not valid UTF-8");
  }
}

/** The error about a body as a whole. */
export function refused(whatIsWrong: string): ApiError {
  return new ApiError("invalid_request", `The request body ${whatIsWrong}`);
}

/**
 * Reads the bytes of a body, and reports whether the key was checked while the bytes arrived.
 *
 * @param pace the minimum transfer rate. A slower body is refused. If undefined, only `timeoutMs`
 *   applies.
 * @throws ApiError payload_too_large; malformed_request when the body ends too early;
 *   request_timeout; the errors of `judge` and `arriving`.
 */
export async function readBytes(
  request: Request,
  { maxMib, timeoutMs, judge, arriving, pace }: Omit<BodyReading, "maxValues" | "turn"> & {
    maxMib: number;
    pace?: Pace;
  },
): Promise<{ bytes: Uint8Array; isJudged: boolean }> {
  const maxBytes = maxMib * MIB;
  const tooLarge = () =>
    new ApiError("payload_too_large", `The request body is larger than ${maxMib} MiB`);
  const declared = Number(request.headers.get("Content-Length"));
  if (declared > maxBytes) throw tooLarge();
  const reader = request.body?.getReader();
  if (!reader) return { bytes: new Uint8Array(), isJudged: false };

  const began = performance.now();
  let length = 0;
  let isLate = false;
  const msLeft = () => {
    const ofPace = pace ? pace.graceMs + length / pace.bytesPerMs : Infinity;
    return began + Math.min(timeoutMs, ofPace) - performance.now();
  };
  const endWhenLate = () => {
    timer = setTimeout(() => {
      if (msLeft() > 0) return endWhenLate(); // more bytes have arrived
      isLate = true;
      reader.cancel().catch(() => {}); // this ends the loop, even while it waits for a chunk
    }, msLeft());
  };
  let timer: ReturnType<typeof setTimeout> | undefined;
  endWhenLate();
  const arrived = Promise.withResolvers<void>();
  try {
    let isJudged = declared > ORDINARY_BYTES;
    if (isJudged) {
      await judge();
      await arriving?.(arrived.promise);
    }
    const pieces: Uint8Array[] = [];
    for (;;) {
      const { done, value } = await nextPiece(reader);
      if (isLate) throw late();
      if (done) return { bytes: joined(pieces, length), isJudged };
      length += value.length;
      // The bytes are counted while they arrive, because a body without a Content-Length must not
      // fill the memory before it is refused. Hono's body-limit is not used: it copies the request
      // and the server's abort signal.
      if (length > maxBytes) throw tooLarge();
      pieces.push(value);
      const isOrdinary = length <= ORDINARY_BYTES && pieces.length <= ORDINARY_PIECES;
      if (!isOrdinary && !isJudged) {
        await judge();
        await arriving?.(arrived.promise);
        isJudged = true;
      }
    }
  } catch (error) {
    reader.cancel().catch(() => {}); // the rest is not read
    throw error;
  } finally {
    arrived.resolve();
    clearTimeout(timer);
  }
}

type Reader = ReadableStreamDefaultReader<Uint8Array>;

/**
 * The next chunk of a body.
 *
 * @throws ApiError malformed_request when the body ends too early.
 */
export async function nextPiece(reader: Pick<Reader, "read">) {
  try {
    return await reader.read();
  } catch {
    // The connection ended, or the body's framing is invalid. If the caller has disconnected, no
    // one reads this response.
    throw new ApiError(
      "malformed_request",
      "The request body ended too early; send the request again",
      { headers: { Connection: "close" } },
    );
  }
}

/** The error about a body that does not arrive in time. */
export function late(): ApiError {
  return new ApiError("request_timeout", "The request body did not arrive in time; send it again", {
    headers: { Connection: "close" },
  });
}

function joined(pieces: Uint8Array[], length: number): Uint8Array {
  if (pieces.length === 1) return pieces[0];
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}
