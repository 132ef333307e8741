import { api } from "../_shared/http/api.ts";
import type { SenderConfig } from "./config.ts";
import { senderOperations } from "./operations.ts";

/** The template endpoint; specification, 4.10. Judges method, key, scope and body, then sends. */
export function sendExternalTemplate(config: SenderConfig) {
  return api(config, {
    name: "send-external-template",
    operations: senderOperations(config),
    scopeOf: () => "messaging",
    refusesMethodFirst: true,
    errors: {
      always: { success: false },
      // Only the claim can fail so, and the channel is called after it.
      whenUnavailable: () => "nothing was sent, so repeat the request",
    },
  });
}
