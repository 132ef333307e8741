import { keepRunning } from "../_shared/background.ts";
import { FairShare } from "../_shared/fair_share.ts";
import { operation, reply } from "../_shared/http/operation.ts";
import { SendParameters } from "../_shared/sending/request.ts";
import { SendAnswer } from "../_shared/template_sends/template_answers.ts";
import type { SenderConfig } from "../_shared/template_sends/template_send_config.ts";
import { SendRequest } from "../_shared/template_sends/template_request.ts";
import { sendTemplate } from "./send_template.ts";

/** The only operation of the template endpoint (specification, 4.10). */
export function senderOperations(config: SenderConfig) {
  const share = new FairShare(config.sendShare);
  return [
    operation({
      id: "sendExternalTemplate",
      method: "POST",
      path: "/",
      scope: "messaging",
      query: SendParameters,
      body: SendRequest,
      keyInBody: true,
      answers: () => ({ 200: SendAnswer }),
      errors: [
        "account_not_connected",
        "phone_number_id_required",
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
      const send = () => sendTemplate(caller, config, body, { dryRun, origin });
      const sending = share.run(caller.holder, send);
      // If the caller disconnects, the send continues, and its outcome is recorded.
      keepRunning(sending.catch(() => {}));
      const { body: answer, headers } = await sending;
      return reply(200, answer, { headers });
    }),
  ];
}
