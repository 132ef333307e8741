import { ApiError } from "../errors.ts";
import { type JsonSurvey, surveyJson } from "./json_survey.ts";

// A caller without a valid key must not cost more than one with it. So a body that is expensive is neither
// read on nor parsed before the key is judged, which then takes a round trip of its own. An ordinary body is
// parsed first, and its write judges the key.

/** How a body is read. */
export interface BodyReading {
  /** How many JSON values it may have. */
  maxValues: number;
  /** A body that has not arrived by then is given up. */
  timeoutMs: number;
  /** Judges the key before the work on an expensive body. */
  judge(): Promise<void>;
}

/** How many JSON values a body may have, unless its operation says otherwise. `custom_fields` may have 8,200. */
export const MAX_VALUES = 10_000;

const MIB = 1024 * 1024;
const ORDINARY_BYTES = 64 * 1024;
/** A body that arrives in more pieces costs more than its bytes. */
const ORDINARY_PIECES = 32;
const ORDINARY_VALUES = 250;
const ORDINARY_DIGITS = 1000;
/** `custom_fields` may have 32 levels below it. */
const MAX_DEPTH = 64;

const UTF8 = new TextDecoder("utf-8", { fatal: true });

/**
 * The text of a JSON body, and what a survey tells of it.
 *
 * @throws ApiError payload_too_large over 1 MiB; malformed_request when the body breaks off; request_timeout;
 *   invalid_request when it is no UTF-8, or has too many values or levels; whatever `judge` throws.
 */
export async function readJsonText(
  request: Request,
  { maxValues, timeoutMs, judge }: BodyReading,
): Promise<{ text: string; survey: JsonSurvey }> {
  const { bytes, isJudged } = await readBytes(request, { maxMib: 1, timeoutMs, judge });
  const survey = surveyJson(bytes);
  if (survey.depth > MAX_DEPTH) {
    throw refused(`is nested too deeply; it may have ${MAX_DEPTH} levels`);
  }
  if (survey.values > maxValues) {
    throw refused(`has too many values; it may have ${maxValues}, with those within others`);
  }
  const isOrdinary = survey.values <= ORDINARY_VALUES && survey.digits <= ORDINARY_DIGITS;
  if (!isOrdinary && !isJudged) await judge();
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
 * The bytes of a body as they arrived, and whether the key was judged meanwhile.
 *
 * @throws ApiError payload_too_large; malformed_request when the body breaks off; request_timeout; whatever `judge`
 *   throws.
 */
export async function readBytes(
  request: Request,
  { maxMib, timeoutMs, judge }: Omit<BodyReading, "maxValues"> & { maxMib: number },
): Promise<{ bytes: Uint8Array; isJudged: boolean }> {
  const maxBytes = maxMib * MIB;
  const tooLarge = () =>
    new ApiError("payload_too_large", `The request body is larger than ${maxMib} MiB`);
  const declared = Number(request.headers.get("Content-Length"));
  if (declared > maxBytes) throw tooLarge();
  const reader = request.body?.getReader();
  if (!reader) return { bytes: new Uint8Array(), isJudged: false };

  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    reader.cancel().catch(() => {}); // ends the reading, also of a piece that is awaited
  }, timeoutMs);
  try {
    let isJudged = declared > ORDINARY_BYTES;
    if (isJudged) await judge();
    const pieces: Uint8Array[] = [];
    let length = 0;
    for (;;) {
      const { done, value } = await nextPiece(reader);
      if (isLate) throw late();
      if (done) return { bytes: joined(pieces, length), isJudged };
      length += value.length;
      // Counted while it arrives: a body without a Content-Length must not fill the memory first. Not by
      // Hono's body-limit, which copies the request and the server's abort signal with it.
      if (length > maxBytes) throw tooLarge();
      pieces.push(value);
      const isOrdinary = length <= ORDINARY_BYTES && pieces.length <= ORDINARY_PIECES;
      if (!isOrdinary && !isJudged) {
        await judge();
        isJudged = true;
      }
    }
  } catch (error) {
    reader.cancel().catch(() => {}); // the rest is not read
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

type Reader = ReadableStreamDefaultReader<Uint8Array>;

async function nextPiece(reader: Reader) {
  try {
    return await reader.read();
  } catch {
    // The connection ended, or its framing is broken. The caller may be gone; then nobody reads this.
    throw new ApiError("malformed_request", "The request body broke off; send the request again", {
      headers: { Connection: "close" },
    });
  }
}

function late(): ApiError {
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
