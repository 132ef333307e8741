// The prose of the parameters. Those of filters are made from their operators, so a new one has words at once.

const PARAMETERS: Record<string, string> = {
  id: "The id of the record.",
  limit: "The greatest number of records on a page.",
  cursor: "Continues after a page: the `next_cursor` of that page, with the same filters and sort.",
  start:
    "Where to start without a cursor: at the `beginning`, or `now`, which gives no change and a cursor for " +
    "the changes from now on. Not together with `cursor`.",
  fields: "The fields to answer, and no others.",
  include: "The records to add to each record.",
  sort: "The order of the list, descending with a minus sign. Ties are in the order of their ids.",
  include_total: "With `true`, `pagination` also says how many records the filters find.",
  q: "Words that a record must have, in any order, in any of the searched fields; accents and case aside. Words of one " +
    "or two letters are found at the beginning of a word, longer ones anywhere.",
  custom_fields:
    "`custom_fields.<key>=<value>` finds contacts by a custom field. The value is compared as text: `5` finds 5 and " +
    '"5". Several values have commas between them.',
  dry_run:
    "With `true`, the request is judged as a send, and nothing is sent or written. A fault is answered as the " +
    "send would answer it.",
};

const FILTERS: Record<string, (field: string) => string> = {
  is: (field) => `Finds records by \`${field}\`: one value, or several of which it is one.`,
  ne: (field) => `Finds records whose \`${field}\` is none of these values, or has no value.`,
  gt: (field) => `Finds records whose \`${field}\` is greater.`,
  gte: (field) => `Finds records whose \`${field}\` is at least this.`,
  lt: (field) => `Finds records whose \`${field}\` is less.`,
  lte: (field) => `Finds records whose \`${field}\` is at most this.`,
  contains: (field) =>
    `Finds records with this text in \`${field}\`, accents, case and punctuation aside.`,
  all: (field) => `Finds records whose \`${field}\` has all of these.`,
  empty: (field) =>
    `With \`true\`, finds records without \`${field}\`; with \`false\`, the others.`,
};

/** The filters whose words the operators do not say. */
const SPECIAL: Record<string, string> = {
  tags: "Finds contacts that have at least one of these tags.",
  "tags[ne]": "Finds contacts that have none of these tags.",
  phone: "Finds contacts by phone, in any of its spellings.",
  email: "Finds contacts by email address, in any case.",
  phone_number_id: "Finds templates that one of these connected messaging accounts can send.",
};

/** The words of a parameter. @throws Error when it has none. */
export function parameterWords(name: string): string {
  const known = PARAMETERS[name] ?? SPECIAL[name];
  if (known) return known;
  const [, field, operator = "is"] = /^(\w+)(?:\[(\w+)\])?$/.exec(name) ?? [];
  const words = FILTERS[operator];
  if (!field || !words) throw new Error(`the parameter ${name} has no words`);
  return words(field);
}
