/**
 * The rules for requests that JSON Schema cannot express. The description of the API lists these
 * rules. For each rule, the tests have a request that the schemas allow. The service refuses this
 * request, or stores it with changes.
 */
export const RULES = {
  trimmed:
    "White space around a text is removed before its length is counted. `display_text`, the " +
    "variables of a template and `idempotency_key` are not trimmed.",
  storable:
    "A text must not contain the null character (U+0000) or half a surrogate pair, because the " +
    "database cannot store them.",
  given_once:
    "An object must not have a field twice. This is also true of the objects in `custom_fields`. " +
    "A parameter must not be given twice either.",
  exact_number: "A number must not have more digits than a 64-bit float can represent exactly.",
  custom_fields_size:
    "`custom_fields` is at most 16 KiB of JSON, with at most 32 levels of nesting.",
  different_tags: "A contact has at most 50 different tags. Duplicate tags are removed.",
  email_shape:
    "An email address has one `@`, a local part of at most 64 characters and a domain with a dot. " +
    "The address may be in any script. A quoted local part or an IP address in brackets is " +
    "refused.",
  own_reference:
    "When a field has the id of another record, your company must have that record. The id of " +
    "another company's record is refused like an id that does not exist.",
  own_cursor:
    "`cursor` must be the unchanged `next_cursor` of a page of the same list. The filters and " +
    "`sort` must be the same as for that page.",
  escaped_comma:
    "In a parameter with several values, write a comma within a value as `\\,` and a backslash as `\\\\`.",
  searchable:
    "`q` and `[contains]` need a letter or a digit. `q` has at most 10 words. Both have at most 255 characters.",
  cursor_or_start: "`start` and `cursor` cannot be combined.",
  choices:
    "The buttons of a reply have different ids and different titles. The sections of a list have at " +
    "most ten rows in all, with different ids, and each of several sections has a title.",
  body_size:
    "A body is one JSON object of at most 1 MiB, in UTF-8. The body of a GET request is not read.",
  body_values:
    "A body has at most 64 levels of nesting and at most 10,000 JSON values. The body of a batch " +
    "has at most 100,000 values. Nested values count too.",
  query_size:
    "A query string has at most 16 KiB and at most 100 parameters. All filters together must fit " +
    "into 7,500 bytes, as the service sends them to the database.",
  plus_sign:
    "In a URL, write a plus sign as `%2B`. Before a phone and before the offset of a time, a " +
    "plain plus sign is allowed too.",
} as const;

/** The name of a rule. */
export type RuleId = keyof typeof RULES;
