import { fetchOnce } from "../fetch_once.ts";
import type { ChannelConfig } from "../channel/channel_config.ts";
import { beginningOf, channelClient, parsedJson, reasonOf } from "../channel/channel_http.ts";
import { causeInWords, quotesToken, withoutQueries } from "../channel/channel_words.ts";
import { replyOf } from "../channel/graph.ts";
import { isAboutAccount } from "../channel/outcome.ts";
import { MediaTrouble } from "./media_trouble.ts";

/** A file whose bytes are sent to the channel while the file is read. */
export interface MediaFile {
  type: string;
  filename: string;
  /** The length in bytes; null when the length is known only at the end. */
  length: number | null;
  bytes: AsyncIterable<Uint8Array>;
}

const MAX_ANSWER_BYTES = 65_536;

/**
 * Uploads a file to the media of a phone number and returns its media id, which is valid for 30
 * days. Only a few chunks of the file are in memory at a time.
 *
 * @param signal aborts the upload.
 * @throws MediaTrouble when the channel does not accept the file. Errors of reading the file are
 *   thrown unchanged.
 */
export async function uploadFile(
  { url }: ChannelConfig,
  { token, phoneNumberId }: { token: string; phoneNumberId: string },
  file: MediaFile,
  signal: AbortSignal,
): Promise<string> {
  const form = formOf(file);
  let response: Response;
  let beginning: { text: string };
  try {
    response = await fetchOnce(`${url}/${encodeURIComponent(phoneNumberId)}/media`, {
      method: "POST",
      headers: new Headers({
        Authorization: `Bearer ${token}`,
        "Content-Type": `multipart/form-data; boundary=${form.boundary}`,
      }),
      body: form.body,
      redirect: "manual",
      signal,
      client: channelClient(),
    });
    beginning = await beginningOf(response, MAX_ANSWER_BYTES);
  } catch (error) {
    if (form.reading.failure) throw form.reading.failure;
    const cause = causeInWords(withoutQueries(reasonOf(error)), token);
    throw new MediaTrouble(`The channel did not accept the media (${cause})`);
  }
  const reply = replyOf(response, parsedJson(beginning.text), token);
  if (reply.kind === "refused") {
    const { code, message, details } = reply.channel;
    throw new MediaTrouble(
      `The channel refuses the media (${code}: ${message}${details ? `; ${details}` : ""})`,
      { channel: reply.channel, isPermanent: !isAboutAccount(reply.channel) },
    );
  }
  if (reply.kind === "unavailable") {
    const { cause, retryAfter } = reply;
    throw new MediaTrouble(`The channel did not accept the media (${cause})`, { retryAfter });
  }
  const id = (reply.body as { id?: unknown } | null)?.id;
  if (typeof id !== "string" || !/^[\x21-\x7e]{1,255}$/.test(id) || quotesToken(id, token)) {
    throw new MediaTrouble("The channel accepted the media but answered without its id");
  }
  if (!form.reading.isWhole) {
    throw new MediaTrouble("The channel answered before it had the whole file");
  }
  return id;
}

/** How much of a file has been read. */
interface Reading {
  isWhole: boolean;
  failure?: unknown;
}

/**
 * The form data of an upload (RFC 7578). This code builds the form itself, so that the form can be
 * sent while the file is read.
 */
function formOf({ type, filename, length, bytes }: MediaFile) {
  const boundary = `form-${crypto.randomUUID()}`;
  const encoder = new TextEncoder();
  const field = (name: string, value: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  const before = encoder.encode(
    field("messaging_product", "whatsapp") + field("type", type) +
      `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${filename}"\r\n` +
      `Content-Type: ${type}\r\n\r\n`,
  );
  const after = encoder.encode(`\r\n--${boundary}--\r\n`);
  const reading: Reading = { isWhole: false };
  const stream = streamOf(reading, before, bytes, after);
  const body = length === null
    ? stream
    : new StreamedBlob(stream, before.length + length + after.length);
  return { boundary, body, reading };
}

function streamOf(
  reading: Reading,
  before: Uint8Array,
  bytes: AsyncIterable<Uint8Array>,
  after: Uint8Array,
): ReadableStream<Uint8Array> {
  async function* pieces() {
    yield before;
    yield* bytes;
    reading.isWhole = true;
    yield after;
  }
  const iterator = pieces();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await iterator.next();
        if (done) controller.close();
        else controller.enqueue(value);
      } catch (error) {
        reading.failure = error;
        controller.error(error);
      }
    },
    async cancel() {
      await iterator.return(undefined).catch(() => {});
    },
  }, { highWaterMark: 0 }); // nothing is read before the fetch needs it
}

/**
 * A body of a known length, with the bytes of a stream. Deno sends a plain stream with the chunked
 * encoding, even if the request has a Content-Length, and servers may refuse this encoding. If the
 * stream has fewer bytes than declared, Deno closes the connection.
 */
class StreamedBlob extends Blob {
  #bytes: ReadableStream<Uint8Array>;
  #length: number;

  constructor(bytes: ReadableStream<Uint8Array>, length: number) {
    super();
    this.#bytes = bytes;
    this.#length = length;
  }

  override get size() {
    return this.#length;
  }

  override stream() {
    return this.#bytes as ReturnType<Blob["stream"]>;
  }
}
