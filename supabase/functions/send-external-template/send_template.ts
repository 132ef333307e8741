import type { Caller } from "../_shared/key/caller.ts";
import type { Origin } from "../_shared/log.ts";
import { dryRunAnswer, sentAnswer } from "../_shared/sending/send_answers.ts";
import { callAndSettle } from "../_shared/sending/call.ts";
import { type FailedOutcome, failedSend, repeatOfUnknown } from "../_shared/sending/send_errors.ts";
import { keyOfOtherMessage, repeatReply, type SendReply } from "../_shared/sending/repeat.ts";
import { unfitMedia } from "../_shared/template_sends/own_media.ts";
import { claimWhenReady } from "../_shared/template_sends/ready_claim.ts";
import { noAccount } from "../_shared/sending/no_account.ts";
import { refusedByCatalogue, type SendAnswer } from "../_shared/template_sends/template_answers.ts";
import { claimTemplate } from "../_shared/template_sends/template_claim.ts";
import { templateMessage } from "../_shared/template_sends/template_message.ts";
import type { SendRequest } from "../_shared/template_sends/template_request.ts";
import type { SenderConfig } from "../_shared/template_sends/template_send_config.ts";

/**
 * Sends a template: claims the send, calls the channel, settles the send. Whatever fails, each
 * claim belongs to only one request, and leads to at most one call to the channel. A dry run only
 * reports what would happen.
 *
 * @throws ApiError for every error in the specification, part 7.
 */
export async function sendTemplate(
  caller: Caller,
  config: SenderConfig,
  request: SendRequest,
  { dryRun, origin }: { dryRun: boolean; origin: Origin },
): Promise<SendReply<SendAnswer>> {
  const began = performance.now();
  const claimId = crypto.randomUUID();
  const claim = await claimWhenReady(caller.db, config, {
    templateName: request.template_name,
    claim: (preflight, uploaded) =>
      claimTemplate(caller, config, claimId, request, { preflight, dryRun, uploaded, origin }),
    mediaUrl: request.header_media?.url,
    origin,
  });
  switch (claim.result) {
    case "no_account":
      throw noAccount(claim.connected, request.phone_number_id);
    case "template_refused":
      throw refusedByCatalogue(claim.faults, request.header_variables);
    case "unfit":
      throw unfitMedia(claim);
    case "send":
      return { body: dryRunAnswer(claim) };
    case "reused":
      throw keyOfOtherMessage(claim, "a free reply");
    case "repeat":
      return repeatReply(claim, { dryRun, origin });
    case "do_not_contact":
    case "marketing_opt_out":
      return { body: dryRun ? dryRunAnswer(claim) : { success: false, reason: claim.result } };
  }

  const message = templateMessage(request, claim.template, claim.own_media);
  const outcome = await callAndSettle(caller, config, {
    ...{ claimId, send: claim, message, began, origin },
    event: "template_send",
    hasOwnMedia: claim.own_media !== undefined,
  });
  if (outcome.kind === "accepted") return { body: sentAnswer(claim, outcome.whatsappMessageId) };
  throw failedSend(ofTemplate(outcome), {
    send: claim,
    ifUnknown: repeatOfUnknown(request.idempotency_key !== undefined),
    rejected: "The messaging channel rejected the template; the field channel has the reason",
  });
}

/**
 * A template may also be sent when the person last wrote more than 24 hours ago. So if the channel
 * says that this 24-hour window is closed, it has rejected the template.
 */
function ofTemplate(outcome: FailedOutcome): FailedOutcome {
  return outcome.kind === "refused" && outcome.error === "window_closed"
    ? { ...outcome, error: "template_rejected" }
    : outcome;
}
