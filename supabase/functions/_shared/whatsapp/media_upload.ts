import { fetchOnce } from "../fetch_once.ts";
import type { ChannelConfig } from "./channel_config.ts";
import { beginningOf, channelClient, parsedJson, reasonOf } from "./channel_http.ts";
import { causeInWords, quotesToken, withoutQueries } from "./channel_words.ts";
import { replyOf } from "./graph.ts";
import { MediaTrouble } from "./media_trouble.ts";

/** A file that goes to the channel as it is read. */
export interface MediaFile {
  type: string;
  filename: string;
  /** In bytes; null when it is not known before the end. */
  length: number | null;
  bytes: AsyncIterable<Uint8Array>;
}

const MAX_ANSWER_BYTES = 65_536;

/**
 * Uploads a file to the media of a phone number and returns its media id, which lives for 30 days. No more than
 * a few pieces of the file are in memory.
 *
 * @param signal ends the upload.
 * @throws MediaTrouble when the channel does not take it. What the file throws while it is read is thrown on.
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
    throw new MediaTrouble(`The channel did not take the media (${cause})`);
  }
  const reply = replyOf(response, parsedJson(beginning.text), token);
  if (reply.kind === "refused") {
    const { code, message, details } = reply.channel;
    throw new MediaTrouble(
      `The channel refuses the media (${code}: ${message}${details ? `; ${details}` : ""})`,
      { channel: reply.channel },
    );
  }
  if (reply.kind === "unavailable") {
    throw new MediaTrouble(`The channel did not take the media (${reply.cause})`);
  }
  const id = (reply.body as { id?: unknown } | null)?.id;
  if (typeof id !== "string" || !/^[\x21-\x7e]{1,255}$/.test(id) || quotesToken(id, token)) {
    throw new MediaTrouble("The channel took the media and answered without its id");
  }
  if (!form.reading.isWhole) {
    throw new MediaTrouble("The channel answered before it had the whole of the media");
  }
  return id;
}

/** How far a file has been read. */
interface Reading {
  isWhole: boolean;
  failure?: unknown;
}

/** The form of an upload (RFC 7578), made by hand so that it can be sent while the file is read. */
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
  }, { highWaterMark: 0 }); // nothing is read ahead
}

/**
 * A body of a known length whose bytes come from a stream. Deno sends any other stream in chunks, whatever
 * Content-Length its request names, and servers of uploads may refuse chunks. It breaks the connection when
 * the stream has fewer bytes.
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
