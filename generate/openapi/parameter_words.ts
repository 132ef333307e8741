// The descriptions of parameters. A filter's description is generated from its operator, so a new
// filter needs no new description.

const PARAMETERS: Record<string, string> = {
  limit: "The maximum number of records on a page. A page of large records may have fewer records.",
  cursor:
    "The `next_cursor` of the previous page. Send it with the same filters and the same `sort` to " +
    "get the next page.",
  start:
    "Where to start if the request has no cursor. `beginning` starts at the first record. `now` " +
    "returns no changes, only a cursor for later changes. Do not combine `start` with `cursor`.",
  fields:
    "The fields that each record in the response has. Without this parameter, each record has " +
    "all fields.",
  include: "Adds related records to each record in the response. Each name becomes a field " +
    "that contains the related records. `fields` does not apply to the added records.",
  sort: "The field to sort the list by. A minus sign before the field sorts in descending order. " +
    "Records with the same value are sorted by id.",
  include_total:
    "With `true`, `pagination` also contains `total`, the number of records that match the " +
    "filters, and `total_relation`.",
  move_deals_to:
    "The id of the stage that receives the archived stage's deals. Required if the stage has " +
    "deals.",
  archived: "Whether the list contains archived records. `exclude` leaves out archived records. " +
    "`include` lists all records. `only` lists only archived records. While a record is " +
    "archived, its `archived_at` is not null.",
  q: "Finds records that have all of these words. Each word may be in a different field. " +
    "Word order, case, accents and punctuation make no difference. A word of one or two letters " +
    "matches only at the beginning of a word. A longer word matches anywhere. Numbers with 8 to " +
    "15 digits in total also find a contact by phone number, in any format and with or without " +
    "the country code.",
  custom_fields:
    "`custom_fields.<key>=<value>` finds contacts by a custom field. The key is everything after " +
    "the first dot. A second dot is part of the key, or separates the key of an object from " +
    "a key within that object, as in " +
    '`custom_fields.opening.city=Toronto`. The value is compared as text: `5` finds 5 and "5". ' +
    "Separate several values with commas.",
  on_conflict:
    "What happens to a record that your company already has. `update`: the request's fields " +
    "replace the record's fields. `merge`: like `update`, but `custom_fields` is merged key by " +
    "key (`null` removes a key), and `tags` is added to the stored tags. `keep`: the request's " +
    "fields fill only empty fields. `fail`: the record does not change, and the item gets a 409.",
  match: "The field that identifies the contact: `phone`, in any format, or `external_id`.",
  atomic: "With `true`, either all items are written or none. If no items are written, the " +
    "response is the error of the first item that cannot be written. `details` names the item's " +
    "invalid fields, such as `items.3.phone`.",
  record_id: "Finds the events about this record.",
  since: "Finds events at this time or later.",
  until: "Finds events before this time.",
  idempotency_key: "Finds the send with this idempotency key, exactly as you sent it. A comma in " +
    "the key does not separate values.",
  reason: "Finds sends whose `failure.reason` is one of these reasons.",
  "reason[ne]": "Finds sends whose `failure.reason` is none of these reasons, and sends without " +
    "a reason.",
  "reason[empty]": "`true` finds sends without a `failure`; `false` finds sends with a `failure`.",
  dry_run: "With `true`, the service checks the request like a real send, but sends and writes " +
    "nothing. The response has the same errors as a real send.",
};

const FILTERS: Record<string, (field: string) => string> = {
  is: (field) => `Finds records whose \`${field}\` is one of these values.`,
  ne: (field) => `Finds records whose \`${field}\` is none of these values.`,
  gt: (field) => compared(field, "after this time", "above this number"),
  gte: (field) => compared(field, "this time or later", "at least this number"),
  lt: (field) => compared(field, "before this time", "below this number"),
  lte: (field) => compared(field, "this time or earlier", "at most this number"),
  contains: (field) =>
    `Finds records with this text in \`${field}\`; case, accents and punctuation make no ` +
    "difference. One or two letters match only at the beginning of a word; a longer text matches " +
    "anywhere.",
  all: (field) => `Finds records whose \`${field}\` has all of these values.`,
  empty: (field) =>
    `\`true\` finds records without a value in \`${field}\`; \`false\` finds records with a value.`,
};

function compared(field: string, asTime: string, asNumber: string): string {
  return `Finds records whose \`${field}\` is ${/(^|_)at$/.test(field) ? asTime : asNumber}.`;
}

/** The filters that need their own descriptions. */
const SPECIAL: Record<string, string> = {
  pipeline_id:
    "Finds records that belong to one of these pipelines. A deal belongs to the pipeline of its " +
    "stage. In a search for deals, these pipelines together may have at most 100 stages that are " +
    "not archived.",
  tags: "Finds contacts that have at least one of these tags.",
  "tags[all]": "Finds contacts that have all of these tags.",
  "tags[ne]": "Finds contacts that have none of these tags.",
  phone:
    "Finds records by their contact's phone number. Send the number with its country code, in " +
    "any format. Spaces, brackets and hyphens make no difference. In a URL, write the plus sign " +
    "as `%2B`, or leave it out.",
  "phone[ne]":
    "Finds contacts that have none of these phone numbers. All formats of a phone number are " +
    "equivalent.",
  email:
    "Finds records by the email address of the contact or member. Case makes no difference. For " +
    "members, the filter works only if an owner or admin of your company has allowed it.",
  phone_number_id:
    "Finds conversations on one of these messaging accounts, or templates that one of these " +
    "accounts can send.",
};

/** The descriptions of request headers. */
export const HEADER_WORDS = {
  "Idempotency-Key":
    "Your own key for this request, such as a UUID, with 1 to 255 visible ASCII characters. A " +
    "repeated request with the same key and body within 24 hours writes nothing. It returns the " +
    "records that the first request wrote, in their current state.",
  "Idempotency-Key of a send":
    "`idempotency_key` in the body identifies the send, so you can leave out this header. If you " +
    "send the header, it must have the same value.",
  "If-Match":
    "The ETag that you have read: the record's `version` in double quotes. The change is " +
    "made only if the record still has this ETag. Otherwise, the request returns a 412 and " +
    "nothing is written. The header may contain a list of ETags, or `*` for any ETag.",
  "If-None-Match":
    "The ETag of your copy of the record. While the record still has this ETag, the response is " +
    "a 304 without a body. The header may contain a list of ETags, or `*` for any ETag. If the " +
    "request has `fields` or `include`, the header has no effect.",
} as const;

/**
 * Returns the description of a path or query parameter.
 * @throws Error if the parameter has no description.
 */
export function parameterWords(name: string, place: "path" | "query"): string {
  if (place === "path" && name === "id") return "The record's id.";
  if (place === "path" && name === "message_id") return "The id of the sent message.";
  const known = PARAMETERS[name] ?? SPECIAL[name];
  if (known) return known;
  const [, field, operator = "is"] = /^(\w+)(?:\[(\w+)\])?$/.exec(name) ?? [];
  const words = FILTERS[operator];
  if (!field || !words) throw new Error(`the parameter ${name} has no description: add one`);
  return words(field);
}
