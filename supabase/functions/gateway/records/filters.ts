import { isStorable } from "../../_shared/http/fields.ts";
import * as the from "./conditions.ts";
import type { ColumnTest, Condition } from "./conditions.ts";
import { NUMBER, type QueryValue, TEXT, TIME, TRUE_OR_FALSE } from "./query_values.ts";
import { hasPhone, pastedPhone, type PhoneColumns } from "./pasted_phone.ts";
import { MAX_VALUES, splitValues } from "./split_values.ts";
import { folded, patternOf, wordsOf } from "./searched_words.ts";

// The filter syntax that all lists share: `field=value`, `field=a,b`, `field[operator]=value`. A
// resource declares the kind of filter for each field. The parameters, their checks and their
// descriptions derive from that kind.

/** The text in brackets after a field's name. */
export type Operator = "ne" | "gt" | "gte" | "lt" | "lte" | "contains" | "all" | "empty";

/** A query parameter. */
export interface Parameter {
  /** The strings that a caller may send, as a JSON Schema. */
  schema: Record<string, unknown>;
  /**
   * Returns the conditions for a value. For an invalid value, returns an error message that follows
   * the parameter's name.
   */
  read(given: string): Condition[] | string;
}

/** The filters on one field. `is` is the parameter without an operator. */
export type Filter = Partial<Record<Operator | "is", Parameter>>;

/** A resource's filters, by field name. */
export type Filters = Record<string, Filter>;

const MAX_TEXT = 255;

/** The filter on an id, or on a field with few possible values: `field=a,b` and `field[ne]=a,b`. */
export function choice(column: string, value: QueryValue): Filter {
  const { all } = value;
  return {
    is: listOf(value, (operands) => the.isAnyOf(column, operands)),
    // An index can find the rows with a certain value, but not the rows without that value. If all
    // possible values are known, the filter therefore searches for every value except the given
    // ones.
    ne: listOf(
      value,
      (operands) =>
        all
          ? the.isAnyOf(column, all.filter((each) => !operands.includes(each)))
          : the.isNoneOf(column, operands),
    ),
  };
}

/** The filter on an id that finds rows with any of these values: `field=a,b`. */
export function oneOfIds(column: string, value: QueryValue): Filter {
  return { is: choice(column, value).is };
}

/**
 * A `choice` filter that depends on several columns.
 * @param isAnyOf returns the conditions that match any of these values.
 */
export function computedChoice(
  value: QueryValue & { all: string[] },
  isAnyOf: (operands: string[]) => Condition[],
): Filter {
  const others = (operands: string[]) => value.all.filter((each) => !operands.includes(each));
  return { is: listOf(value, isAnyOf), ne: listOf(value, (operands) => isAnyOf(others(operands))) };
}

/**
 * The filter on a column that has a value in few rows. An index contains only these rows.
 * @param isRare the column that is true for each row in this index.
 */
export function rareText(column: string, isRare: string): Filter {
  const value = orNone(TEXT);
  const isGiven = the.compares(isRare, "eq", "true");
  return {
    ...choice(column, value),
    is: listOf(value, (operands) => [...the.isAnyOf(column, operands), ...isGiven]),
    empty: flag((isTrue) => [...the.isNull(column, isTrue), ...(isTrue ? [] : isGiven)]),
  };
}

/** The filter that finds a record if at least one of these columns has the value. */
export function inOneOf(columns: string[], value: QueryValue): Filter {
  const tests = (operands: string[]) => columns.flatMap((each) => the.isAnyOf(each, operands));
  return { is: listOf(value, (operands) => [{ anyOf: tests(operands) as ColumnTest[] }]) };
}

/** The filter on a string that is compared literally. A comma does not separate values. */
export function literal(column: string, maxLength: number): Filter {
  return {
    is: single(
      `must have 1 to ${maxLength} characters, and no null character`,
      { type: "string", minLength: 1, maxLength },
      (given) => {
        const isValid = given !== "" && [...given].length <= maxLength && isStorable(given);
        return isValid ? the.compares(column, "eq", given) : null;
      },
    ),
  };
}

/** A `choice` filter for a column that may have no value. It adds `field[empty]=true`. */
export function optionalChoice(column: string, value: QueryValue): Filter {
  return {
    ...choice(column, { ...orNone(value), all: undefined }),
    empty: flag((isTrue) => the.isNull(column, isTrue)),
  };
}

/**
 * The filter on a string field. The string is compared unchanged, or in the form that `value`
 * defines.
 */
export function text(column: string, value: QueryValue = TEXT): Filter {
  return {
    ...choice(column, orNone(value)),
    empty: flag((isTrue) => the.isEmptyText(column, isTrue)),
  };
}

/**
 * A `text` filter that also accepts `field[contains]=`, which ignores accents, case and
 * punctuation.
 * @param foldedColumn the column with the text in the form that `folded` returns.
 */
export function searchedText(
  column: string,
  foldedColumn: string,
  value: QueryValue = TEXT,
): Filter {
  const contains = single(
    `must have at least one letter or digit, and at most ${MAX_TEXT} characters`,
    { type: "string", minLength: 1, maxLength: MAX_TEXT },
    (given) => {
      // The text of a row often has no space after its last word, so the searched text must not end
      // with a space.
      const part = folded(given).trimEnd();
      if (!isSearchable(given) || part === "") return null;
      return the.isLike([foldedColumn], patternOf(part));
    },
  );
  return { ...text(column, value), contains };
}

/** The filter on a number, which matches an equal number or a range. */
export function ordered(column: string, value: QueryValue, also: Condition[] = []): Filter {
  return {
    ...choice(column, value),
    is: listOf(value, (operands) => [...the.isAnyOf(column, operands), ...also]),
    ...ranges(column, value, also),
  };
}

