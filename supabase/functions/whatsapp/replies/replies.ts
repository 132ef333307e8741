import { api } from "../../_shared/http/api.ts";
import type { SendingConfig } from "../../_shared/sending/send_config.ts";
import { replyOperations } from "./operations.ts";

/** The part of this function for callers with an API key: everything below `/whatsapp/messages`. */
export function replies(config: SendingConfig) {
  return api(config, {
    name: "whatsapp",
    operations: replyOperations(config),
    scopeOf: () => "messaging",
    refusesMethodFirst: true,
    errors: {
      always: { success: false },
      // If the claim of a send fails, the channel has not been called. A read mark or a reaction may
      // have reached the channel already.
      whenUnavailable: ({ path }) =>
        path === "/whatsapp/messages"
          ? "nothing was sent, so repeat the request"
          : "the change may have been made, so repeat the request: a repeat does no harm",
    },
  });
}
