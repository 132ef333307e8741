import { api } from "../../_shared/http/api.ts";
import type { SendingConfig } from "../../_shared/sending/send_config.ts";
import { replyOperations } from "./operations.ts";

/** The part of this function for callers with an API key: `POST /whatsapp/messages`. */
export function replies(config: SendingConfig) {
  return api(config, {
    name: "whatsapp",
    operations: replyOperations(config),
    scopeOf: () => "messaging",
    refusesMethodFirst: true,
    errors: {
      always: { success: false },
      // Only the claim can fail because of the database, and the channel is called after the claim.
      whenUnavailable: () => "nothing was sent, so repeat the request",
    },
  });
}
