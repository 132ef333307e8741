import type { ApiError } from "../errors.ts";

/** The content of an error, without anything that the caller sent. */
export interface Problem {
  /** The name of the field, parameter or header, as the API describes it; null when there is none. */
  field: string | null;
  /** The error message of the service. */
  problem: string;
}

const MAX_FIELD = 128;
const MAX_PROBLEM = 300;

/**
 * What is stored about an error. Names and values that the caller chose are left out, because they
 * may identify a person: an unknown field, the key of a custom field, an id, a phone number or a
 * time.
 */
export function problemOf({ message, parts: { details = [] } }: ApiError): Problem {
  const [wrong] = details;
  if (!wrong) return { field: null, problem: wordsOf(message) };
  const field = IS_CALLERS_NAME.test(wrong.message) ? null : nameOf(wrong.field);
  return { field, problem: wordsOf(wrong.message) };
}

/** If an error has one of these messages, the caller chose the name of the field. */
const IS_CALLERS_NAME =
  /^is (?:not an? (?:field|parameter) that|not a part of this path|given more than once|not in UTF-8)/;

/** The parts of a field's name that the service knows. An index in a list becomes `*`. */
function nameOf(field: string): string | null {
  const own = field.replace(/\bcustom_fields\..*/s, "custom_fields.*");
  const name = own.split(".").map((part) => {
    const [, word, operator = ""] = NAME.exec(part) ?? [];
    return word === undefined ? "*" : `${word}${operator}`;
  }).join(".");
  return name === "*" ? null : name.slice(0, MAX_FIELD);
}

/**
 * A name, and the operator of a parameter. An unknown operator comes from the caller, so it is left
 * out.
 */
const NAME =
  /^([A-Za-z][A-Za-z_-]{0,39})(\[(?:ne|gt|gte|lt|lte|contains|all|empty)\])?(?:\[[^\]]*\]?)?$/;

/** A message without its values, such as ids, times and URLs, and without the channel's words. */
function wordsOf(message: string): string {
  const words = withoutWrongName(message).replace(REASON, "…").replace(VALUES, "…")
    .replace(ADDRESSES, "…");
  const short = words.length > MAX_PROBLEM ? `${words.slice(0, MAX_PROBLEM - 1)}…` : words;
  // Postgres refuses the counts of all companies if a message ends with half an emoji.
  return short.toWellFormed();
}

/** The message about `fields` and `include` repeats the name that the caller wrote. */
function withoutWrongName(message: string): string {
  const end = message.lastIndexOf(", which is not one of ");
  return message.startsWith("names ") && end > 0 ? `names …${message.slice(end)}` : message;
}

/**
 * Times, ids, phone numbers, and the line and column of a fault in a body. An example (after "such
 * as") is kept.
 */
const VALUES =
  /(?<!such as \+?)\b(?:\d{4}-\d\d-\d\dT[\d:.]+(?:Z|\+00:00)?|[\da-f]{8}-[\da-f-]{27}|\d{7,})|(?<=\b(?:line|column) )\d+/gi;

/** E-mail addresses and URLs, each up to the next space. An example and a lone `https://` are kept. */
const ADDRESSES = /(?<!\S)(?<!such as )\S*?(?:@|:\/\/(?=[^\s;]))\S*?(?=;?(?!\S))/g;

/** The reason why a template's sample cannot be sent, which may be the channel's message. */
const REASON = /(?<= does not have the media of the template's header: ).*/s;
