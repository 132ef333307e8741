import type { CompanyDb } from "../database/company_db.ts";
import { logFailure, logFrequentFailure, type Origin } from "../log.ts";
import { UnusableToken } from "../credentials/account_token.ts";
import { MediaTrouble } from "../templates/media_trouble.ts";
import { isAboutAccount } from "../channel/outcome.ts";
import { uploadMedia } from "../templates/template_media.ts";
import { rereadTemplate } from "../templates/template_reread.ts";
import { notedRefusal } from "../sending/refusal.ts";
import { refusedAccount } from "../sending/send_errors.ts";
import { withToken } from "../sending/readable_token.ts";
import { noMedia, refusedByCatalogue } from "./template_answers.ts";
import { checkOwnMedia, uploadOwnMedia } from "./own_media.ts";
import type { Claim, Preflight, UploadedMedia } from "./template_claim.ts";
import type { SenderConfig } from "./template_send_config.ts";

/**
 * A final decision about a request: the service has no more templates to read and no more media to
 * upload.
 */
export type ReadyClaim = Exclude<
  Claim,
  { result: "reread" | "media_needed" | "no_sample" | "own_media_needed" }
>;

/** What is needed to claim a template send. */
export interface Claiming {
  templateName: string;
  /** Asks the database for its decision about the send. */
  claim(preflight: Preflight, uploaded?: UploadedMedia): Promise<Claim>;
  /** The URL of the caller's media file for the header; missing if the caller gives none. */
  mediaUrl?: string;
  origin: Origin;
}

/**
 * Claims a template send. If the stored template does not allow the send and may be out of date,
 * the service first reads the template again from the channel. If the header needs media that the
 * channel does not have, the service first uploads the media. Both cases are rare, need more round
 * trips, and happen before anything is written.
 *
 * @throws ApiError channel_unavailable when the media cannot be uploaded now; template_rejected when
 * the sample itself cannot be sent; channel_account_error when the token for the upload is unusable or the channel refuses the
 * account; invalid_request and media_rejected when the caller's media file cannot be sent; the
 * errors of `claim`.
 */
export async function claimWhenReady(
  db: CompanyDb,
  config: SenderConfig,
  { templateName, claim, mediaUrl, origin }: Claiming,
): Promise<ReadyClaim> {
  let preflight: Preflight = "first";
  let uploaded: UploadedMedia | undefined;
  for (let hasMedia = false;;) {
    const decision = await claim(preflight, uploaded);
    switch (decision.result) {
      case "reread":
        await readAgain(db, config, decision, templateName, origin);
        preflight = "last";
        break;
      case "media_needed":
        // The template received another sample while the previous sample was being uploaded.
        if (hasMedia) throw noMedia("the media was replaced during the upload");
        await supplyMedia(db, config, decision, origin);
        hasMedia = true;
        break;
      case "no_sample":
        throw noMedia(decision.reason);
      case "own_media_needed":
        if (uploaded) {
          throw noMedia("the template's header or the sending account changed during the upload");
        }
        uploaded = await uploadOwnMedia(
          db,
          config,
          decision,
          { url: mediaUrl!, templateName },
          origin,
        );
        break;
      case "send":
        // A dry run does not fetch the file.
        if (mediaUrl !== undefined) checkOwnMedia(config, mediaUrl);
        return decision;
      default:
        return decision;
    }
  }
}

/** Reads the template again. If reading fails, the send continues with the stored template. */
async function readAgain(
  db: CompanyDb,
  config: SenderConfig,
  claim: Extract<Claim, { result: "reread" }>,
  templateName: string,
  origin: Origin,
) {
  try {
    await withToken(config, claim, origin, (token) =>
      rereadTemplate(db, config.whatsapp, {
        token,
        accountId: claim.account_id,
        businessAccountId: claim.business_account_id!, // not null, because the stored templates belong to it
        beganAt: claim.began_at,
        isElsewhere: claim.is_elsewhere,
      }, templateName));
  } catch (error) {
    if (error instanceof UnusableToken) return; // the send will fail with the same error
    logFailure(origin, "template_not_reread", error, { account_id: claim.account_id });
  }
}

async function supplyMedia(
  db: CompanyDb,
  config: SenderConfig,
  claim: Extract<Claim, { result: "media_needed" }>,
  origin: Origin,
) {
  const { account_id, template_id, phone_number_id } = claim;
  try {
    await withToken(config, claim, origin, (token) =>
      uploadMedia(db, config.whatsapp, {
        token,
        accountId: account_id,
        phoneNumberId: phone_number_id,
        businessAccountId: claim.business_account_id!,
        templateId: template_id,
        encryptedToken: claim.encrypted_token,
        forSend: true,
      }, config.mediaPatience));
  } catch (error) {
    if (error instanceof UnusableToken) {
      throw await notedRefusal(db, claim, { stopsSend: true }, origin);
    }
    if (!(error instanceof MediaTrouble)) throw error;
    const { channel, message, isPermanent, retryAfter, unrecorded } = error;
    // The request that tried the upload has logged the failure.
    if (!error.isUntried) {
      const facts = { account_id, template_id, unrecorded: unrecorded?.message };
      logFrequentFailure(origin, "template_media", error, facts);
    }
    if (isPermanent) {
      const fault = { field: "template_name", fault: "media", reason: message } as const;
      throw refusedByCatalogue([fault], []);
    }
    if (!channel || !isAboutAccount(channel)) throw noMedia(message, retryAfter);
    // `uploadMedia()` records the refusal together with the failed upload.
    if (unrecorded) {
      logFailure(origin, "refusal_not_noted", unrecorded, {
        ...{ account_id, channel_code: channel.code },
      });
    }
    throw refusedAccount(phone_number_id, channel.code);
  }
}
