import type { Caller } from "../_shared/key/caller.ts";
import { logFailure, type Origin } from "../_shared/log.ts";
import { UnusableToken } from "../_shared/credentials/account_token.ts";
import { MediaTrouble } from "../_shared/templates/media_trouble.ts";
import { type ChannelError, meaningOf } from "../_shared/channel/outcome.ts";
import { uploadMedia } from "../_shared/templates/template_media.ts";
import { rereadTemplate } from "../_shared/templates/template_reread.ts";
import { refusedAccount, unusableToken } from "../_shared/sending/send_errors.ts";
import { withToken } from "../_shared/sending/readable_token.ts";
import { noMedia } from "./template_answers.ts";
import { type Claim, claimTemplate, type Judging } from "./template_claim.ts";
import type { SenderConfig } from "./template_send_config.ts";
import type { SendRequest } from "./template_request.ts";

/**
 * The final decision about a request: no template has to be read first, and no media has to be
 * uploaded first.
 */
export type ReadyClaim = Exclude<Claim, { result: "reread" | "media_needed" }>;

/**
 * Claims the send of a request. If the stored template does not allow the send and may be out of
 * date, it is read from the channel first. If the header needs media that the channel does not
 * have, the media is uploaded first. Both cases are rare, take more round trips, and come before
 * anything is written.
 *
 * @param claimId a new id, which is needed to settle the send.
 * @throws ApiError channel_unavailable when the media cannot be uploaded; channel_account_error
 * when the token for the upload is unusable or the channel refuses the account; the errors of
 * claimTemplate().
 */
export async function claimWhenReady(
  caller: Caller,
  config: SenderConfig,
  claimId: string,
  request: SendRequest,
  { dryRun, origin }: { dryRun: boolean; origin: Origin },
): Promise<ReadyClaim> {
  const judging: Judging = { preflight: "first", dryRun };
  for (let hasMedia = false;;) {
    const claim = await claimTemplate(caller, config, claimId, request, judging);
    switch (claim.result) {
      case "reread":
        await readAgain(caller, config, claim, request, origin);
        judging.preflight = "last";
        break;
      case "media_needed":
        // The template got another sample while the previous one was uploaded.
        if (hasMedia) throw noMedia("it was replaced at this moment");
        await supplyMedia(caller, config, claim, origin);
        hasMedia = true;
        break;
      default:
        return claim;
    }
  }
}

/** Reads the template again. If that fails, the send continues with what is stored. */
async function readAgain(
  { db }: Caller,
  config: SenderConfig,
  claim: Extract<Claim, { result: "reread" }>,
  { template_name }: SendRequest,
  origin: Origin,
) {
  try {
    await withToken(config, claim, origin, (token) =>
      rereadTemplate(db, config.whatsapp, {
        token,
        accountId: claim.account_id,
        businessAccountId: claim.business_account_id!, // without a business account, there are no templates to compare with
        beganAt: claim.began_at,
        isElsewhere: claim.is_elsewhere,
      }, template_name));
  } catch (error) {
    if (error instanceof UnusableToken) return; // the send will meet the same error
    logFailure(origin, "template_not_reread", error, { account_id: claim.account_id });
  }
}

async function supplyMedia(
  { db }: Caller,
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
      }, config.mediaPatience));
  } catch (error) {
    if (error instanceof UnusableToken) throw unusableToken(phone_number_id);
    if (!(error instanceof MediaTrouble)) throw error;
    logFailure(origin, "template_media", error, { account_id, template_id });
    const { channel, message } = error;
    if (channel && isAboutAccount(channel)) throw refusedAccount(phone_number_id, channel.code);
    throw noMedia(message);
  }
}

/** Whether the channel refuses the account, so that waiting would not help. */
function isAboutAccount(channel: ChannelError): boolean {
  const meaning = meaningOf(400, channel);
  return meaning.kind === "not_taken" && meaning.error === "channel_account_error";
}
