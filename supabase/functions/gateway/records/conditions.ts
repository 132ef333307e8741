// Conditions on the rows of a list, in PostgREST's syntax. Conditions select from a view of the
// company's own rows.

/**
 * A test of one column, such as `name=eq.Ana`, or a group of conditions. In `anyOf`, at least one
 * condition must be true. In `allOf`, all conditions must be true.
 */
export type Condition = ColumnTest | { anyOf: Condition[] } | { allOf: Condition[] };

/** `operand` is the text after the operator, as PostgREST reads it outside of brackets. */
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

/** The value is one of these. An empty list matches no row. */
export function isAnyOf(column: string, operands: string[]): Condition[] {
  return [
    operands.length === 1
      ? test(column, "eq", operands[0])
      : test(column, "in", `(${operands.map(quoted).join(",")})`),
  ];
}

/** The value is none of these, or the column has no value. */
export function isNoneOf(column: string, operands: string[]): Condition[] {
  return operands.map((operand) => test(column, "isdistinct", operand));
}

/** A comparison: `gt`, `gte`, `lt` or `lte`. */
export function compares(column: string, operator: string, operand: string): Condition[] {
  return [test(column, operator, operand)];
}

/** Whether the column has no value. */
export function isNull(column: string, isTrue: boolean): Condition[] {
  return [test(column, isTrue ? "is" : "not.is", "null")];
}

/** Whether the column has no text, or an empty text. */
export function isEmptyText(column: string, isTrue: boolean): Condition[] {
  return isTrue
    ? [{ anyOf: [test(column, "is", "null"), test(column, "eq", "")] }]
    : [test(column, "not.is", "null"), test(column, "neq", "")];
}

/** Whether the text in one of these columns matches this pattern. `%` matches any text. */
export function isLike(columns: string[], pattern: string): Condition[] {
  return oneOf(columns.map((column) => test(column, "like", pattern)));
}

/**
 * Adds the company of the key to conditions that search words. The views have only rows of this
 * company, but the planner of Postgres does not know which company it is. Without this condition,
 * the planner plans for the largest company. For a smaller company, Postgres then often reads all
 * rows instead of the index of the words.
 *
 * @param companyId undefined while the company is not known.
 */
export function inCompany(companyId: string | undefined, conditions: Condition[]): Condition[] {
  const searches = conditions.flatMap(testsOf).some(({ operator }) => operator === "like");
  return companyId !== undefined && searches ? isAnyOf("company_id", [companyId]) : [];
}

/** Whether a list has one of these texts. */
export function hasAnyOf(column: string, texts: string[]): Condition[] {
  return [test(column, "ov", arrayOf(texts))];
}

/** Whether a list has all of these texts. */
export function hasAllOf(column: string, texts: string[]): Condition[] {
  return [test(column, "cs", arrayOf(texts))];
}

/** Whether a list has none of these texts. */
export function hasNoneOf(column: string, texts: string[]): Condition[] {
  return [test(column, "not.ov", arrayOf(texts))];
}

/** Whether a list is empty. */
export function isEmptyList(column: string, isTrue: boolean): Condition[] {
  return [test(column, isTrue ? "eq" : "neq", "{}")];
}

/** Whether a JSON object has one of these members. */
export function hasMember(column: string, members: Record<string, unknown>[]): Condition[] {
  return oneOf(members.map((member) => test(column, "cs", JSON.stringify(member))));
}

function oneOf(tests: ColumnTest[]): Condition[] {
  return tests.length === 1 ? tests : [{ anyOf: tests }];
}

/** The methods of a supabase-js query that conditions need. */
export interface Filterable<Query> {
  filter(column: string, operator: string, operand: string): Query;
  or(filters: string): Query;
}

/** The query, limited to the rows that match all conditions. */
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
  // The values of `in` are already quoted one by one.
  return `${column}.${operator}.${/^((not\.)?is|in)$/.test(operator) ? operand : quoted(operand)}`;
}

/** Quotes an operand, because a comma or a bracket would end it. */
export function quoted(operand: string | number): string {
  return `"${String(operand).replace(/["\\]/g, "\\$&")}"`;
}

/** A list as Postgres writes one: `{"vip","a \"b\""}`. */
function arrayOf(texts: string[]): string {
  return `{${texts.map(quoted).join(",")}}`;
}
