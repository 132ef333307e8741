import { api } from "../_shared/http/api.ts";
import type { SenderConfig } from "../_shared/template_sends/template_send_config.ts";
import { senderOperations } from "./operations.ts";

/**
 * The template endpoint (specification, 4.10). The endpoint checks method, key, scope and body, and
 * then sends the template.
 */
export function sendExternalTemplate(config: SenderConfig) {
  return api(config, {
    name: "send-external-template",
    operations: senderOperations(config),
    scopeOf: () => "messaging",
    refusesMethodFirst: true,
    errors: {
      always: { success: false },
      // A database error can occur only before the claim or in the claim itself. The message is
      // sent only after the claim.
      whenUnavailable: () => "nothing was sent, so repeat the request",
    },
  });
}
