import { rows } from "../../../_shared/database/rows.ts";
import { UnusableToken } from "../../../_shared/credentials/account_token.ts";
import { ApiError } from "../../../_shared/errors.ts";
import type { FairShare } from "../../../_shared/fair_share.ts";
import type { Caller } from "../../../_shared/key/caller.ts";
import { takeLine } from "../../../_shared/line_limit.ts";
import { logEvent, logWarning, type Origin } from "../../../_shared/log.ts";
import { askForMedium, type NoMedium } from "../../../_shared/media/download.ts";
import { extensionOf, servedType } from "../../../_shared/media/media_kinds.ts";
import { openMedium } from "../../../_shared/media/open_medium.ts";
import { MAX_BYTES } from "../../../_shared/media/whole_bytes.ts";
import { withToken } from "../../../_shared/sending/readable_token.ts";
import { plainName } from "../../../_shared/templates/file_name.ts";
import type { GatewayConfig } from "../../gateway_config.ts";
import { type FoundMedium, mediaExpired } from "./found_medium.ts";

interface Asked {
  caller: Caller;
  messageId: string;
  found: FoundMedium;
  headOnly: boolean;
  origin: Origin;
}

/** The response with a media file: its bytes, and the headers that depend on the file. */
interface Answer {
  headers: Record<string, string>;
  body: ReadableStream<Uint8Array> | null;
}

/**
 * Waits until it is the company's turn, and opens a message's media file. The file counts as open
 * until its last byte has been sent.
 *
 * @throws ApiError `media_expired`, `channel_account_error`, `channel_unavailable` or
 * `too_many_requests`.
 */
export function openedMedium(
  config: GatewayConfig,
  places: { ofCompany: FairShare; ofAll: FairShare },
  asked: Asked,
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const work = async () => {
    const { answer, ended } = await answerTo(config, asked);
    resolve(answer);
    await ended;
  };
  places.ofCompany.run(asked.caller.holder, () => places.ofAll.run("", work)).catch(reject);
  return promise;
}

async function answerTo(
  config: GatewayConfig,
  asked: Asked,
): Promise<{ answer: Answer; ended?: Promise<unknown> }> {
  const { found, headOnly, origin } = asked;
  const medium = { id: found.media.id, phoneNumberId: found.phone_number_id };
  const { firstByteMs } = config.mediaPatience;
  const access = { ...found, business_account_id: null };
  try {
    return await withToken(config, access, origin, async (token) => {
      if (headOnly) {
        const facts = await askForMedium(config.whatsapp, { ...medium, token }, firstByteMs);
        if (facts.kind !== "known") throw await errorOf(facts, asked);
        if ((facts.size ?? 0) > MAX_BYTES) throw unavailable();
        return { answer: { headers: headersOf(facts.type, null, facts.size, asked), body: null } };
      }
      const opened = await openMedium(
        config.whatsapp,
        { ...medium, token },
        found.media.sha256,
        config.mediaPatience,
      );
      if (opened.kind !== "open") throw await errorOf(opened, asked);
      const { type, beginning, length, stream, ended } = opened;
      const headers = headersOf(type, beginning, length, asked);
      return { answer: { headers, body: stream }, ended: ended.then((end) => logEnd(end, asked)) };
    });
  } catch (error) {
    if (!(error instanceof UnusableToken)) throw error;
    throw accountError(
      `The stored access token of the account ${found.phone_number_id} cannot be used`,
    );
  }
}

function headersOf(
  type: string | null,
  beginning: Uint8Array | null,
  length: number | null,
  { found, messageId }: Asked,
): Record<string, string> {
  const served = servedType(type, beginning);
  const name = plainName(found.media.filename ?? "") ||
    `${found.type}-${messageId}.${extensionOf(served)}`;
  return {
    "Content-Type": served,
    ...(length !== null && { "Content-Length": String(length) }),
    "Content-Disposition": attachment(name),
  };
}

/**
 * Returns the `Content-Disposition` header (RFC 6266) for a name without quotes and control
 * characters.
 */
function attachment(name: string): string {
  const plain = name.replace(/[^ -~]|[\\"]/gu, "_");
  const encoded = encodeURIComponent(name)
    .replace(/['()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`);
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

/** Returns the error for a media file that the channel does not provide. */
async function errorOf(none: NoMedium, asked: Asked) {
  const { caller, messageId, found } = asked;
  if (none.kind === "gone") {
    const noted = rows(
      await caller.db.rpc("note_media_gone", { message_id: messageId, media_id: found.media.id }),
    );
    return mediaExpired(noted ?? new Date().toISOString());
  }
  if (none.kind === "account") {
    log(logWarning, "media_refused", asked, { channel_code: none.code });
    return accountError(
      `The messaging channel refuses the account ${found.phone_number_id} because of its token, its ` +
        "permissions or its status",
      none.code,
    );
  }
  log(logWarning, "media_unavailable", asked, { cause: none.cause });
  return unavailable(none.retryAfter);
}

function accountError(what: string, code?: number): ApiError {
  return new ApiError(
    "channel_account_error",
    `${what}; ask the operator to connect the account again, then repeat the request`,
    { body: code === undefined ? {} : { channel: { code } } },
  );
}

function unavailable(retryAfter?: number): ApiError {
  return new ApiError(
    "channel_unavailable",
    "The messaging channel does not give the medium at the moment; repeat the request later",
    { headers: retryAfter === undefined ? {} : { "Retry-After": String(retryAfter) } },
  );
}

function logEnd({ bytes, failure }: { bytes: number; failure?: string }, asked: Asked) {
  if (failure === undefined) log(logEvent, "media_read", asked, { bytes });
  else log(logWarning, "media_broken_off", asked, { bytes, cause: failure });
}

/**
 * Logs what happened to a download. The log line contains neither the media file's URL nor its name.
 */
function log(
  write: typeof logEvent,
  event: string,
  { found: { company_id, account_id }, messageId, origin }: Asked,
  facts: Record<string, unknown>,
) {
  const line = takeLine(event);
  if (line) {
    write(origin, event, { message_id: messageId, company_id, account_id, ...facts, ...line });
  }
}
