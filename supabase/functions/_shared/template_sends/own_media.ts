import { isAboutAccount } from "../channel/outcome.ts";
import { UnusableToken } from "../credentials/account_token.ts";
import type { CompanyDb } from "../database/company_db.ts";
import { ApiError, invalidRequest } from "../errors.ts";
import { logFrequentFailure, type Origin } from "../log.ts";
import type { Access } from "../sending/claim.ts";
import { withToken } from "../sending/readable_token.ts";
import { notedRefusal } from "../sending/refusal.ts";
import { MediaTrouble } from "../templates/media_trouble.ts";
import type { MediaFormat } from "../templates/media_types.ts";
import { urlOfSample } from "../templates/sample.ts";
import { uploadSample } from "../templates/sample_media.ts";
import { noMedia } from "./template_answers.ts";
import type { OwnMedia, UnfitMedia, UploadedMedia } from "./template_claim.ts";
import type { SenderConfig } from "./template_send_config.ts";

// The caller's own media file for a template's header, such as an invoice.

/**
 * Fetches the media file from a URL, as samples are fetched, and uploads the file for one send. The
 * upload comes before the claim, so a repeat may upload the file again. The claim then prevents a
 * second send.
 *
 * @throws ApiError invalid_request on `header_media.url` when the media file cannot be fetched or
 *   does not match the header's kind; media_rejected, channel_account_error or channel_unavailable
 *   when the channel does not accept the file.
 */
export async function uploadOwnMedia(
  db: CompanyDb,
  config: SenderConfig,
  access: Access & { kind: OwnMedia["type"] },
  { url, templateName }: { url: string; templateName: string },
  origin: Origin,
): Promise<UploadedMedia> {
  const { account_id, phone_number_id: phoneNumberId, kind } = access;
  const format = kind.toUpperCase() as MediaFormat;
  const signal = AbortSignal.timeout(config.mediaPatience.timeoutMs);
  try {
    const { mediaId, filename } = await withToken(
      config,
      access,
      origin,
      (token) =>
        uploadSample(
          config.whatsapp,
          { token, phoneNumberId },
          { url, format, templateName },
          signal,
        ),
    );
    return { account_id, kind, media_id: mediaId, ...(filename !== null && { filename }) };
  } catch (error) {
    if (error instanceof UnusableToken) {
      throw await notedRefusal(db, access, { stopsSend: true }, origin);
    }
    if (!(error instanceof MediaTrouble)) throw error;
    logFrequentFailure(origin, "header_media", error, { account_id });
    if (error.channel && isAboutAccount(error.channel)) {
      throw await notedRefusal(db, access, { code: error.channel.code, stopsSend: true }, origin);
    }
    throw errorOfTrouble(error, signal.aborted);
  }
}

/**
 * Checks the URL of a media file without fetching the file.
 * @throws ApiError invalid_request on `header_media.url` when the string is not a URL, or the
 *   service may not fetch files from the URL's host.
 */
export function checkOwnMedia({ whatsapp }: SenderConfig, url: string): void {
  try {
    urlOfSample(whatsapp, url);
  } catch (error) {
    throw error instanceof MediaTrouble ? errorOfTrouble(error, false) : error;
  }
}

function errorOfTrouble(
  { channel, message, retryAfter }: MediaTrouble,
  isLate: boolean,
): ApiError {
  if (channel) {
    const { code, message, details } = channel;
    return new ApiError(
      "media_rejected",
      "The messaging channel rejected the file; the field channel has the reason",
      { body: { channel: { code, message, ...(details && { details }) } } },
    );
  }
  if (message.startsWith("The channel ")) return noMedia(message, retryAfter);
  // Every other message is about the media file or its host, and calls the file a sample. The
  // caller's file is no sample, so the first match is replaced. Later matches may be part of a
  // quoted host or error.
  const why = message.replace(
    /template's sample|samples?/i,
    (word) => word.endsWith("s") ? "media" : "medium",
  ).replace(/^m/, "M");
  if (isLate) return noMedia(why);
  return invalidRequest([{ field: "header_media.url", message: `cannot be sent: ${why}` }]);
}

/** The error when the caller's media file cannot be used for the header. */
export function unfitMedia({ fault, kind }: UnfitMedia): ApiError {
  const [field, message] = {
    unknown: [
      "header_media.id",
      "is not an upload of the sending phone number, or the upload has expired; upload the file again",
    ],
    kind: [
      "header_media.id",
      `must be of the kind ${kind}, because the template's header is of this kind`,
    ],
    kind_needed: [
      "template_header_type",
      "is required with header_media: the service has not read this template yet",
    ],
    no_header: ["header_media", "must be left out: the approved template has no media header"],
  }[fault];
  return invalidRequest([{ field, message }]);
}
