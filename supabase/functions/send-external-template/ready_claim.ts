import type { Caller } from "../_shared/key/caller.ts";
import { logFailure, type Origin } from "../_shared/log.ts";
import { UnusableToken } from "../_shared/whatsapp/account_token.ts";
import { MediaTrouble } from "../_shared/whatsapp/media_trouble.ts";
import { type ChannelError, meaningOf } from "../_shared/whatsapp/outcome.ts";
import { uploadMedia } from "../_shared/whatsapp/template_media.ts";
import { rereadTemplate } from "../_shared/whatsapp/template_reread.ts";
import { refusedAccount, unusableToken } from "../_shared/sending/errors.ts";
import { withToken } from "../_shared/sending/token.ts";
import { noMedia } from "./answers.ts";
import { type Claim, claimTemplate, type Judging } from "./claim.ts";
import type { SenderConfig } from "./config.ts";
import type { SendRequest } from "./request.ts";

/** The decision about a request, once nothing has to come before it. */
export type ReadyClaim = Exclude<Claim, { result: "reread" | "media_needed" }>;

/**
 * Claims the send of a request. When the catalogue speaks against it and may be out of date, the template is
 * read from the channel first. When its header needs media that the channel does not have, that is uploaded
 * first. Both are rare, cost further round trips, and come before anything is written.
 *
 * @param claimId a new id; the send is settled by it.
 * @throws ApiError channel_unavailable when the media cannot be uploaded, channel_account_error when the token
 *   for that cannot be used or the channel refuses the account; otherwise as claimTemplate().
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
        // The template was given another sample while the first one was uploaded.
        if (hasMedia) throw noMedia("it was replaced in this moment");
        await supplyMedia(caller, config, claim, origin);
        hasMedia = true;
        break;
      default:
        return claim;
    }
  }
}

/** Reads the template again. When that fails, the send goes on, and the channel decides. */
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
        businessAccountId: claim.business_account_id!, // without one there is no catalogue to judge by
        beganAt: claim.began_at,
        isElsewhere: claim.is_elsewhere,
      }, template_name));
  } catch (error) {
    if (error instanceof UnusableToken) return; // the send meets it again
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

/** Whether the channel refuses the account, so that later is no better. */
function isAboutAccount(channel: ChannelError): boolean {
  const meaning = meaningOf(400, channel);
  return meaning.kind === "not_taken" && meaning.error === "channel_account_error";
}
