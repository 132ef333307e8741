import type { Caller } from "../../_shared/key/caller.ts";
import type { Origin } from "../../_shared/log.ts";
import { dryRunAnswer, sentAnswer } from "../../_shared/sending/send_answers.ts";
import { callAndSettle } from "../../_shared/sending/call.ts";
import type { SendingConfig } from "../../_shared/sending/send_config.ts";
import { failedSend, repeatOfUnknown } from "../../_shared/sending/send_errors.ts";
import { keyOfOtherMessage, repeatReply, type SendReply } from "../../_shared/sending/repeat.ts";
import {
  archivedContact,
  closedConversation,
  erasedPerson,
  noAccount,
  noConversation,
  type ReplyAnswer,
  unfit,
  windowClosed,
} from "./reply_answers.ts";
import { claimReply } from "./reply_claim.ts";
import { replyMessage } from "./reply_message.ts";
import type { ReplyRequest } from "./reply_request.ts";

/**
 * Sends a free reply with the same steps as a template: claims the send, calls the channel, settles
 * the send. The claim checks whether the window is open. A dry run only reports what would happen.
 *
 * @throws ApiError for every error that the operation declares.
 */
export async function sendReply(
  caller: Caller,
  config: SendingConfig,
  request: ReplyRequest,
  { dryRun, origin }: { dryRun: boolean; origin: Origin },
): Promise<SendReply<ReplyAnswer>> {
  const began = performance.now();
  const claimId = crypto.randomUUID();
  const claim = await claimReply(caller, config, claimId, request, { dryRun, origin });
  switch (claim.result) {
    case "not_found":
      throw noConversation();
    case "archived":
      throw archivedContact();
    case "erased":
      throw erasedPerson();
    case "closed":
      throw closedConversation(claim.existing_id);
    case "no_account":
      throw noAccount();
    case "window_closed":
      throw windowClosed(claim.expires_at);
    case "unfit":
      throw unfit(claim);
    case "send":
      return { body: dryRunAnswer(claim) };
    case "reused":
      throw keyOfOtherMessage(claim, "a template send");
    case "repeat":
      return repeatReply(claim, { dryRun, origin });
    case "do_not_contact":
      return { body: dryRun ? dryRunAnswer(claim) : { success: false, reason: claim.result } };
  }

  const outcome = await callAndSettle(caller, config, {
    ...{ claimId, send: claim, message: replyMessage(claim, request), began, origin },
    event: "reply_send",
    hasOwnMedia: request.media !== undefined,
  });
  if (outcome.kind === "accepted") return { body: sentAnswer(claim, outcome.whatsappMessageId) };
  throw failedSend(outcome, {
    send: claim,
    ifUnknown: repeatOfUnknown(request.idempotency_key !== undefined),
    rejected: "The messaging channel rejected the message; the field channel has the reason",
  });
}
