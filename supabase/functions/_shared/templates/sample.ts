import { fetchOnce } from "../fetch_once.ts";
import { channelClient, reasonOf } from "../channel/channel_http.ts";
import type { ChannelConfig } from "../channel/channel_config.ts";
import { fileName } from "./file_name.ts";
import { MediaTrouble } from "./media_trouble.ts";
import { isTypeOf, MAX_BYTES, type MediaFormat, typeOfName } from "./media_types.ts";
import { isMediaAddress } from "../channel/media_hosts.ts";

/** The sample of a media header. */
export interface Sample {
  /** The signed URL of the sample. */
  url: string;
  /** The format of the header. */
  format: MediaFormat;
  templateName: string;
}

/** A sample that is being read. */
export interface OpenSample {
  type: string;
  /** The length in bytes; null when the server does not report the length. */
  length: number | null;
  filename: string;
  /**
   * The bytes of the sample. Reading throws MediaTrouble when there are too many bytes or the
   * stream ends early.
   */
  bytes: AsyncIterable<Uint8Array>;
}

const MAX_REDIRECTS = 3;

/**
 * Opens a sample at its URL, without the token. The fetch follows at most three redirects, and only
 * to hosts that may serve samples.
 *
 * @param signal aborts the download.
 * @throws MediaTrouble when the sample cannot be fetched, is too large, or has a type that its
 *   header format does not allow.
 */
export async function openSample(
  channel: ChannelConfig,
  { url: address, format, templateName }: Sample,
  signal: AbortSignal,
): Promise<OpenSample> {
  const [response, url] = await answerOf(channel, address, signal);
  const { status, headers } = response;
  if ([401, 403, 404, 410].includes(status)) {
    const message = `The address of the template's sample has expired (HTTP ${status})`;
    throw new MediaTrouble(message, { isExpired: true });
  }
  if (status !== 200) throw new MediaTrouble(`The host of the sample answers HTTP ${status}`);
  if (!/^(identity)?$/i.test(headers.get("Content-Encoding") ?? "")) {
    throw new MediaTrouble(
      "The host compresses the sample, although the request asked for the plain file",
    );
  }
  const length = lengthOf(headers);
  const type = typeOf(headers, url, format);
  if (length !== null && length > MAX_BYTES[format]) throw tooLarge(format);
  if (length === 0) throw isEmpty();
  return {
    type,
    length,
    filename: fileName({
      format,
      type,
      disposition: headers.get("Content-Disposition"),
      url,
      templateName,
    }),
    bytes: bytesOf(response, format, length),
  };
}

/** The first response that is not a redirect, with its URL. */
async function answerOf(
  channel: ChannelConfig,
  address: string,
  signal: AbortSignal,
): Promise<[Response, URL]> {
  let url = urlOfSample(channel, address);
  for (let redirects = 0;; redirects++) {
    const response = await request(url, signal);
    const to = response.headers.get("Location");
    if (response.status < 300 || response.status > 399 || to === null) return [response, url];
    await response.body?.cancel();
    if (redirects === MAX_REDIRECTS) {
      throw new MediaTrouble(
        `The host of the sample redirects more than ${MAX_REDIRECTS} times`,
      );
    }
    url = urlOfSample(channel, to, url);
  }
}

/**
 * The URL of a sample.
 * @param base the URL that redirects to the sample, if there is one.
 * @throws MediaTrouble when the address is not a URL, or the URL's host may not serve samples.
 */
export function urlOfSample(channel: ChannelConfig, address: string, base?: URL): URL {
  if (!URL.canParse(address, base)) {
    throw new MediaTrouble("The address of the sample is not a URL", { isPermanent: true });
  }
  const url = new URL(address, base);
  if (!isMediaAddress(url, channel)) throw strange(url);
  return url;
}

async function request(url: URL, signal: AbortSignal): Promise<Response> {
  try {
    return await fetchOnce(url, {
      // Because of this header, the body is not compressed. If the runtime decompressed the body,
      // the length of the body would be unknown.
      headers: { "Accept-Encoding": "identity" },
      redirect: "manual",
      signal,
      client: channelClient(),
    });
  } catch (error) {
    throw new MediaTrouble(`The host of the sample does not answer (${reason(error)})`);
  }
}

function strange(url: URL): MediaTrouble {
  return new MediaTrouble(
    `Samples are not fetched from ${url.protocol}//${url.host}; ` +
      (url.username || url.password
        ? "an address with a user or a password is refused"
        : "the variable WHATSAPP_MEDIA_HOSTS allows further hosts, with https"),
    { isPermanent: true },
  );
}

/**
 * The reason for a failure, without the URL, because a sample's URL is signed.
 */
function reason(error: unknown): string {
  return reasonOf(error).replace(/\(?https?:\/\/[^\s)]*\)?/gi, "…").slice(0, 300).toWellFormed();
}

/** The length in bytes; null when the server does not report the length. */
function lengthOf(headers: Headers): number | null {
  const length = headers.get("Content-Length") ?? "";
  return /^\d{1,15}$/.test(length) ? Number(length) : null;
}

/** If the header does not give the type, the file name in the URL is used. */
function typeOf(headers: Headers, url: URL, format: MediaFormat): string {
  const [told] = (headers.get("Content-Type") ?? "").toLowerCase().split(";");
  const type = told.trim().replace(/^image\/jpg$/, "image/jpeg");
  if (type === "" || /^(application|binary)\/octet-stream$/.test(type)) {
    const byName = typeOfName(format, url.pathname);
    if (byName) return byName;
    throw new MediaTrouble("The host does not report the type of the sample", {
      isPermanent: true,
    });
  }
  if (isTypeOf(format, type)) return type;
  const shown = /^[\w.+/-]{1,100}$/.test(type) ? type : "of another type";
  throw new MediaTrouble(
    `The sample is ${shown}, which the channel does not accept in a header of the format ${format}`,
    { isPermanent: true },
  );
}

async function* bytesOf(
  { body }: Response,
  format: MediaFormat,
  length: number | null,
): AsyncGenerator<Uint8Array> {
  let count = 0;
  const reader = (body ?? new ReadableStream<Uint8Array>()).getReader();
  for (;;) {
    const { done, value } = await reader.read().catch((error) => {
      throw new MediaTrouble(`The sample breaks off (${reason(error)})`);
    });
    if (done) break;
    count += value.length;
    if (count > MAX_BYTES[format]) throw tooLarge(format);
    yield value;
  }
  if (count === 0) throw isEmpty();
  if (length !== null && count !== length) {
    throw new MediaTrouble(`The sample has ${count} bytes, but its host announced ${length}`);
  }
}

function tooLarge(format: MediaFormat): MediaTrouble {
  const mib = MAX_BYTES[format] / 2 ** 20;
  return new MediaTrouble(
    `The sample is larger than the ${mib} MB that a header of the format ${format} may have`,
    { isPermanent: true },
  );
}

function isEmpty(): MediaTrouble {
  return new MediaTrouble("The sample is empty", { isPermanent: true });
}
