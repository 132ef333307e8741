import type { Caller } from "../_shared/key/caller.ts";
import { logEvent, type Origin } from "../_shared/log.ts";
import { UnusableToken } from "../_shared/whatsapp/account_token.ts";
import { callChannel } from "../_shared/whatsapp/channel.ts";
import type { SendOutcome } from "../_shared/whatsapp/outcome.ts";
import { settleSend } from "../_shared/whatsapp/settle.ts";
import {
  dryRunAnswer,
  failedSend,
  noAccount,
  refusedByCatalogue,
  repeatAnswer,
  type SendAnswer,
  sentAnswer,
} from "./answers.ts";
import type { ClaimedSend } from "./claim.ts";
import type { SenderConfig } from "./config.ts";
import { claimWhenReady } from "./ready_claim.ts";
import type { SendRequest } from "./request.ts";
import { templateCall } from "./template_call.ts";
import { withToken } from "./token.ts";

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
): Promise<SendAnswer> {
  const began = performance.now();
  const claimId = crypto.randomUUID();
  const claim = await claimWhenReady(caller, config, claimId, request, { dryRun, origin });
  switch (claim.result) {
    case "no_account":
      throw noAccount(claim.connected, request.phone_number_id);
    case "template_refused":
      throw refusedByCatalogue(claim.faults);
    case "send":
      return dryRunAnswer(claim);
    case "repeat":
      return dryRun ? dryRunAnswer(claim) : repeatAnswer(claim);
    case "do_not_contact":
      return dryRun ? dryRunAnswer(claim) : { success: false, reason: "do_not_contact" };
  }

  const outcome = await callFor(claim, config, request, origin);
  await settleSend(caller.db, config, { claimId, sendId: claim.send_id }, outcome, origin);
  logSend(origin, claim, outcome, performance.now() - began);
  if (outcome.kind === "accepted") return sentAnswer(claim, outcome.whatsappMessageId);
  throw failedSend(outcome, claim, request);
}

/** Makes the call with the account's token. */
async function callFor(
  send: ClaimedSend,
  config: SenderConfig,
  request: SendRequest,
  origin: Origin,
): Promise<SendOutcome> {
  try {
    return await withToken(config, send, origin, async (token) => {
      const account = { phoneNumberId: send.phone_number_id, token };
      const call = templateCall(config.whatsapp, account, request, send.template, send.send_id);
      return await callChannel(config.whatsapp, call);
    });
  } catch (error) {
    if (!(error instanceof UnusableToken)) throw error;
    return { kind: "not_taken", error: "channel_account_error", cause: error.message };
  }
}

/**
 * Logs one line for the send, without phone, text and token. The channel's message id is left out as well: it
 * contains the phone.
 */
function logSend(origin: Origin, send: ClaimedSend, outcome: SendOutcome, ms: number) {
  const channel = outcome.kind === "accepted" ? undefined : outcome.channel;
  logEvent(origin, "template_send", {
    send_id: send.send_id,
    company_id: send.company_id,
    account_id: send.account_id,
    outcome: "error" in outcome ? outcome.error : outcome.kind,
    cause: "cause" in outcome ? outcome.cause : undefined,
    ms: Math.round(ms),
    channel_code: channel?.code,
    channel_trace_id: channel?.traceId,
  });
}
