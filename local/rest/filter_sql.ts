import { type RawBuilder, sql } from "kysely";
import type { Condition, Field, Filter } from "./filter_grammar.ts";

// The SQL that PostgREST makes from filters (its Query/SqlFragment).

/**
 * The OID of Postgres' type `unknown`. Postgres converts such a parameter to the type that its
 * position in the statement requires.
 */
const UNKNOWN = 705;

/** Makes a parameter that the driver sends with this type. */
export type Typed = (value: string, type: number) => unknown;

const SYMBOLS: Record<string, string> = {
  eq: "=",
  neq: "<>",
  gt: ">",
  gte: ">=",
  lt: "<",
  lte: "<=",
  like: "like",
  ilike: "ilike",
  match: "~",
  imatch: "~*",
  isdistinct: "is distinct from",
  cs: "@>",
  cd: "<@",
  ov: "&&",
  sl: "<<",
  sr: ">>",
  nxr: "&<",
  nxl: "&>",
  adj: "-|-",
};
const SEARCHES: Record<string, string> = {
  fts: "to_tsquery",
  plfts: "plainto_tsquery",
  phfts: "phraseto_tsquery",
  wfts: "websearch_to_tsquery",
};
const IS: Record<string, string> = {
  null: "null",
  not_null: "not null",
  true: "true",
  false: "false",
  unknown: "unknown",
};

/**
 * Turns a string into a parameter of type `unknown`, whose actual type Postgres determines. Like
 * PostgREST's client library, this function cuts the string before a null character.
 */
export function unknownText(text: string, typed: Typed): unknown {
  return typed(beforeZero(text), UNKNOWN);
}

/** @param table the name of the columns' table, or null when there is only one table. */
export function conditionSql(
  condition: Condition,
  table: string | null,
  typed: Typed,
): RawBuilder<unknown> {
  const not = condition.isNegated ? sql`not ` : sql``;
  if (!("members" in condition)) return sql`${not}${filterSql(condition, table, typed)}`;
  const members = condition.members.map((member) => conditionSql(member, table, typed));
  return sql`${not}(${sql.join(members, sql.raw(` ${condition.junction} `))})`;
}

function filterSql(
  { field, operation }: Filter,
  table: string | null,
  typed: Typed,
): RawBuilder<unknown> {
  const place = fieldSql(field, table, typed);
  const operand = (text: string) => sql`${unknownText(text, typed)}`;
  if ("value" in operation) return sql`${place} is ${sql.raw(IS[operation.value])}`;
  if ("members" in operation) {
    // PostgREST's form of an empty list has one empty member, quoted or not.
    const isEmpty = operation.members.join() === "" && operation.members.length === 1;
    const list = isEmpty ? "{}" : arrayLiteral(operation.members);
    return sql`${place} = any(${operand(list)})`;
  }
  const { operator, quantifier, language } = operation;
  if (operator in SEARCHES) {
    const configuration = language === undefined ? sql`` : sql`${operand(language)}, `;
    const search = sql.raw(SEARCHES[operator]);
    return sql`${place} @@ ${search}(${configuration}${operand(operation.operand)})`;
  }
  const isPattern = operator.endsWith("like");
  const value = operand(isPattern ? operation.operand.replaceAll("*", "%") : operation.operand);
  const symbol = sql.raw(SYMBOLS[operator]);
  if (quantifier === undefined) return sql`${place} ${symbol} ${value}`;
  return sql`${place} ${symbol} ${sql.raw(quantifier)}(${value})`;
}

function fieldSql({ name, path }: Field, table: string | null, typed: Typed): RawBuilder<unknown> {
  const column = table === null ? sql.id(name) : sql.id(table, name);
  return path.reduce((place, { arrow, operand, isIndex }) => {
    const key = sql`${unknownText(operand, typed)}`;
    return sql`${place}${sql.raw(arrow)}${key}${isIndex ? sql`::int` : sql``}`;
  }, column as RawBuilder<unknown>);
}

function arrayLiteral(members: string[]): string {
  const quoted = members.map((member) => `"${beforeZero(member).replace(/(["\\])/g, "\\$1")}"`);
  return `{${quoted.join(",")}}`;
}

function beforeZero(text: string): string {
  return text.split("\0", 1)[0];
}
