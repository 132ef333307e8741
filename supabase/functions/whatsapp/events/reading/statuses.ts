import { REACTION_MARK } from "../../../_shared/channel/message_call.ts";
import { reasonOf } from "../../../_shared/channel/outcome.ts";
import type { ChannelTrouble, Failure, Item, ItemPlace, Status } from "./item.ts";
import { idIn, integerIn, list, member, object, objectIn, textIn, timeIn } from "./loose.ts";
import { unknown } from "./unknown.ts";

/** Reads one entry of the `statuses` of a change. */
export function readStatus(status: unknown, place: ItemPlace): Item {
  const id = idIn(status, "id");
  const name = textIn(status, "status", 64);
  if (id === null || name === null) return unknown(place, "messages.statuses");
  // This platform never sends to a group, so another tool sent this message.
  if (idIn(status, "recipient_participant_id") !== null) return unknown(place, "messages.group");
  const isFailed = name === "failed";
  return {
    kind: "status",
    ...place,
    at: timeIn(status, "timestamp"),
    id,
    // A voice message that was played counts as read.
    status: name === "played" ? "read" : name,
    mark: markIn(status),
    recipient_user_id: idIn(status, "recipient_user_id"),
    failure: isFailed ? failureIn(status) : null,
    price: priceIn(status),
  };
}

/** The label that this platform sends with the message of a send: `<send id>.<attempt>`. */
const MARK = /^([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\.([1-9][0-9]{0,8})$/i;

function markIn(status: unknown): Status["mark"] {
  const mark = textIn(status, "biz_opaque_callback_data", 512) ?? "";
  if (mark === REACTION_MARK) return mark;
  const [, sendId, attempt] = MARK.exec(mark) ?? [];
  return sendId === undefined ? null : { send_id: sendId.toLowerCase(), attempt: Number(attempt) };
}

function failureIn(status: unknown): Failure {
  const errors = errorsIn(member(status, "errors"));
  const error = errors.find(({ code }) => code !== null) ?? errors[0] ??
    { code: null, message: null, details: null };
  return { reason: (error.code !== null && reasonOf(error.code)) || "channel_error", ...error };
}

/** The errors of a list, as the channel reports them. */
export function errorsIn(errors: unknown): ChannelTrouble[] {
  return list(errors).filter((error) => object(error) !== null).slice(0, 10).map((error) => ({
    code: integerIn(error, "code"),
    message: textIn(error, "message", 1000) ?? textIn(error, "title", 1000),
    details: textIn(objectIn(error, "error_data"), "details", 1000),
  }));
}

function priceIn(status: unknown): Status["price"] {
  const pricing = objectIn(status, "pricing");
  const [category, type] = [textIn(pricing, "category", 64), textIn(pricing, "type", 64)];
  return category === null && type === null ? null : { category, type };
}
