import type { Caller } from "../_shared/key/caller.ts";
import type { Origin } from "../_shared/log.ts";
import { dryRunAnswer, sentAnswer } from "../_shared/sending/answers.ts";
import { callAndSettle } from "../_shared/sending/call.ts";
import { type FailedOutcome, failedSend } from "../_shared/sending/errors.ts";
import { repeatReply, type SendReply } from "../_shared/sending/repeat.ts";
import { noAccount, refusedByCatalogue, type SendAnswer } from "./answers.ts";
import type { SenderConfig } from "./config.ts";
import { claimWhenReady } from "./ready_claim.ts";
import type { SendRequest } from "./request.ts";
import { templateMessage } from "./template_message.ts";

/**
 * Sends a template: claims the send, calls the channel, settles the send. Whatever fails, the channel is
 * called at most once for a claim, and only one request gets a claim. A dry run only says what would happen.
 *
 * @throws ApiError for every error of specification, part 7.
 */
export async function sendTemplate(
  caller: Caller,
  config: SenderConfig,
  request: SendRequest,
  { dryRun, origin }: { dryRun: boolean; origin: Origin },
): Promise<SendReply<SendAnswer>> {
  const began = performance.now();
  const claimId = crypto.randomUUID();
  const claim = await claimWhenReady(caller, config, claimId, request, { dryRun, origin });
  switch (claim.result) {
    case "no_account":
      throw noAccount(claim.connected, request.phone_number_id);
    case "template_refused":
      throw refusedByCatalogue(claim.faults);
    case "send":
      return { body: dryRunAnswer(claim) };
    case "repeat":
      return repeatReply(claim, { dryRun, origin });
    case "do_not_contact":
    case "marketing_opt_out":
      return { body: dryRun ? dryRunAnswer(claim) : { success: false, reason: claim.result } };
  }

  const message = templateMessage(request, claim.template);
  const outcome = await callAndSettle(caller, config, {
    ...{ claimId, send: claim, message, began, origin },
    event: "template_send",
  });
  if (outcome.kind === "accepted") return { body: sentAnswer(claim, outcome.whatsappMessageId) };
  throw failedSend(ofTemplate(outcome), {
    send: claim,
    hasKey: request.idempotency_key !== undefined,
    rejected: "The messaging channel rejected the template; its reason is in channel",
  });
}

/** A template needs no window. A channel that speaks of one has rejected the template. */
function ofTemplate(outcome: FailedOutcome): FailedOutcome {
  return outcome.kind === "refused" && outcome.error === "window_closed"
    ? { ...outcome, error: "template_rejected" }
    : outcome;
}
