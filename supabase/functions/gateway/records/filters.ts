import { isStorable } from "../../_shared/http/fields.ts";
import * as the from "./conditions.ts";
import type { Condition } from "./conditions.ts";
import { NUMBER, type QueryValue, TEXT, TIME, TRUE_OR_FALSE } from "./query_values.ts";
import { MAX_VALUES, splitValues } from "./split_values.ts";
import { folded, patternOf, wordsOf } from "./words.ts";

// The grammar of filters, which every list shares: `field=value`, `field=a,b`, `field[operator]=value`. A resource
// says of each field which kind of filter it has. From that come the parameters, their checks and their description.

/** What stands in brackets behind a field's name. */
export type Operator = "ne" | "gt" | "gte" | "lt" | "lte" | "contains" | "all" | "empty";

/** A parameter of a query. */
export interface Parameter {
  /** What a caller writes, in JSON Schema. */
  schema: Record<string, unknown>;
  /** The conditions that a text stands for; else what is wrong with it, in words that follow the parameter's name. */
  read(given: string): Condition[] | string;
}

/** The filters of one field. `is` is the parameter without an operator. */
export type Filter = Partial<Record<Operator | "is", Parameter>>;

/** The filters of a resource, by the names of its fields. */
export type Filters = Record<string, Filter>;

const MAX_TEXT = 255;

/** Ids and words of which there are few kinds: `field=a,b` and `field[ne]=a,b`. */
export function choice(column: string, value: QueryValue): Filter {
  const { all } = value;
  return {
    is: listOf(value, (operands) => the.isAnyOf(column, operands)),
    // An index finds all other values, and not what differs from some.
    ne: listOf(
      value,
      (operands) =>
        all
          ? the.isAnyOf(column, all.filter((each) => !operands.includes(each)))
          : the.isNoneOf(column, operands),
    ),
  };
}

/** The same for a column that may have no value: also `field[empty]=true`. */
export function optionalChoice(column: string, value: QueryValue): Filter {
  return {
    ...choice(column, { ...orNone(value), all: undefined }),
    empty: flag((isTrue) => the.isNull(column, isTrue)),
  };
}

/** A text, compared as it is stored, or as `value` says. */
export function text(column: string, value: QueryValue = TEXT): Filter {
  return {
    ...choice(column, orNone(value)),
    empty: flag((isTrue) => the.isEmptyText(column, isTrue)),
  };
}

/**
 * A text that also `field[contains]=` finds, accents, case and punctuation aside.
 * @param foldedColumn with the folded text.
 */
export function searchedText(
  column: string,
  foldedColumn: string,
  value: QueryValue = TEXT,
): Filter {
  const contains = single(
    `must have a letter or a digit, and at most ${MAX_TEXT} characters`,
    { type: "string", minLength: 1, maxLength: MAX_TEXT },
    (given) => {
      const part = folded(given);
      if (!isSearchable(given) || part.trim() === "") return null;
      return the.isLike([foldedColumn], patternOf(part));
    },
  );
  return { ...text(column, value), contains };
}

/** A number, also in ranges. */
export function ordered(column: string, value: QueryValue, also: Condition[] = []): Filter {
  return {
    ...choice(column, value),
    is: listOf(value, (operands) => [...the.isAnyOf(column, operands), ...also]),
    ...ranges(column, value, also),
  };
}

/** A time, in ranges only: its microseconds make it no value to be equal to. */
export function time(column: string): Filter {
  return ranges(column, TIME);
}

/** The same for a column that may have no value. */
export function optionalTime(column: string): Filter {
  return { ...time(column), empty: flag((isTrue) => the.isNull(column, isTrue)) };
}

/**
 * The same for a time that may be missing.
 * @param column where a missing time is before all others, so that one index serves ranges and order.
 */
export function sortedTime(column: string): Filter {
  const isGiven = the.compares(column, "gt", MISSING);
  return {
    ...ranges(column, TIME, isGiven),
    empty: flag((isTrue) => isTrue ? the.compares(column, "eq", MISSING) : isGiven),
  };
}

const MISSING = "-infinity";

