/** A longer word is not a misspelled name. */
const MAX_LENGTH = 64;

/**
 * The known words, for the error about an unknown one: "one of name, email; did you mean email?"
 */
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
 * How many letters must be inserted, removed or replaced to turn one word into the other
 * (Levenshtein). deno-std has this function too, but the Deno of hosted functions does not find its
 * types.
 */
function editDistance(one: string, other: string): number {
  // The distances between each beginning of `other` and a beginning of `one`, which grows by one
  // letter in each round.
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

/** The names that other APIs use for parameters with a different name here. */
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

/**
 * The index of the name that was probably meant: the one that has the given name in other APIs,
 * otherwise the most similar one; -1 if none is similar.
 */
function placeOfMeant(given: string, names: string[], others: Record<string, string[]>): number {
  const known = names.findIndex((name) =>
    name === given || others[name]?.includes(given.toLowerCase())
  );
  return known >= 0 ? known : names.indexOf(nearestOf(given, names) ?? given);
}

/**
 * The error about a parameter that a path does not accept: it lists the known parameters or names
 * the one that was probably meant.
 * @param known the names of all parameters, including the part after a field: `name[contains]`,
 *   `custom_fields.<key>`.
 */
export function unknownParameter(name: string, known: string[]): string {
  const field = fieldOf(name);
  const forms = known.filter((each) => fieldOf(each) === field);
  if (forms.length === 0) {
    // A field is listed once, whatever its operators.
    const names = [...new Set(known.map((each) => each.split("[", 1)[0]))];
    const meant = placeOfMeant(field, names.map(fieldOf), PARAMETERS);
    return `is not a parameter that is accepted here; ${suggestion(meant, names)}`;
  }
  if (name === field) return `takes no value without an operator; ${suggestion(-1, forms)}`;
  const meant = placeOfMeant(operatorOf(name), forms.map(operatorOf), OPERATORS);
  return `is not a form of ${field} that is accepted here; ${suggestion(meant, forms)}`;
}

/** The field of a parameter: the part before an operator or a key. */
function fieldOf(parameter: string): string {
  return parameter.replace(/[[.].*$/s, "");
}

/** The operator of a parameter; an empty text when the parameter has none. */
function operatorOf(parameter: string): string {
  return parameter.slice(fieldOf(parameter).length).replace(/^\[|\]$/g, "");
}

/** @param meant the index of the name that was probably meant; -1 when none is similar. */
function suggestion(meant: number, names: string[]): string {
  if (names.length === 0) return "no parameter is accepted";
  const all = names.length === 1
    ? `only accepted name is ${names[0]}`
    : `accepted names are ${names.join(", ")}`;
  return meant < 0 ? `the ${all}` : `did you mean ${names[meant]}? The ${all}`;
}
