import { joinedTable } from "../../../_shared/database/table.ts";
import { type ColumnTest, compares, isAnyOf } from "../../records/conditions.ts";
import {
  choice,
  computedChoice,
  inOneOf,
  literal,
  optionalChoice,
  rareText,
  time,
} from "../../records/filters.ts";
import { listOperation } from "../../records/list_operation.ts";
import { oneOf, PHONE, TEXT, UUID } from "../../records/query_values.ts";
import { readOperation } from "../../records/read_operation.ts";
import { resource } from "../../records/resource.ts";
import { byTime, newestFirst } from "../../records/sorting.ts";
import { MESSAGE_STATUSES } from "../messages/row.ts";
import { Send, SEND_STATES } from "./row.ts";

/**
 * The filter on a send's state or status. A pending send whose lease has ended counts as failed.
 * @param rare the values for which there is an index. The index contains the rows for which
 * `isRare` is true.
 */
function outcome(column: string, words: readonly string[], rare: string[], isRare: string) {
  return computedChoice(oneOf(words), (operands) => {
    const stored = isAnyOf(column, operands) as ColumnTest[];
    const hasEnded = (is: boolean) => compares("has_ended", "eq", String(is)) as ColumnTest[];
    const [pending, failed] = ["pending", "failed"].map((each) => operands.includes(each));
    return [
      ...(failed && !pending ? [{ anyOf: [...stored, ...hasEnded(true)] }] : stored),
      ...(pending && !failed ? hasEnded(false) : []),
      ...(operands.every((each) => rare.includes(each)) ? compares(isRare, "eq", "true") : []),
    ];
  });
}

const NOT_SENT = ["pending", "failed", "released"];
const UNUSUAL = ["pending", "failed", "expired"];

export const SEND = resource({
  table: joinedTable("sends", Send, "own_sends"),
  name: "Send",
  filters: {
    message_id: choice("message_id", UUID),
    conversation_id: choice("conversation_id", UUID),
    contact_id: choice("contact_id", UUID),
    phone: inOneOf(["phone_key", "archived_phone_key"], PHONE),
    idempotency_key: literal("idempotency_key", 200),
    api_key_id: optionalChoice("api_key_id", UUID),
    template_name: optionalChoice("template_name", TEXT),
    state: outcome("stored_state", SEND_STATES, NOT_SENT, "is_not_sent"),
    status: outcome("stored_status", MESSAGE_STATUSES, UNUSUAL, "is_unusual"),
    reason: rareText("reason", "is_unusual"),
    created_at: time("created_at"),
  },
  besides: { column: "phone_key", by: "contacts_of_further_phones", contact: "contact_id" },
  sorts: { created_at: byTime("created_at") },
  order: newestFirst("message_id"),
});

/**
 * A send records whether the channel accepted the message. The message itself records what happened
 * afterwards (specification, 4.18).
 */
export const sends = [
  listOperation({ id: "listSends", path: "/sends", resource: SEND }),

  readOperation({ id: "getSend", path: "/sends/:message_id", resource: SEND, by: "message_id" }),
];