/** @param also conditions that come with each range. */
function ranges(column: string, value: QueryValue, also: Condition[] = []): Filter {
  const range = (operator: Operator) =>
    single(value.must, value.schema, (given) => {
      const operand = value.operand(given);
      return operand === null ? null : [...the.compares(column, operator, operand), ...also];
    });
  return { gt: range("gt"), gte: range("gte"), lt: range("lt"), lte: range("lte") };
}

/**
 * An amount of at least 0, which may be missing.
 * @param filled the column where a missing amount is -1, so that one index serves ranges and order.
 */
export function optionalAmount(column: string, filled: string): Filter {
  const isGiven = the.compares(filled, "gte", "0");
  return {
    ...ordered(filled, orNone(NUMBER), isGiven),
    ne: choice(column, orNone(NUMBER)).ne,
    empty: flag((isTrue) => isTrue ? the.compares(filled, "eq", "-1") : isGiven),
  };
}

/** A list of texts: `field=a,b` has any of them, `field[all]=a,b` all, `field[ne]=a,b` none. */
export function list(column: string, value: QueryValue = orNone(TEXT)): Filter {
  return {
    is: listOf(value, (texts) => the.hasAnyOf(column, texts)),
    all: listOf(value, (texts) => the.hasAllOf(column, texts)),
    ne: listOf(value, (texts) => the.hasNoneOf(column, texts)),
    empty: flag((isTrue) => the.isEmptyList(column, isTrue)),
  };
}

const MAX_WORDS = 10;

/** The words of a search, in one text. */
export const WORDS = {
  schema: { type: "string", minLength: 1, maxLength: MAX_TEXT },
  must:
    `must have 1 to ${MAX_WORDS} words of letters or digits, and at most ${MAX_TEXT} characters`,
};

/**
 * `q`: each word of the text must be in the row.
 * @param columns with the folded texts of the searched fields.
 */
export function words(columns: string[]): Parameter {
  return single(
    WORDS.must,
    WORDS.schema,
    (given) =>
      searchedWords(given)?.flatMap((word) => the.isLike(columns, patternOf(word))) ?? null,
  );
}

/** The words of a text that is searched for; null when it is not as `WORDS` says. */
export function searchedWords(given: string): string[] | null {
  const found = isSearchable(given) ? wordsOf(given) : [];
  return found.length > 0 && found.length <= MAX_WORDS ? found : null;
}

/** Whether a text is short enough to be folded, and one that a row can have. */
function isSearchable(given: string): boolean {
  return given.length <= 2 * MAX_TEXT && [...given].length <= MAX_TEXT && isStorable(given);
}

/** A value of a field that takes `[empty]`, so that the message about an empty value says so. */
function orNone(value: QueryValue): QueryValue {
  return { ...value, ifEmpty: "[empty]=true behind the name finds records without a value" };
}

/** `field[empty]=true` or `false`. */
function flag(conditions: (isTrue: boolean) => Condition[]): Parameter {
  const { must, schema, operand } = TRUE_OR_FALSE;
  return single(
    must,
    schema,
    (given) => operand(given) === null ? null : conditions(given === "true"),
  );
}

/** A parameter with one value, in which nothing is escaped. @param read null when it is no such value. */
function single(
  must: string,
  schema: Record<string, unknown>,
  read: (given: string) => Condition[] | null,
): Parameter {
  return { schema, read: (given) => read(given) ?? (given === "" ? `is empty; it ${must}` : must) };
}

/** A parameter with one value or several behind each other, with commas between them. */
function listOf(value: QueryValue, read: (operands: string[]) => Condition[]): Parameter {
  const schema = { type: "array", minItems: 1, maxItems: MAX_VALUES, items: value.schema };
  return {
    schema,
    read(given) {
      const values = splitValues(given);
      if (typeof values === "string") return values;
      const operands = values.map(value.operand);
      const wrong = operands.indexOf(null);
      // In an order of their own, so that a cursor serves the same values in any order.
      if (wrong < 0) return read([...new Set(operands as string[])].sort());
      const { must, ifEmpty = `a value ${must}` } = value;
      if (values[wrong] === "") return `has an empty value; ${ifEmpty}`;
      return values.length === 1 ? must : `${must}; value ${wrong + 1} is wrong`;
    },
  };
}
