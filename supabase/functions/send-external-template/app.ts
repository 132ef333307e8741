import { api } from "../_shared/http/api.ts";
import type { SenderConfig } from "./config.ts";
import { senderOperations } from "./operations.ts";

/** The endpoint of specification 4.10, which judges method, key and scope, payload, and then sends. */
export function sendExternalTemplate(config: SenderConfig) {
  return api(config, {
    name: "send-external-template",
    operations: senderOperations(config),
    scopeOf: () => "messaging",
    refusesMethodFirst: true,
    errors: {
      always: { success: false },
      // Only a claim meets a database that is away, and the channel is called after it.
      whenUnavailable: () => "nothing was sent, so repeat the request",
    },
  });
}
