// The texts about parameters. The texts about filters are made from their operators, so a new
// filter has its text immediately.

const PARAMETERS: Record<string, string> = {
  limit: "The maximum number of records on a page. A page of large records may have fewer records.",
  cursor:
    "The `next_cursor` of the previous page. Send it with the same filters and the same `sort` to " +
    "get the next page.",
  start: "Where to start without a cursor: `beginning` starts at the first record. `now` returns " +
    "no changes, but a cursor for later changes. Do not combine `start` with `cursor`.",
  fields:
    "The fields that each record of the answer has. Without this parameter, each record has all fields.",
  include:
    "Adds related records to each record of the answer. Each name that you give becomes a field " +
    "with the related records. `fields` does not apply to the added records.",
  sort: "The field to sort the list by; a minus sign before it sorts in descending order. " +
    "Records with the same value are in the order of their ids.",
  include_total:
    "With `true`, `pagination` also says how many records the filters find: `total` and `total_relation`.",
  move_deals_to:
    "The id of the stage that gets the deals of the archived stage. Required when the stage has deals.",
  archived: "Archived records: `exclude` leaves them out, `include` lists them together with the " +
    "others, `only` lists only archived records. A record has a time in `archived_at` while " +
    "it is archived.",
  q: "Finds records that have all of these words. The words may be in different searched fields. " +
    "The order of the words, case, accents and punctuation make no difference. A word of one or " +
    "two letters is found only at the beginning of a word; a longer word is found anywhere. " +
    "Numbers with 8 to 15 digits together also find a contact by its phone, in any spelling and " +
    "with or without the country.",
  custom_fields:
    "`custom_fields.<key>=<value>` finds contacts by a custom field. The key is everything " +
    "after the first dot. A further dot is a part of the key, or separates it from the key of a " +
    "nested object, as in " +
    '`custom_fields.opening.city=Toronto`. The value is compared as text: `5` finds 5 and "5". ' +
    "Separate several values with commas.",
  on_conflict:
    "What happens to a record that your company already has. `update`: the fields of the " +
    "request replace the fields of the record. `merge`: the same, but `custom_fields` is merged " +
    "key by key (`null` removes a key), and `tags` is added to the stored tags. `keep`: the " +
    "fields of the request fill only empty fields. `fail`: the record does not change, and the " +
    "item gets a 409.",
  match: "The field by which the contact is found: `phone`, in any spelling, or `external_id`.",
  atomic:
    "With `true`, either all items are written, or none. If none is written, the answer is the " +
    "error of the first item that cannot be written, and `details` names its wrong fields, such " +
    "as `items.3.phone`.",
  record_id: "Finds the events of this record.",
  since: "Finds what happened at this time or later.",
  until: "Finds what happened before this time.",
  idempotency_key: "Finds the send with this idempotency key, exactly as you sent it. A comma in " +
    "the key does not separate values.",
  reason:
    "Finds sends that failed or were released for this reason, or for one of these reasons: " +
    "the `reason` in their `failure`.",
  "reason[ne]": "Finds sends that failed or were released for none of these reasons, and sends " +
    "without a reason.",
  "reason[empty]": "`true` finds sends without a `failure`; `false` finds sends with one.",
  dry_run: "With `true`, the request is checked like a send, but nothing is sent or written. The " +
    "errors are those that the send would return.",
};

const FILTERS: Record<string, (field: string) => string> = {
  is: (field) => `Finds records whose \`${field}\` is this value, or one of these values.`,
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

/** The filters that need their own words. */
const SPECIAL: Record<string, string> = {
  pipeline_id: "Finds records of one of these pipelines. A deal is in the pipeline of its stage.",
  tags: "Finds contacts that have at least one of these tags.",
  "tags[all]": "Finds contacts that have all of these tags.",
  "tags[ne]": "Finds contacts that have none of these tags.",
  phone:
    "Finds records by the phone of their person, with the country code and in any spelling of the number. Blanks, " +
    "brackets and hyphens make no difference. In a URL, write the plus sign as `%2B`, or leave it out.",
  "phone[ne]":
    "Finds contacts that have none of these phones. All spellings of a phone count as the same " +
    "phone.",
  email: "Finds records by the email address of their person. Upper and lower case make no " +
    "difference. For members, an owner or admin of your company must allow this search.",
  phone_number_id:
    "Finds conversations on one of these messaging accounts, or templates that one of these " +
    "accounts can send.",
};

/** The words for the headers of a request. */
export const HEADER_WORDS = {
  "Idempotency-Key":
    "Your own name for this request, such as a UUID, of 1 to 255 visible ASCII characters. A repeat " +
    "with the same key and body within 24 hours writes nothing: it returns the records that the " +
    "first request wrote, in their current state.",
  "Idempotency-Key of a send":
    "`idempotency_key` in the body names the send, so you can leave out this header. If you send " +
    "the header, it must have the same value.",
  "If-Match": "The ETag of the record when you read it: its `version` in double quotes. The " +
    "change is made only if the record still has this ETag; otherwise the answer is a 412 " +
    "and nothing is written. The header may have a list of ETags, or `*` for any ETag.",
  "If-None-Match":
    "The ETag of your copy of the record. While the record still has this ETag, the answer " +
    "is a 304 without a body. The header may have a list of ETags, or `*` for any ETag. " +
    "Together with `fields` or `include`, the header has no effect.",
} as const;

/** The words for a parameter in a path or a query. @throws Error when it has none. */
export function parameterWords(name: string, place: "path" | "query"): string {
  if (place === "path" && name === "id") return "The id of the record.";
  if (place === "path" && name === "message_id") return "The id of the message that was sent.";
  const known = PARAMETERS[name] ?? SPECIAL[name];
  if (known) return known;
  const [, field, operator = "is"] = /^(\w+)(?:\[(\w+)\])?$/.exec(name) ?? [];
  const words = FILTERS[operator];
  if (!field || !words) throw new Error(`the parameter ${name} has no words`);
  return words(field);
}
