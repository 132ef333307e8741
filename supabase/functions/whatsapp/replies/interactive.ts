import type { Json } from "../../_shared/database/types.ts";
import type { ReplyRequest } from "./reply_request.ts";

/** The buttons or the list of a reply in the channel's format, without the text. */
export function interactiveOf(
  { buttons, list }: ReplyRequest,
): { type: "button" | "list"; action: Json } | undefined {
  if (buttons) {
    return {
      type: "button",
      action: { buttons: buttons.map((reply) => ({ type: "reply", reply })) },
    };
  }
  return list && { type: "list", action: { button: list.button, sections: list.sections as Json } };
}
