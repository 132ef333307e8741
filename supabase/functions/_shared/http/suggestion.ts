/** A longer word is no misspelled name. */
const MAX_LENGTH = 64;

/** What there is in place of a word that is none of these: "one of name, email; did you mean email?" */
export function notOneOf(given: string, names: string[]): string {
  const nearest = nearestOf(given, names);
  return `one of ${names.join(", ")}${nearest === null ? "" : `; did you mean ${nearest}?`}`;
}

/** The name that was probably meant; null when none is near. */
export function nearestOf(given: string, names: string[]): string | null {
  if (given === "" || given.length > MAX_LENGTH) return null;
  const distances = names.map((name) => editDistance(given.toLowerCase(), name.toLowerCase()));
  const least = Math.min(...distances);
  const isNear = least <= Math.ceil(given.length / 3) && least < given.length;
  return isNear ? names[distances.indexOf(least)] : null;
}

/**
 * How many letters are put in, taken out or replaced between two words (Levenshtein). deno-std has it too, but without
 * types that the Deno of hosted functions finds.
 */
function editDistance(one: string, other: string): number {
  // The distances of the beginnings of `other` from a beginning of `one`, which grows by a letter each time.
  let distances = Array.from({ length: other.length + 1 }, (_, length) => length);
  for (const [at, letter] of [...one].entries()) {
    const next = [at + 1];
    for (let to = 1; to <= other.length; to++) {
      const replaced = distances[to - 1] + (other[to - 1] === letter ? 0 : 1);
      next.push(Math.min(replaced, distances[to] + 1, next[to - 1] + 1));
    }
    distances = next;
  }
  return distances[other.length];
}

/** How other APIs call what is called otherwise here. */
const PARAMETERS = {
  q: ["query", "search", "term"],
  sort: ["order", "order_by", "orderby", "sort_by"],
  limit: ["page_size", "pagesize", "per_page", "size"],
  cursor: ["after", "offset", "page", "skip", "start"],
  fields: ["properties", "select"],
  include: ["embed", "expand", "with"],
  include_total: ["count", "total"],
};
const OPERATORS = {
  "": ["any", "eq", "in", "is"],
  ne: ["neq", "nin", "not", "not_in"],
  gt: ["after"],
  gte: ["ge", "from", "min", "since"],
  lt: ["before"],
  lte: ["le", "max", "to", "until"],
  contains: ["ilike", "like", "match", "search"],
  empty: ["exists", "is_null", "isnull", "null"],
};

/** The place of the name that was probably meant: what another API calls so, or else the nearest; -1 if none is. */
function placeOfMeant(given: string, names: string[], others: Record<string, string[]>): number {
  const known = names.findIndex((name) =>
    name === given || others[name]?.includes(given.toLowerCase())
  );
  return known >= 0 ? known : names.indexOf(nearestOf(given, names) ?? given);
}

/**
 * What is wrong with a parameter that a path does not take: what there is, and what was probably meant.
 * @param known the names of all its parameters, also with what follows a field: `name[contains]`,
 *   `custom_fields.<key>`.
 */
export function unknownParameter(name: string, known: string[]): string {
  const field = fieldOf(name);
  const forms = known.filter((each) => fieldOf(each) === field);
  if (forms.length === 0) {
    // A field is told once, without its operators.
    const names = [...new Set(known.map((each) => each.replace(/\[.*$/, "")))];
    const meant = placeOfMeant(field, names.map(fieldOf), PARAMETERS);
    return `is not a parameter that is accepted here; ${suggestion(meant, names)}`;
  }
  if (name === field) return `takes no value without an operator; ${suggestion(-1, forms)}`;
  const meant = placeOfMeant(operatorOf(name), forms.map(operatorOf), OPERATORS);
  return `is not a form of ${field} that is accepted here; ${suggestion(meant, forms)}`;
}

/** The field of a parameter: what stands before an operator or a key. */
function fieldOf(parameter: string): string {
  return parameter.replace(/[[.].*$/s, "");
}

/** The operator of a parameter; empty when it has none. */
function operatorOf(parameter: string): string {
  return parameter.slice(fieldOf(parameter).length).replace(/^\[|\]$/g, "");
}

/** @param meant the place of what was probably meant; -1 when nothing is near. */
function suggestion(meant: number, names: string[]): string {
  if (names.length === 0) return "there are none";
  const all = names.length === 1 ? `is only ${names[0]}` : `are ${names.join(", ")}`;
  return meant < 0 ? `there ${all}` : `did you mean ${names[meant]}? There ${all}`;
}
