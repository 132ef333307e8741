import * as z from "zod/mini";
import { keepRunning } from "../../_shared/background.ts";
import { FairShare } from "../../_shared/fair_share.ts";
import { NOTHING } from "../../_shared/http/answers.ts";
import { IdParams } from "../../_shared/http/fields.ts";
import { operation, reply } from "../../_shared/http/operation.ts";
import type { Caller } from "../../_shared/key/caller.ts";
import type { Origin } from "../../_shared/log.ts";
import type { SendingConfig } from "../../_shared/sending/send_config.ts";
import { SendParameters } from "../../_shared/sending/request.ts";
import { markRead, MessageRead, ReadRequest } from "./mark_read.ts";
import { notDelivered, react, ReactedMessage, type Reaction, ReactionRequest } from "./react.ts";
import { ReplyAnswer } from "./reply_answers.ts";
import { ReplyRequest } from "./reply_request.ts";
import { sendReply } from "./send_reply.ts";

const REACTION_ERRORS = [
  "not_found",
  "account_not_connected",
  "conflict",
  "window_closed",
  "template_rejected",
  "recipient_unreachable",
  "recipient_opted_out",
  "channel_account_error",
  "channel_unavailable",
] as const;

/**
 * The operations of this function for callers with an API key: free replies, read receipts and
 * reactions.
 */
export function replyOperations(config: SendingConfig) {
  const share = new FairShare(config.sendShare);
  const reactInTurn = async (caller: Caller, asked: Reaction, origin: Origin) => {
    const reacting = share.run(caller.holder, () => react(caller, config, asked, origin));
    // If the caller disconnects, the work continues, and an accepted reaction is stored.
    keepRunning(reacting.catch(() => {}));
    return await reacting;
  };
  return [
    operation({
      id: "sendReply",
      method: "POST",
      path: "/messages",
      scope: "messaging",
      query: SendParameters,
      body: ReplyRequest,
      keyInBody: true,
      answers: () => ({ 200: ReplyAnswer }),
      errors: [
        "not_found",
        "account_not_connected",
        "conflict",
        "window_closed",
        "idempotency_key_reused",
        "template_rejected",
        "media_rejected",
        "recipient_unreachable",
        "recipient_opted_out",
        "channel_account_error",
        "channel_unavailable",
      ],
    }, async ({ caller, query, body, origin }) => {
      const dryRun = query.dry_run === "true";
      // A send waits in the queue before it is claimed. If it waited after the claim, the lease of
      // the claim could end in the queue.
      const sending = share.run(
        caller.holder,
        () => sendReply(caller, config, body, { dryRun, origin }),
      );
      // If the caller disconnects, the send continues, and its outcome is recorded.
      keepRunning(sending.catch(() => {}));
      const { body: answer, headers } = await sending;
      return reply(200, answer, { headers });
    }),
    operation({
      id: "markMessageRead",
      method: "POST",
      path: "/messages/:id/read",
      scope: "messaging",
      params: IdParams,
      body: ReadRequest,
      answers: () => ({ 200: z.object({ data: MessageRead }) }),
      errors: [
        "not_found",
        "conflict",
        "account_not_connected",
        "channel_account_error",
        "channel_unavailable",
      ],
    }, async ({ caller, params, body, origin }) => {
      const asked = { id: params.id, typing: body.typing ?? false };
      const data = await share.run(caller.holder, () => markRead(caller, config, asked, origin));
      return reply(200, { data });
    }),
    operation({
      id: "reactToMessage",
      method: "PUT",
      path: "/messages/:id/reaction",
      scope: "messaging",
      params: IdParams,
      body: ReactionRequest,
      answers: () => ({ 200: z.object({ data: ReactedMessage }) }),
      errors: REACTION_ERRORS,
    }, async ({ caller, params: { id }, body: { emoji }, origin }) => {
      const own_reaction = await reactInTurn(caller, { id, emoji }, origin);
      if (own_reaction === null) throw notDelivered();
      return reply(200, { data: { id, own_reaction } });
    }),
    operation({
      id: "removeReaction",
      method: "DELETE",
      path: "/messages/:id/reaction",
      scope: "messaging",
      params: IdParams,
      answers: () => ({ 204: NOTHING }),
      errors: REACTION_ERRORS,
    }, async ({ caller, params: { id }, origin }) => {
      await reactInTurn(caller, { id }, origin);
      return reply(204, null);
    }),
  ];
}
