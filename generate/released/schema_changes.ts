import type { JsonSchema } from "../openapi/json_schema.ts";
import {
  type Case,
  casesOf,
  isSame,
  LOWER,
  memberOf,
  type Schema,
  typeOf,
  UPPER,
} from "../openapi/schema_cases.ts";

// Finds schema changes that can break a caller. In a request, the API must still accept every value
// that it accepted earlier. A response may contain only values that were possible in the earlier
// release. A response may have additional properties.

/** A change that can break a caller: the name of the changed item, and the rest of the sentence. */
export interface Change {
  name: string;
  what: string;
}

/** Two documents to compare, and whether to compare values in requests or in responses. */
export interface Comparison {
  released: JsonSchema;
  present: JsonSchema;
  of: "request" | "answer";
  /** Properties of the outermost object that are not compared, such as an error's message. */
  without?: string[];
  /**
   * Components whose names end with this suffix are not compared. Only a request that was not
   * possible in the released version receives a response with one of these components.
   */
  leavesOut?: string;
  /** The pairs of schemas that have already been compared, with their differences. */
  known: Map<string, Change[]>;
}

/** A schema, with the document in which its references are resolved. */
type Side = [schema: Schema, document: JsonSchema];

/**
 * Returns the changes from a released schema to the current schema.
 * @param name the name to report if the schema is not within a named component.
 */
export function schemaChanges(
  name: string,
  [released, present]: [released: Schema, present: Schema],
  comparison: Comparison,
): Change[] {
  const compare = new SchemaComparison(comparison);
  return compare.changes(name, released, present, comparison.without ?? []);
}

class SchemaComparison {
  readonly #by: Comparison;
  constructor(comparison: Comparison) {
    this.#by = comparison;
  }

