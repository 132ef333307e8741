import type { ChannelConfig } from "../channel/channel_config.ts";
import { reasonOf } from "../channel/channel_http.ts";
import { causeInWords, withoutQueries } from "../channel/channel_words.ts";
import { askForMedium, download, type MediumOfAccount, type NoMedium } from "./download.ts";
import { MAX_BYTES, WholeBytes } from "./whole_bytes.ts";

/** How long reading a media file may take, in milliseconds. */
export interface MediaPatience {
  /** Until the first byte. */
  firstByteMs: number;
  wholeMs: number;
}

type Piece = Uint8Array;

/** A media file that is being downloaded. */
export interface OpenMedium {
  kind: "open";
  /** The media file's type, as the channel reports it. */
  type: string | null;
  /**
   * The length in bytes; null when neither the channel nor the media file's host reports the
   * length.
   */
  length: number | null;
  /**
   * The first bytes of the stream. If the media file has no further bytes, the file has already
   * been checked.
   */
  beginning: Piece;
  /**
   * All bytes. The stream delivers the last chunk only if the bytes match the media file's length
   * and hash. Otherwise the stream fails. Cancelling the stream ends the download.
   */
  stream: ReadableStream<Piece>;
  /** Resolves when the download has ended; `failure` is the reason why the stream failed. */
  ended: Promise<{ bytes: number; failure?: string }>;
}

/**
 * How many bytes are read at a time. If the runtime chose this size, memory use would grow twice as
 * much before garbage collection.
 */
const PIECE = 16_384;

/** Media files of at most this length are checked before the response to the caller begins. */
const SHORT = 16_384;

/**
 * Opens a media file of the channel: requests its URL and reads its first bytes. The rest is read
 * only as fast as the stream is read. Only the channel and its media hosts receive the token.
 *
 * @param sha256 the media file's SHA-256 hash in hexadecimal digits; null when the hash is unknown.
 */
export async function openMedium(
  channel: ChannelConfig,
  medium: MediumOfAccount,
  sha256: string | null,
  { firstByteMs, wholeMs }: MediaPatience,
): Promise<OpenMedium | NoMedium> {
  const ending = new AbortController();
  const timers = [
    setTimeout(() => ending.abort(late("The first byte did not come in time")), firstByteMs),
    setTimeout(() => ending.abort(late("The medium did not come in time")), wholeMs),
  ];
  const end = () => {
    timers.forEach(clearTimeout);
    ending.abort();
  };
  const without = (none: NoMedium): NoMedium => {
    end();
    return none;
  };
  const inWords = (error: unknown) => causeInWords(withoutQueries(reasonOf(error)), medium.token);
  try {
    const facts = await askForMedium(channel, medium, firstByteMs);
    if (facts.kind !== "known") return without(facts);
    if ((facts.size ?? 0) > MAX_BYTES) return without(TOO_LARGE);
    const patience = { signal: ending.signal, timeoutMs: firstByteMs };
    const answer = await download(channel, medium, facts, patience);
    if (answer.kind !== "opened") return without(answer);
    const length = lengthOf(answer.response.headers) ?? facts.size;
    if ((length ?? 0) > MAX_BYTES) return without(TOO_LARGE);

    const bytes = new WholeBytes({ length, sha256: sha256 ?? facts.sha256 });
    const reader = (answer.response.body ?? new Blob().stream()).getReader({ mode: "byob" });
    // If the signal aborts a request just after its response has arrived, the connection does not
    // always close. So the reader is cancelled too.
    ending.signal.addEventListener("abort", () => void reader.cancel().catch(() => {}));
    /** The next chunk, or undefined after the last chunk. */
    const read = async () => {
      const { done, value } = await reader.read(new Uint8Array(PIECE));
      if (done) bytes.end();
      else bytes.take(value);
      return done ? undefined : value;
    };
    const pieces: Piece[] = [];
    let isWhole = false;
    while (!isWhole && bytes.count <= SHORT) {
      const piece = await read();
      clearTimeout(timers[0]);
      if (piece) pieces.push(piece);
      else isWhole = true;
    }
    const beginning = joined(pieces);
    const { stream, ended } = streamOf(
      beginning,
      isWhole ? () => Promise.resolve(undefined) : read,
      ending.signal,
    );
    return {
      ...{ kind: "open", type: facts.type, length: isWhole ? bytes.count : length },
      ...{ beginning, stream },
      ended: ended.then((error) => {
        end();
        const failure = error === undefined ? undefined : inWords(error);
        return { bytes: bytes.count, ...(failure !== undefined && { failure }) };
      }),
    };
  } catch (error) {
    return without({ kind: "unavailable", cause: inWords(error) });
  }
}

const TOO_LARGE: NoMedium = {
  kind: "unavailable",
  cause: `The medium is larger than ${MAX_BYTES / 2 ** 20} MB`,
};

function late(words: string): DOMException {
  return new DOMException(words, "TimeoutError");
}

function lengthOf(headers: Headers): number | null {
  const length = headers.get("Content-Length") ?? "";
  return /^\d{1,15}$/.test(length) ? Number(length) : null;
}

function joined(pieces: Piece[]): Piece {
  const all = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}

/**
 * The stream of a media file. It delivers each chunk only after the next chunk has arrived, so the
 * last chunk waits until `read` has checked the whole media file.
 *
 * @param read returns undefined after the last chunk, and throws if the media file is not complete.
 * @param signal aborts the stream, even if no one reads it.
 * @returns the stream, and a promise `ended`: it resolves to undefined after the last chunk, or to
 *   the reason why the stream failed.
 */
function streamOf(beginning: Piece, read: () => Promise<Piece | undefined>, signal: AbortSignal) {
  const { promise: ended, resolve } = Promise.withResolvers<unknown>();
  let held = beginning;
  const stream = new ReadableStream<Piece>({
    start(controller) {
      const breakOff = () => {
        controller.error(signal.reason);
        resolve(signal.reason);
      };
      signal.addEventListener("abort", breakOff);
      ended.then(() => signal.removeEventListener("abort", breakOff));
    },
    async pull(controller) {
      try {
        const next = await read();
        if (signal.aborted) return;
        controller.enqueue(held);
        if (next) held = next;
        else {
          controller.close();
          resolve(undefined);
        }
      } catch (error) {
        controller.error(error);
        resolve(error);
      }
    },
    cancel: () => resolve(new Error("The caller hung up")),
  }, { highWaterMark: 0 }); // nothing is read before the caller needs it
  return { stream, ended };
}
