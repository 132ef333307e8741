import { closestString } from "deno-std/text/closest_string.js";
import { levenshteinDistance } from "deno-std/text/levenshtein_distance.js";

/** A longer word is no misspelled name. */
const MAX_LENGTH = 64;

/** What there is in place of a word that is none of these: "one of name, email; did you mean email?" */
export function notOneOf(given: string, names: string[]): string {
  const nearest = nearestOf(given, names);
  return `one of ${names.join(", ")}${nearest === null ? "" : `; did you mean ${nearest}?`}`;
}

/** The name that was probably meant; null when none is near. */
export function nearestOf(given: string, names: string[]): string | null {
  if (names.length === 0 || given === "" || given.length > MAX_LENGTH) return null;
  const nearest = closestString(given, names, {});
  const distance = levenshteinDistance(given.toLowerCase(), nearest.toLowerCase());
  return distance <= Math.max(1, given.length / 3) ? nearest : null;
}

/**
 * What is wrong with a parameter that a path does not take: what there is, and what was probably meant.
 * @param known the names of all its parameters; with operators, as in `name[contains]`.
 */
export function unknownParameter(name: string, known: string[]): string {
  const bracket = name.indexOf("[");
  const field = bracket < 0 ? name : name.slice(0, bracket);
  const forms = known.filter((each) => each === field || each.startsWith(`${field}[`));
  if (forms.length > 0) {
    return `is not a form of ${field} that is accepted here; there are ${forms.join(", ")}`;
  }
  const names = [...new Set(known.map((each) => each.replace(/\[.*$/, "")))];
  const refusal = "is not a parameter that is accepted here";
  if (names.length === 0) return `${refusal}; there are none`;
  const nearest = nearestOf(field, names);
  const suggestion = nearest === null ? "" : `; did you mean ${nearest}?`;
  return `${refusal}${suggestion}${suggestion === "" ? "; there are" : " There are"} ${
    names.join(", ")
  }`;
}
