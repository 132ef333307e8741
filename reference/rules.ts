/**
 * The rules for requests that JSON Schema cannot express. The description of the API lists them, and each has
 * a case in the tests: a request that the schemas allow and the service refuses, or changes before it is
 * stored.
 */
export const RULES = {
  trimmed:
    "White space around a text is removed before its length is counted. `display_text`, the " +
    "variables of a template and `idempotency_key` are kept to the byte.",
  storable:
    "A text must not contain the null character (U+0000) or half a surrogate pair, because the " +
    "database cannot store them.",
  given_once:
    "A field must not be given twice in one object, also within `custom_fields`. A parameter must " +
    "not be given twice.",
  exact_number: "A number must not have more digits than a 64-bit float keeps exactly.",
  custom_fields_size:
    "`custom_fields` is at most 16 KiB of JSON, with at most 32 levels of nesting.",
  different_tags: "A contact has at most 50 different tags. Repeated tags are dropped.",
  email_shape:
    "An email address has one `@`, a local part of at most 64 characters and a domain with a dot. " +
    "It may be in any script. A quoted local part or an IP address in brackets is refused.",
  own_reference:
    "The id of another record must be of a record of your company. The id of another company's " +
    "record is refused like an id that does not exist.",
  own_cursor:
    "`cursor` is the `next_cursor` of a page of the same list, unchanged, with the same filters and sort.",
  escaped_comma:
    "In a parameter that takes several values, a comma within a value is `\\,` and a backslash is `\\\\`.",
  searchable:
    "`q` and `[contains]` need a letter or a digit. `q` has at most 10 words, each text at most 255 characters.",
  cursor_or_start: "`start` and `cursor` are not given together.",
  body_size:
    "A body is one JSON object of at most 1 MiB, in UTF-8. The body of a GET request is not read.",
  body_values:
    "A body has at most 10,000 JSON values, that of a batch 100,000, those within others included, and at most 64 levels.",
  query_size:
    "The query of an address is at most 16 KiB, with at most 100 parameters. Filters must fit into 7,500 bytes " +
    "together, as the database is asked for them.",
  plus_sign:
    "In an address, a plus sign is `%2B`. Before a phone and before the offset of a time it may stand as it is.",
} as const;

/** The name of a rule. */
export type RuleId = keyof typeof RULES;
