import type { ChannelConfig } from "../channel/channel_config.ts";
import { channelClient, reasonOf } from "../channel/channel_http.ts";
import { causeInWords, withoutQueries } from "../channel/channel_words.ts";
import { askChannel } from "../channel/graph.ts";
import { isMediaAddress, mayGetToken } from "../channel/media_hosts.ts";
import { isAboutAccount, NO_OBJECT, secondsUntil } from "../channel/outcome.ts";
import { fetchOnce } from "../fetch_once.ts";

/** A media file, and the account that may read it. */
export interface MediumOfAccount {
  /** The channel's id of the media file. */
  id: string;
  phoneNumberId: string;
  token: string;
}

/** What the channel reports about a media file. */
export interface MediumFacts {
  kind: "known";
  /**
   * The download URL, valid for five minutes. Only the channel's hosts may receive the token.
   */
  url: string;
  type: string | null;
  /** In bytes. */
  size: number | null;
  /** The SHA-256 hash in hexadecimal digits. */
  sha256: string | null;
}

/** Why the channel does not serve a media file. `cause` is for the log, and contains no URL. */
export type NoMedium =
  /** The channel no longer has the media file. */
  | { kind: "gone" }
  /** The channel refuses the account. */
  | { kind: "account"; code: number }
  | { kind: "unavailable"; cause: string; retryAfter?: number };

const MAX_REDIRECTS = 3;
/**
 * After a response with one of these statuses, the channel is asked for the media file's URL again.
 */
const ADDRESS_ENDED = [401, 403, 404];

/** Asks the channel about a media file. */
export async function askForMedium(
  channel: ChannelConfig,
  medium: MediumOfAccount,
  timeoutMs: number,
): Promise<MediumFacts | NoMedium> {
  const { id, phoneNumberId, token } = medium;
  const reply = await askChannel(channel, token, {
    path: encodeURIComponent(id),
    query: { phone_number_id: phoneNumberId },
    timeoutMs,
    maxBytes: 65_536,
  });
  if (reply.kind === "unavailable") return reply;
  if (reply.kind === "refused") {
    const { code, subcode, message } = reply.channel;
    if (code === 100 && subcode === NO_OBJECT) {
      return await goneOrHidden(channel, medium, timeoutMs);
    }
    if (isAboutAccount(reply.channel)) return { kind: "account", code };
    return { kind: "unavailable", cause: `code ${code}: ${message}` };
  }
  const { url, mime_type, sha256, file_size } = Object(reply.body) as Record<string, unknown>;
  if (typeof url !== "string") {
    return { kind: "unavailable", cause: "The channel answered without the address of the medium" };
  }
  const size = Number(file_size ?? NaN);
  return {
    kind: "known",
    url,
    type: typeof mime_type === "string" ? mime_type : null,
    size: Number.isSafeInteger(size) && size >= 0 ? size : null,
    sha256: typeof sha256 === "string" && /^[0-9a-f]{64}$/i.test(sha256)
      ? sha256.toLowerCase()
      : null,
  };
}

/**
 * Why the channel does not find a media file. With a token that has lost its permissions, every
 * object seems to be missing. So the media file is gone only if the token can still read the phone
 * number.
 */
async function goneOrHidden(
  channel: ChannelConfig,
  { phoneNumberId, token }: MediumOfAccount,
  timeoutMs: number,
): Promise<NoMedium> {
  const path = encodeURIComponent(phoneNumberId);
  const reply = await askChannel(channel, token, { path, query: { fields: "id" }, timeoutMs });
  if (reply.kind === "unavailable") return reply;
  if (reply.kind === "refused") return { kind: "account", code: reply.channel.code };
  return Object(reply.body).id === phoneNumberId
    ? { kind: "gone" }
    : unavailable("The channel does not find the medium, and answered without the phone number");
}

/**
 * Returns the response of the host that serves a media file. If the URL has expired, the channel is
 * asked once for another URL.
 *
 * @param signal ends the download, even after this function has returned.
 */
export async function download(
  channel: ChannelConfig,
  medium: MediumOfAccount,
  { url }: MediumFacts,
  { signal, timeoutMs }: { signal: AbortSignal; timeoutMs: number },
): Promise<{ kind: "opened"; response: Response } | NoMedium> {
  const first = await answerAt(channel, url, medium.token, signal);
  if ("kind" in first) return first;
  if (!ADDRESS_ENDED.includes(first.status)) return await opened(first);
  await first.body?.cancel();
  const fresh = await askForMedium(channel, medium, timeoutMs);
  if (fresh.kind !== "known") return fresh;
  const second = await answerAt(channel, fresh.url, medium.token, signal);
  return "kind" in second ? second : await opened(second);
}

async function opened(
  response: Response,
): Promise<{ kind: "opened"; response: Response } | NoMedium> {
  const { status, headers } = response;
  const isPlain = /^(identity)?$/i.test(headers.get("Content-Encoding") ?? "");
  if (status === 200 && isPlain) return { kind: "opened", response };
  await response.body?.cancel();
  if (status === 410) return { kind: "gone" };
  const what = status === 200 ? ", with compressed bytes" : "";
  const cause = `The host of the medium answers HTTP ${status}${what}`;
  const retryAfter = secondsUntil(headers.get("Retry-After"));
  return { kind: "unavailable", cause, ...(retryAfter !== undefined && { retryAfter }) };
}

/** The first response that is not a redirect. Each redirect's host is checked. */
async function answerAt(
  channel: ChannelConfig,
  address: string,
  token: string,
  signal: AbortSignal,
): Promise<Response | NoMedium> {
  let url = URL.parse(address);
  for (let redirects = 0;; redirects++) {
    if (!url || !isMediaAddress(url, channel)) return unavailable(strange(url));
    // The channel itself named the first host, and this host requires the token.
    const hasToken = redirects === 0 || mayGetToken(url, channel);
    let response: Response;
    try {
      response = await fetchOnce(url, {
        headers: new Headers({
          ...(hasToken && { Authorization: `Bearer ${token}` }),
          // If the runtime decompressed the bytes, their total number would be unknown.
          "Accept-Encoding": "identity",
        }),
        redirect: "manual",
        signal,
        client: channelClient(),
      });
    } catch (error) {
      const reason = causeInWords(withoutQueries(reasonOf(error)), token);
      return unavailable(`The host of the medium does not answer (${reason})`);
    }
    const to = response.headers.get("Location");
    if (response.status < 300 || response.status > 399 || to === null) return response;
    await response.body?.cancel();
    if (redirects === MAX_REDIRECTS) {
      return unavailable(`The host of the medium redirects more than ${MAX_REDIRECTS} times`);
    }
    url = URL.parse(to, url);
  }
}

function unavailable(cause: string): NoMedium {
  return { kind: "unavailable", cause };
}

/** Why nothing is fetched from a URL. */
function strange(url: URL | null): string {
  if (!url) return "The address of the medium is not a URL";
  return `Media are not fetched from ${url.protocol}//${url.host}; the variable ` +
    "WHATSAPP_MEDIA_HOSTS allows further hosts, with https";
}
