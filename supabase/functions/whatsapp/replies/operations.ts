import { keepRunning } from "../../_shared/background.ts";
import { FairShare } from "../../_shared/fair_share.ts";
import { operation, reply } from "../../_shared/http/operation.ts";
import type { SendingConfig } from "../../_shared/sending/config.ts";
import { SendParameters } from "../../_shared/sending/request.ts";
import { ReplyAnswer } from "./answers.ts";
import { ReplyRequest } from "./request.ts";
import { sendReply } from "./send.ts";

/** The operations of this function for callers with an API key: the free reply. */
export function replyOperations(config: SendingConfig) {
  const share = new FairShare(config.sendShare);
  return [
    operation({
      id: "sendReply",
      method: "POST",
      path: "/messages",
      scope: "messaging",
      query: SendParameters,
      body: ReplyRequest,
      keyInBody: true,
      answers: { 200: ReplyAnswer },
      errors: [
        "not_found",
        "account_not_connected",
        "conflict",
        "window_closed",
        "template_rejected",
        "recipient_unreachable",
        "recipient_opted_out",
        "channel_account_error",
        "channel_unavailable",
      ],
    }, async ({ caller, query, body, origin }) => {
      const dryRun = query.dry_run === "true";
      // Its turn comes before its claim: a claim whose send waited would be pending for longer than its lease.
      const sending = share.run(
        caller.holder,
        () => sendReply(caller, config, body, { dryRun, origin }),
      );
      // The send goes on, and its outcome is recorded, when the caller hangs up.
      keepRunning(sending.catch(() => {}));
      const { body: answer, headers } = await sending;
      return reply(200, answer, { headers });
    }),
  ];
}
