import { rows } from "../../../_shared/database/rows.ts";
import { ApiError, tooManyOfAll } from "../../../_shared/errors.ts";
import { FairShare } from "../../../_shared/fair_share.ts";
import { BYTES } from "../../../_shared/http/answers.ts";
import { IdParams } from "../../../_shared/http/fields.ts";
import { operation, replyInBytes } from "../../../_shared/http/operation.ts";
import type { GatewayConfig } from "../../gateway_config.ts";
import { mediaExpired, type MediumOfMessage } from "./found_medium.ts";

/**
 * Returns the bytes of a media file that a contact sent. The channel stores the file, and the
 * service forwards the bytes. One database query provides everything else that the response needs.
 */
export function messageMedia(config: GatewayConfig) {
  const { inAll, ...share } = config.mediaShare;
  const places = {
    ofCompany: new FairShare(share),
    ofAll: new FairShare({ ...share, atOnce: inAll, waiting: 1_000 }, tooManyOfAll),
  };
  return operation({
    id: "getMessageMedia",
    method: "GET",
    path: "/messages/:id/media",
    scope: "read",
    params: IdParams,
    answers: () => ({ 200: BYTES }),
    bytes: true,
    conditional: true,
    errors: [
      "not_found",
      "media_expired",
      "account_not_connected",
      "channel_account_error",
      "channel_unavailable",
    ],
  }, async ({ caller, params: { id }, origin }) => {
    const asked = caller.db.rpc("media_of_message", { message_id: id }, { get: true });
    const found = rows(await asked) as unknown as MediumOfMessage; // the function's jsonb
    switch (found.result) {
      case "not_found":
        throw new ApiError("not_found", "Message not found");
      case "no_media":
        throw new ApiError("not_found", "The message has no medium");
      case "gone":
        throw mediaExpired(found.at);
      case "no_account":
        throw new ApiError(
          "account_not_connected",
          "The messaging account that received the message is not connected; ask the operator to " +
            "connect it again, then repeat the request",
        );
    }
    return replyInBytes(200, {
      etag: found.media.sha256,
      async open(headOnly) {
        // This code is loaded only when someone reads a media file.
        const { openedMedium } = await import("./opened_medium.ts");
        return await openedMedium(config, places, {
          caller,
          messageId: id,
          found,
          headOnly,
          origin,
        });
      },
    });
  });
}