/**
 * The filter on a time, which matches a range. Times have microseconds, so searching for an equal
 * time is not useful.
 */
export function time(column: string): Filter {
  return ranges(column, TIME);
}

/** A `time` filter for a column that may have no value. */
export function optionalTime(column: string): Filter {
  return { ...time(column), empty: flag((isTrue) => the.isNull(column, isTrue)) };
}

/**
 * A `time` filter on a time that may be missing. Lists can be sorted by this time.
 * @param column the column for ranges and sorting. It contains a very early time in place of a
 * missing time, so that one index is enough for ranges and sorting.
 */
export function sortedTime(column: string): Filter {
  const isGiven = the.compares(column, "gt", MISSING);
  return {
    ...ranges(column, TIME, isGiven),
    empty: flag((isTrue) => isTrue ? the.compares(column, "eq", MISSING) : isGiven),
  };
}

const MISSING = "-infinity";

/** @param also additional conditions for every range. */
function ranges(column: string, value: QueryValue, also: Condition[] = []): Filter {
  const range = (operator: Operator) =>
    single(value.must, value.schema, (given) => {
      const operand = value.operand(given);
      return operand === null ? null : [...the.compares(column, operator, operand), ...also];
    });
  return { gt: range("gt"), gte: range("gte"), lt: range("lt"), lte: range("lte") };
}

/**
 * The filter on an amount that is at least 0 and may be missing.
 * @param filled the column for ranges and sorting. It contains -1 in place of a missing amount, so
 * that one index is enough for ranges and sorting.
 */
export function optionalAmount(column: string, filled: string): Filter {
  const isGiven = the.compares(filled, "gte", "0");
  return {
    ...ordered(filled, orNone(NUMBER), isGiven),
    ne: choice(column, orNone(NUMBER)).ne,
    empty: flag((isTrue) => isTrue ? the.compares(filled, "eq", "-1") : isGiven),
  };
}

/**
 * The filter on a list of strings. `field=a,b` finds rows with any of these strings,
 * `field[all]=a,b` finds rows with all of them, and `field[ne]=a,b` finds rows with none of them.
 */
export function list(column: string, value: QueryValue = orNone(TEXT)): Filter {
  return {
    is: listOf(value, (texts) => the.hasAnyOf(column, texts)),
    all: listOf(value, (texts) => the.hasAllOf(column, texts)),
    ne: listOf(value, (texts) => the.hasNoneOf(column, texts)),
    empty: flag((isTrue) => the.isEmptyList(column, isTrue)),
  };
}

const MAX_WORDS = 10;

/** The words of a search, in one string. */
export const WORDS = {
  schema: { type: "string", minLength: 1, maxLength: MAX_TEXT },
  must:
    `must have 1 to ${MAX_WORDS} words of letters or digits, and at most ${MAX_TEXT} characters`,
};

/**
 * `q`: each word of the search text must be in the row. A phone number in the text matches any
 * format of the number.
 * @param columns the columns with the folded text of the searched fields.
 * @param phones the columns that are used to find phone numbers, if rows have phone numbers.
 */
export function words(columns: string[], phones?: PhoneColumns): Parameter {
  return single(WORDS.must, WORDS.schema, (given) => {
    const all = searchedWords(given);
    const phone = all && phones ? pastedPhone(given) : null;
    const found = (phone?.others ?? all)?.flatMap((word) => the.isLike(columns, patternOf(word)));
    return phone ? [...found!, hasPhone(phone, columns, phones!)] : found ?? null;
  });
}

/**
 * Returns the distinct words of a search text. Returns null if the text violates the rules in
 * `WORDS`.
 */
export function searchedWords(given: string): string[] | null {
  const found = isSearchable(given) ? wordsOf(given) : [];
  return found.length > 0 && found.length <= MAX_WORDS ? found : null;
}

/** Whether a search text is short enough, and whether Postgres could store it. */
function isSearchable(given: string): boolean {
  return given.length <= 2 * MAX_TEXT && [...given].length <= MAX_TEXT && isStorable(given);
}

/**
 * Adapts a value for a field that accepts `[empty]`. The error message about an empty value then
 * mentions this operator.
 */
function orNone(value: QueryValue): QueryValue {
  return { ...value, ifEmpty: "[empty]=true after the name finds records without a value" };
}

/** The parameter `field[empty]`, which is `true` or `false`. */
function flag(conditions: (isTrue: boolean) => Condition[]): Parameter {
  const { must, schema, operand } = TRUE_OR_FALSE;
  return single(
    must,
    schema,
    (given) => operand(given) === null ? null : conditions(given === "true"),
  );
}

/**
 * A parameter with one value, in which commas and backslashes have no special meaning.
 * @param read returns null if the value is invalid.
 */
function single(
  must: string,
  schema: Record<string, unknown>,
  read: (given: string) => Condition[] | null,
): Parameter {
  return { schema, read: (given) => read(given) ?? (given === "" ? `is empty; it ${must}` : must) };
}

/** A parameter with one or more values, separated by commas. */
function listOf(value: QueryValue, read: (operands: string[]) => Condition[]): Parameter {
  const schema = { type: "array", minItems: 1, maxItems: MAX_VALUES, items: value.schema };
  return {
    schema,
    read(given) {
      const values = splitValues(given);
      if (typeof values === "string") return values;
      const operands = values.map(value.operand);
      const wrong = operands.indexOf(null);
      // The values are sorted, so that a cursor is valid for the same values in any order.
      if (wrong < 0) return read([...new Set(operands as string[])].sort());
      const { must, ifEmpty = `a value ${must}` } = value;
      if (values[wrong] === "") return `has an empty value; ${ifEmpty}`;
      return values.length === 1 ? must : `${must}; value ${wrong + 1} is wrong`;
    },
  };
}