  get #isRequest(): boolean {
    return this.#by.of === "request";
  }

  changes(at: string, released: Schema, present: Schema, without: string[] = []): Change[] {
    const refs = [released, present].map((each) => typeof each === "object" && each.$ref);
    const { of, leavesOut, known } = this.#by;
    const pair = refs.every(Boolean) ? [...refs, of, leavesOut, ...without].join(" ") : null;
    if (pair && known.has(pair)) return known.get(pair)!;
    // The pair is recorded before its parts are compared, because a schema may contain itself.
    if (pair) known.set(pair, []);
    const name = refs[0] ? refs[0].split("/").at(-1)! : at;
    const before: Side = [released, this.#by.released];
    const now: Side = [present, this.#by.present];
    const found = this.#isRequest
      ? this.#lost(name, before, now, without)
      : this.#lost(name, now, before, without);
    if (pair) known.set(pair, found);
    return found;
  }

  /**
   * Returns the changes that make a value of `from` invalid in `to`. In a request, the value was
   * accepted and is now refused. In a response, the value is new and was not possible earlier.
   */
  #lost(at: string, from: Side, to: Side, without: string[]): Change[] {
    const allowed = casesOf(...to);
    const { leavesOut } = this.#by;
    const counts = ({ name }: Case) => !leavesOut || !name?.endsWith(leavesOut);
    const cases = casesOf(...from).filter(counts);
    return cases.flatMap((each) => {
      const ofType = allowed.filter(({ type }) => type === each.type);
      if (each.values) return this.#lostValues(at, each.values, ofType);
      if (ofType.length === 0) {
        return [this.#says(at, `no longer accepts ${each.type}`, `may also be ${each.type}`)];
      }
      const same = ofType.filter(named(each));
      const compared = (same.length > 0 ? same : ofType)
        .map((other) => this.#lostOfCase(at, each, other, without));
      if (compared.some((changes) => changes.length === 0)) return [];
      if (compared.length === 1) return compared[0];
      const form = each.name ?? each.type;
      return [
        this.#says(at, `no longer accepts the form ${form}`, `may also have the form ${form}`),
      ];
    });
  }

  #lostValues(at: string, values: unknown[], cases: Case[]): Change[] {
    const lost = values.filter((value) => !cases.some((each) => takes(each, value)));
    if (lost.length === 0) return [];
    const listed = lost.map((value) => JSON.stringify(value)).join(", ");
    return [this.#says(at, `no longer accepts ${listed}`, `may also be ${listed}`)];
  }

  #lostOfCase(outer: string, from: Case, to: Case, without: string[]): Change[] {
    const at = (this.#isRequest ? from : to).name ?? outer;
    if (to.values) {
      const listed = to.values.map((value) => JSON.stringify(value)).join(", ");
      return [
        this.#says(at, `now accepts only ${listed}`, `may now be a value other than ${listed}`),
      ];
    }
    const rules = [
      ...lostByLimits(from, to),
      ...to.patterns.filter((each) => !from.patterns.includes(each))
        .map((each) => `the pattern ${each}`),
      ...to.conditions.filter((each) => !from.conditions.includes(each)),
    ].map((rule) => this.#says(at, `must now match ${rule}`, `no longer matches ${rule}`));
    if (from.type === "array") return [...rules, ...this.#lostItems(at, from, to)];
    if (from.type === "object") return [...rules, ...this.#lostMembers(at, from, to, without)];
    return rules;
  }

  #lostItems(at: string, from: Case, to: Case): Change[] {
    if (to.items === undefined || from.limits.maxItems === 0) return [];
    return this.#inner(`${at}[]`, from.items ?? true, to.items);
  }

  #lostMembers(at: string, from: Case, to: Case, without: string[]): Change[] {
    const changes: Change[] = [];
    const counts = (name: string) => !without.includes(name);
    for (const name of to.required.filter(counts)) {
      if (from.required.includes(name)) continue;
      const isGone = !Object.hasOwn(from.properties, name);
      const what = this.#isRequest
        ? "is now required"
        : isGone
        ? "is removed"
        : "is no longer always present";
      changes.push({ name: `${at}.${name}`, what });
    }
    const told = new Set(changes.map(({ name }) => name));
    const names = new Set([...Object.keys(from.properties), ...Object.keys(to.properties)]);
    for (const name of [...names].filter(counts)) {
      const place = `${at}.${name}`;
      const isOfAnswer = !this.#isRequest;
      // A caller ignores a new property, but may depend on a property that was removed.
      if (isOfAnswer && !Object.hasOwn(to.properties, name) && to.others === false) continue;
      const isGone = isOfAnswer && !Object.hasOwn(from.properties, name);
      if (isGone && typeof from.others !== "object" && memberOf(from, name) !== false) {
        if (!told.has(place)) changes.push({ name: place, what: "is removed" });
        continue;
      }
      const [inner, outer] = [memberOf(from, name), memberOf(to, name)];
      if (inner === false) {
        if (isOfAnswer && !told.has(place)) changes.push({ name: place, what: "is removed" });
      } else if (outer === false) {
        changes.push({ name: place, what: "is no longer accepted" });
      } else changes.push(...this.#inner(place, inner, outer));
    }
    return [...changes, ...this.#lostOthers(at, from, to)];
  }

  /** Returns the changes to properties that have no entry in `properties`. */
  #lostOthers(at: string, from: Case, to: Case): Change[] {
    const patterns = Object.entries(to.patternProperties).flatMap(([pattern, schema]) => {
      const own = from.patternProperties[pattern];
      return own !== undefined
        ? this.#inner(`${at}.*`, own, schema)
        : from.others === false
        ? []
        : this.#inner(`${at}.*`, from.others, schema);
    });
    const gone = Object.entries(from.patternProperties)
      .filter(([pattern]) => to.patternProperties[pattern] === undefined)
      .flatMap(([, schema]) => this.#othersChange(at, schema, to.others));
    return [...patterns, ...gone, ...this.#othersChange(at, from.others, to.others)];
  }

  #othersChange(at: string, from: Schema, to: Schema): Change[] {
    if (from === false) return [];
    // A response may always have additional properties. These properties must still match the
    // earlier schema's rules for additional properties.
    if (to === false) {
      return this.#isRequest ? [{ name: at, what: "no longer accepts other properties" }] : [];
    }
    return this.#inner(`${at}.*`, from, to);
  }

  #inner(at: string, from: Schema, to: Schema): Change[] {
    if (to === true) return [];
    return this.#isRequest ? this.changes(at, from, to) : this.changes(at, to, from);
  }

  #says(name: string, ofRequest: string, ofAnswer: string): Change {
    return { name, what: this.#isRequest ? ofRequest : ofAnswer };
  }
}

function named({ name }: Case) {
  return (other: Case) => name !== undefined && other.name === name;
}

/** Returns the limits in `to` that a value of `from` may violate. */
function lostByLimits(from: Case, to: Case): string[] {
  return Object.entries(to.limits).filter(([name, limit]) => {
    const own = from.limits[name];
    if (UPPER.includes(name)) return !(Number(own ?? fromOther(from, name)) <= Number(limit));
    if (LOWER.includes(name)) return !(Number(own ?? fromOther(from, name)) >= Number(limit));
    if (name !== "multipleOf") return own !== limit;
    const ratio = Number(own ?? NaN) / Number(limit);
    return !(Math.abs(ratio - Math.round(ratio)) < 1e-9);
  }).map(([name, limit]) => `${name} ${limit}`);
}

/** Returns a bound that follows from another keyword. Returns NaN if there is no such bound. */
function fromOther({ limits, required }: Case, name: string): number {
  const { exclusiveMaximum, exclusiveMinimum, minimum, maximum } = limits;
  switch (name) {
    case "maximum":
      return Number(exclusiveMaximum ?? NaN);
    case "minimum":
      return Number(exclusiveMinimum ?? NaN);
    case "exclusiveMaximum":
      return Number(maximum ?? NaN) + 1e-9;
    case "exclusiveMinimum":
      return Number(minimum ?? NaN) - 1e-9;
    case "minProperties":
      return required.length;
    case "minLength":
    case "minItems":
      return 0;
    default:
      return NaN;
  }
}

/**
 * Whether a case accepts a value. A rule that only a validator can check is assumed to be
 * satisfied.
 */
function takes(to: Case, value: unknown): boolean {
  if (to.values) return to.values.some((each) => isSame(each, value));
  const { minLength = 0, maxLength = Infinity, minimum, maximum, integer } = to.limits;
  if (typeOf(value) === "string") {
    const text = value as string;
    const length = [...text].length;
    return length >= Number(minLength) && length <= Number(maxLength) &&
      to.patterns.every((pattern) => new RegExp(pattern, "u").test(text));
  }
  if (typeOf(value) !== "number") return true;
  const number = value as number;
  return !(number < Number(minimum ?? NaN)) && !(number > Number(maximum ?? NaN)) &&
    (!integer || Number.isInteger(number));
}
