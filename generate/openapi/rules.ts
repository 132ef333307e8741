/**
 * The rules for requests that JSON Schema cannot express. The OpenAPI document lists these rules.
 * For each rule, the tests contain a request that the schemas allow. The service refuses this
 * request, or changes the values before it stores them.
 */
export const RULES = {
  trimmed: "White space around a string is removed before its length is counted. `display_text`, " +
    "template variables and `idempotency_key` are not trimmed.",
  storable:
    "A string must not contain the null character (U+0000) or half of a surrogate pair, because " +
    "the database cannot store these characters.",
  given_once: "An object must not have duplicate fields. This rule also applies to objects in " +
    "`custom_fields`. A request must not have duplicate parameters either.",
  exact_number: "A number must not have more digits than a 64-bit float can represent exactly.",
  custom_fields_size:
    "`custom_fields` is at most 16 KiB of JSON, with at most 32 levels of nesting.",
  different_tags: "A contact has at most 50 different tags. Duplicate tags are removed.",
  email_shape:
    "An email address has one `@`, a local part of at most 64 characters and a domain with a " +
    "dot. The address may use any script. A quoted local part or an IP address in brackets is " +
    "refused.",
  own_reference:
    "If a field contains the id of another record, that record must belong to your company. " +
    "Another company's record id is refused in the same way as an id that does not exist.",
  own_cursor:
    "`cursor` must be the unchanged `next_cursor` from a page of the same list. The filters and " +
    "`sort` must be the same as for that page.",
  escaped_comma:
    "In a parameter with several values, write a comma within a value as `\\,` and a backslash as `\\\\`.",
  searchable: "`q` and `[contains]` must contain a letter or a digit. Each may have at most 255 " +
    "characters. `q` may have at most 10 words.",
  cursor_or_start: "`start` and `cursor` cannot be combined.",
  choices:
    "The buttons of a reply must have different ids and different titles. The sections of a list " +
    "may have at most ten rows in total, with different ids. If a list has several sections, " +
    "each section must have a title.",
  body_size:
    "A body is one JSON object of at most 1 MiB, in UTF-8. The body of a GET request is not read.",
  body_values:
    "A body has at most 64 levels of nesting and at most 10,000 JSON values. A batch body has at " +
    "most 100,000 values. These limits include nested values.",
  query_size:
    "A query string has at most 16 KiB and at most 100 parameters. All filters together must fit " +
    "into 7,500 bytes, in the form in which the service sends them to the database.",
  plus_sign:
    "In a URL, write a plus sign as `%2B`. A plain plus sign is also allowed before a phone " +
    "number and before a time's UTC offset.",
} as const;

/** The name of a rule, such as `trimmed`. */
export type RuleId = keyof typeof RULES;
