import { keepRunning } from "../_shared/background.ts";
import { operation, reply } from "../_shared/http/operation.ts";
import { SendAnswer } from "./answers.ts";
import type { SenderConfig } from "./config.ts";
import { SendRequest } from "./request.ts";
import { sendTemplate } from "./send.ts";

/** Every operation of the template endpoint, specification 4.10: just the one. */
export function senderOperations(config: SenderConfig) {
  return [
    operation({
      id: "sendExternalTemplate",
      method: "POST",
      path: "/",
      scope: "messaging",
      body: SendRequest,
      answers: { 200: SendAnswer },
      errors: [
        "account_not_connected",
        "phone_number_id_required",
        "template_rejected",
        "recipient_unreachable",
        "recipient_opted_out",
        "channel_account_error",
        "channel_unavailable",
      ],
    }, async ({ caller, body, origin }) => {
      const sending = sendTemplate(caller, config, body, origin);
      // A caller that hangs up does not stop what was handed to the channel from being recorded.
      keepRunning(sending.catch(() => {}));
      return reply(200, await sending);
    }),
  ];
}
