// Conditions on the rows of a list, in the words of PostgREST. The rows come from a view of the company's own rows.

/** A test of one column, such as `name=eq.Ana`, or several of which one must hold. */
export type Condition = ColumnTest | { anyOf: ColumnTest[] };

/** `operand` is the text behind the operator, as PostgREST reads it outside of brackets. */
export interface ColumnTest {
  column: string;
  operator: string;
  operand: string;
}

function test(column: string, operator: string, operand: string): ColumnTest {
  return { column, operator, operand };
}

/** Equal to one of these; of none, nothing is. */
export function isAnyOf(column: string, operands: string[]): Condition[] {
  return [
    operands.length === 1
      ? test(column, "eq", operands[0])
      : test(column, "in", `(${operands.map(quoted).join(",")})`),
  ];
}

/** Equal to none of these; true where there is no value. */
export function isNoneOf(column: string, operands: string[]): Condition[] {
  return operands.map((operand) => test(column, "isdistinct", operand));
}

/** A comparison: `gt`, `gte`, `lt` or `lte`. */
export function compares(column: string, operator: string, operand: string): Condition[] {
  return [test(column, operator, operand)];
}

/** Whether there is no value. */
export function isNull(column: string, isTrue: boolean): Condition[] {
  return [test(column, isTrue ? "is" : "not.is", "null")];
}

/** Whether there is no text, or an empty one. */
export function isEmptyText(column: string, isTrue: boolean): Condition[] {
  return isTrue
    ? [{ anyOf: [test(column, "is", "null"), test(column, "eq", "")] }]
    : [test(column, "not.is", "null"), test(column, "neq", "")];
}

/** Whether one of these texts has this pattern, in which `%` stands for any text. */
export function isLike(columns: string[], pattern: string): Condition[] {
  return oneOf(columns.map((column) => test(column, "like", pattern)));
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

/** A query of supabase-js, as far as conditions need it. */
export interface Filterable<Query> {
  filter(column: string, operator: string, operand: string): Query;
  or(filters: string): Query;
}

/** The query, for the rows that meet all conditions. */
export function meeting<Query extends Filterable<Query>>(
  query: Query,
  conditions: Condition[],
): Query {
  return conditions.reduce(
    (narrowed, condition) =>
      "anyOf" in condition
        ? narrowed.or(condition.anyOf.map(withinBrackets).join(","))
        : narrowed.filter(condition.column, condition.operator, condition.operand),
    query,
  );
}

function withinBrackets({ column, operator, operand }: ColumnTest): string {
  // The values of `in` are quoted one by one.
  return `${column}.${operator}.${/^((not\.)?is|in)$/.test(operator) ? operand : quoted(operand)}`;
}

/** An operand where a comma or a bracket would end it. */
export function quoted(operand: string | number): string {
  return `"${String(operand).replace(/["\\]/g, "\\$&")}"`;
}

/** A list as Postgres writes one: `{"vip","a \"b\""}`. */
function arrayOf(texts: string[]): string {
  return `{${texts.map(quoted).join(",")}}`;
}
