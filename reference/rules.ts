/**
 * The rules of requests that JSON Schema cannot say. They stand in the description of the API, and each
 * has a case in the tests that shows it: a request that the schemas allow and the service refuses, or one
 * that the service takes as if it were another.
 */
export const RULES = {
  trimmed:
    "White space around a text is removed before its length counts. `display_text`, the variables " +
    "of a template and `idempotency_key` are kept to the byte.",
  storable:
    "No text holds the null character (U+0000) or half a surrogate pair, because the database " +
    "cannot keep them.",
  given_once:
    "A field is given once in an object, also inside `custom_fields`, and so is a parameter.",
  exact_number: "A number has no more digits than a 64-bit float keeps exactly.",
  custom_fields_size: "`custom_fields` is at most 16 KiB of JSON, nested at most 32 levels deep.",
  different_tags: "A contact has at most 50 different tags. Repeats are dropped.",
  email_shape:
    "An email address has one `@`, a local part of at most 64 characters and a domain with a dot; " +
    "quoted local parts and addresses of machines are refused. It may be in any script.",
  own_reference:
    "An id of another record is an id of your company's; another company's id is refused as " +
    "one that does not exist.",
  own_cursor: "`cursor` is the `next_cursor` of a page of the same list, unchanged.",
  body_size:
    "A body is at most 1 MiB, in UTF-8, and is one JSON object. A body on GET is not read.",
} as const;

export type RuleId = keyof typeof RULES;
