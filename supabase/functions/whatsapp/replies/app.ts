import { api } from "../../_shared/http/api.ts";
import type { SendingConfig } from "../../_shared/sending/config.ts";
import { replyOperations } from "./operations.ts";

/** The part of this function that callers with an API key use: `POST /whatsapp/messages`. */
export function replies(config: SendingConfig) {
  return api(config, {
    name: "whatsapp",
    operations: replyOperations(config),
    scopeOf: () => "messaging",
    refusesMethodFirst: true,
    errors: {
      always: { success: false },
      // Only the claim can fail so, and the channel is called after it.
      whenUnavailable: () => "nothing was sent, so repeat the request",
    },
  });
}
