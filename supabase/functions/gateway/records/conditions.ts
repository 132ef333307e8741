// Conditions on the rows of a list, in PostgREST's syntax. The queries read views that contain only
// the company's own rows.

/**
 * A condition on one column, such as `name=eq.Ana`, or a group of conditions. In `anyOf`, at least
 * one condition must be true. In `allOf`, all conditions must be true.
 */
export type Condition = ColumnTest | { anyOf: Condition[] } | { allOf: Condition[] };

/** `operand` is the text after the operator, as PostgREST reads it outside brackets. */
export interface ColumnTest {
  column: string;
  operator: string;
  operand: string;
}

export function testsOf(condition: Condition): ColumnTest[] {
  if ("anyOf" in condition) return condition.anyOf.flatMap(testsOf);
  return "allOf" in condition ? condition.allOf.flatMap(testsOf) : [condition];
}

export function columnsOf(conditions: Condition[]): string[] {
  return conditions.flatMap(testsOf).map(({ column }) => column);
}

function test(column: string, operator: string, operand: string): ColumnTest {
  return { column, operator, operand };
}

/** The column's value is one of these values. An empty list matches no row. */
export function isAnyOf(column: string, operands: string[]): Condition[] {
  return [
    operands.length === 1
      ? test(column, "eq", operands[0])
      // An id stays unquoted, so that a query has room for more ids.
      : test(column, "in", `(${operands.map((each) => ID.test(each) ? each : quoted(each))})`),
  ];
}

const ID = /^[0-9a-f-]{36}$/;

/** The column's value is none of these values, or the column has no value. */
export function isNoneOf(column: string, operands: string[]): Condition[] {
  return operands.map((operand) => test(column, "isdistinct", operand));
}

/** A comparison: `gt`, `gte`, `lt` or `lte`. */
export function compares(column: string, operator: string, operand: string): Condition[] {
  return [test(column, operator, operand)];
}

/** If `isTrue`, matches rows without a value in the column. Otherwise, matches the other rows. */
export function isNull(column: string, isTrue: boolean): Condition[] {
  return [test(column, isTrue ? "is" : "not.is", "null")];
}

/** Like `isNull()`, but an empty string counts as no value. */
export function isEmptyText(column: string, isTrue: boolean): Condition[] {
  return isTrue
    ? [{ anyOf: [test(column, "is", "null"), test(column, "eq", "")] }]
    : [test(column, "not.is", "null"), test(column, "neq", "")];
}

/** The string in at least one of these columns matches the pattern. `%` matches any text. */
export function isLike(columns: string[], pattern: string): Condition[] {
  return oneOf(columns.map((column) => test(column, "like", pattern)));
}

/**
 * Returns an additional condition on the API key's company if the conditions search texts. The
 * views contain only this company's rows, but the Postgres planner does not know the company.
 * Without the additional condition, the planner plans for the largest company. For a smaller
 * company, Postgres then often reads all rows instead of using the text search index.
 *
 * @param companyId undefined while the company is not known.
 */
export function inCompany(companyId: string | undefined, conditions: Condition[]): Condition[] {
  const searches = conditions.flatMap(testsOf).some(({ operator }) => operator === "like");
  return companyId !== undefined && searches ? isAnyOf("company_id", [companyId]) : [];
}

/** The column's list contains at least one of these strings. */
export function hasAnyOf(column: string, texts: string[]): Condition[] {
  return [test(column, "ov", arrayOf(texts))];
}

/** The column's list contains all of these strings. */
export function hasAllOf(column: string, texts: string[]): Condition[] {
  return [test(column, "cs", arrayOf(texts))];
}

/** The column's list contains none of these strings. */
export function hasNoneOf(column: string, texts: string[]): Condition[] {
  return [test(column, "not.ov", arrayOf(texts))];
}

/** If `isTrue`, the column's list is empty. Otherwise, the list is not empty. */
export function isEmptyList(column: string, isTrue: boolean): Condition[] {
  return [test(column, isTrue ? "eq" : "neq", "{}")];
}

/** The column's JSON object has at least one of these properties. */
export function hasMember(column: string, members: Record<string, unknown>[]): Condition[] {
  return oneOf(members.map((member) => test(column, "cs", JSON.stringify(member))));
}

function oneOf(tests: ColumnTest[]): Condition[] {
  return tests.length === 1 ? tests : [{ anyOf: tests }];
}

/** The supabase-js query methods that conditions need. */
export interface Filterable<Query> {
  filter(column: string, operator: string, operand: string): Query;
  or(filters: string): Query;
}

/** Returns the query, limited to the rows that match all conditions. */
export function meeting<Query extends Filterable<Query>>(
  query: Query,
  conditions: Condition[],
): Query {
  return conditions.reduce(
    (narrowed, condition) => {
      if ("allOf" in condition) return meeting(narrowed, condition.allOf);
      return "anyOf" in condition
        ? narrowed.or(listOf(condition.anyOf))
        : narrowed.filter(condition.column, condition.operator, condition.operand);
    },
    query,
  );
}

function listOf(conditions: Condition[]): string {
  return conditions.map(withinBrackets).join(",");
}

function withinBrackets(condition: Condition): string {
  if ("anyOf" in condition) return `or(${listOf(condition.anyOf)})`;
  if ("allOf" in condition) return `and(${listOf(condition.allOf)})`;
  const { column, operator, operand } = condition;
  // The values of `in` are already quoted individually, if necessary.
  return `${column}.${operator}.${/^((not\.)?is|in)$/.test(operator) ? operand : quoted(operand)}`;
}

/** Quotes an operand, because an unquoted comma or bracket would end the operand. */
export function quoted(operand: string | number): string {
  return `"${String(operand).replace(/["\\]/g, "\\$&")}"`;
}

/** Formats a list as a Postgres array literal: `{"vip","a \"b\""}`. */
function arrayOf(texts: string[]): string {
  return `{${texts.map(quoted).join(",")}}`;
}
