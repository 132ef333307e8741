// The prose of the parameters. Those of filters are made from their operators, so a new one has words at once.

const PARAMETERS: Record<string, string> = {
  limit: "The greatest number of records on a page. A page of large records ends earlier.",
  cursor:
    "Continues after a page: the `next_cursor` of that page, with the same filters and the same `sort`.",
  start:
    "Where to start without a cursor: at the `beginning`, or `now`, which gives no change and a cursor for " +
    "the changes from now on. Not together with `cursor`.",
  fields: "The fields that a record of the answer has; without it, all of them.",
  include:
    "Records that belong to a record of the answer, each as a member of this name. `fields` does not " +
    "choose among their fields.",
  sort:
    "The field by which the list is sorted, descending with a minus sign. Records with the same value " +
    "are in the order of their ids.",
  include_total:
    "With `true`, `pagination` also says how many records the filters find: `total` and `total_relation`.",
  move_deals_to: "The stage to which the deals of the stage move. Required when it has deals.",
  archived:
    "Archived records: `exclude` leaves them out, `include` answers them among the others, `only` answers them alone. A " +
    "record has a time in `archived_at` while it is archived.",
  q: "Words, each of which a record must have in one of the searched fields. They stand in any order; case, " +
    "accents and punctuation do not count. A word of one or two letters is found at the beginning of a " +
    "word, a longer one anywhere.",
  custom_fields:
    "`custom_fields.<key>=<value>` finds contacts by a custom field. The key is all that follows the first " +
    'dot. The value is compared as text: `5` finds 5 and "5". Several values have commas between them.',
  on_conflict:
    "What becomes of a contact that your company has already. `update`: the given fields replace its own. `keep`: they " +
    "fill only fields that are empty. `fail`: it stays as it is, and the item is a 409.",
  atomic:
    "With `true`, nothing is written unless every item can be. The answer is then the error of the first item that cannot, " +
    "and `details` has the fields of the items, such as `items.3.phone`.",
  idempotency_key: "The idempotency key of the send, as it was given.",
  dry_run:
    "With `true`, the request is judged as a send, and nothing is sent or written. A fault is answered as the " +
    "send would answer it.",
};

const FILTERS: Record<string, (field: string) => string> = {
  is: (field) => `Finds records whose \`${field}\` is this value, or one of several.`,
  ne: (field) => `Finds records whose \`${field}\` is none of these values.`,
  gt: (field) => `Finds records whose \`${field}\` is ${isTime(field) ? "after" : "above"} this.`,
  gte: (field) =>
    `Finds records whose \`${field}\` is this or ${isTime(field) ? "after" : "above"} it.`,
  lt: (field) => `Finds records whose \`${field}\` is ${isTime(field) ? "before" : "below"} this.`,
  lte: (field) =>
    `Finds records whose \`${field}\` is this or ${isTime(field) ? "before" : "below"} it.`,
  contains: (field) =>
    `Finds records with this text in \`${field}\`; case, accents and punctuation do not count. A text of one or ` +
    "two letters is found at the beginning of a word, a longer one anywhere.",
  all: (field) => `Finds records whose \`${field}\` has all of these values.`,
  empty: (field) =>
    `With \`true\`, finds records without a value in \`${field}\`; with \`false\`, those with one.`,
};

function isTime(field: string): boolean {
  return /(^|_)at$/.test(field);
}

/** The filters whose words the operators do not say. */
const SPECIAL: Record<string, string> = {
  tags: "Finds contacts that have at least one of these tags.",
  "tags[all]": "Finds contacts that have all of these tags.",
  "tags[ne]": "Finds contacts that have none of these tags.",
  phone:
    "Finds contacts by phone, in any spelling of the number. A plus sign is `%2B` in an address.",
  "phone[ne]": "Finds contacts with another phone than these, in any of their spellings.",
  email: "Finds contacts by email address, in any case.",
  phone_number_id:
    "Finds what belongs to one of these messaging accounts: templates that it can send, conversations that are on it.",
};

/** The words of the headers of a request. */
export const HEADER_WORDS = {
  "Idempotency-Key":
    "A name of your own for this request, such as a UUID, of 1 to 255 visible ASCII characters. A repeat with the same key " +
    "and body within 24 hours writes nothing: it answers the rows that the first request wrote, as they are now.",
  "Idempotency-Key of a send":
    "`idempotency_key` in the body names the send, so this header can be left out. When it is sent, it must be the same.",
  "If-Match":
    "The ETag of the record as you read it, which is its `version` in double quotes. The change is made only while the " +
    "record still has it; else the answer is a 412 and nothing is written. It may be a list, or `*` for any.",
  "If-None-Match":
    "The ETag of the record as you have it. While the record still has it, the answer is a 304 without a body. It may be " +
    "a list, or `*` for any. Together with `fields` or `include` it does nothing.",
} as const;

/** The words of a parameter in a path or a query. @throws Error when it has none. */
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
