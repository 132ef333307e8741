// PostgREST's grammar of filters (its ApiRequest/QueryParams). An operand can be quoted only inside
// brackets. Outside of brackets, the operand is all the remaining text. Text after a complete
// filter is ignored.

import { Reader } from "./reader.ts";

/** A column, or a path within its JSON. */
export interface Field {
  name: string;
  path: JsonStep[];
}

interface JsonStep {
  arrow: "->" | "->>";
  /** The name of a member, or the index in an array, such as "-1". */
  operand: string;
  isIndex: boolean;
}

export interface Filter {
  field: Field;
  isNegated: boolean;
  operation: Operation;
}

export type Operation =
  | { operator: "is"; value: string }
  | { operator: "in"; members: string[] }
  | { operator: string; operand: string; quantifier?: string; language?: string };

export interface Junction {
  junction: "and" | "or";
  isNegated: boolean;
  members: Condition[];
}

export type Condition = Filter | Junction;

/** A parsed query parameter. */
export interface Placed {
  /** The path of embedded tables to the parameter's table; empty for the main table. */
  path: string[];
  condition: Condition;
}

const BLANKS = /[ \t]*/y;
const DELIMITER = /\./y;
const QUOTED = /"((?:[^"\\]|\\.)*)"/ysu;
/** A quoted string that is a whole operand or a whole list item. */
const QUOTED_OPERAND = /"((?:[^"\\]|\\.)*)"(?=[,)]|$)/ysu;
const UNQUOTED_OPERAND = /[^,)]*/yu;
const ARRAY = /\{[^{}]*\}/yu;
const IDENTIFIER = /[\p{L}0-9_ $]+/yu;
const DASH = /-(?!>)/y;
const ARROW = /->>?/y;
const INDEX = /-?\d+(?=->|::|\.|,|$)/y;
const KEY = /[^(\-:.,>)]+/yu;

const NOT = /not\./y;
const IN = /in\./y;
const IS = /is\./y;
const DISTINCT = /isdistinct\./y;
const TEXT_SEARCH = /(fts|plfts|phfts|wfts)(?:\(([\p{L}0-9_ $]+)\))?\./yu;
const SIMPLE = /(neq|cs|cd|ov|sl|sr|nxr|nxl|adj)\./y;
const QUANTIFIED = /(eq|gte|gt|lte|lt|like|ilike|match|imatch)(?:\((any|all)\))?\./y;
const IS_VALUE = /(null|not_null|true|false|unknown)/iy;
const OPERATOR = "operator (eq, gt, ...)";

/** The filter of a parameter such as `deals.title=eq.x`. @throws NotUnderstood */
export function parseFilter(name: string, value: string): Placed {
  const { path, field } = placeOf(name);
  return {
    path,
    condition: { field, ...operation(new Reader(value, `filter (${value})`), restOf) },
  };
}

/**
 * The filter in a parameter of a function call, or null when the parameter is an argument. Every
 * value that begins like a filter counts as a filter, even if the caller meant an argument. @throws
 * NotUnderstood also for a value such as "in.a" or "not.b"
 */
export function parseFilterOfCall(name: string, value: string): Placed | null {
  const reader = new Reader(value, `filter (${value})`);
  const mayBeFilter = [NOT, IN, IS, DISTINCT, TEXT_SEARCH, SIMPLE, QUANTIFIED];
  return mayBeFilter.some((start) => reader.take(start)) ? parseFilter(name, value) : null;
}

/** The junction of a parameter such as `deals.not.or=(title.eq.x,title.eq.y)`. @throws NotUnderstood */
export function parseJunction(name: string, value: string): Placed {
  const names = namesOf(new Reader(name, `logic path (${name})`));
  const isNegated = names.includes("not");
  const text = `${isNegated ? "not." : ""}${names.at(-1)}${value}`;
  const reader = new Reader(text, `logic tree (${value})`);
  const path = names.slice(0, -1).filter((each) => each !== "not");
  return { path, condition: condition(reader) };
}

function placeOf(name: string): { path: string[]; field: Field } {
  const reader = new Reader(name, `tree path (${name})`);
  const path = namesOf(reader);
  return { path: path.slice(0, -1), field: { name: path.at(-1)!, path: jsonPath(reader) } };
}

function namesOf(reader: Reader): string[] {
  const names = [];
  do names.push(fieldName(reader)); while (reader.take(DELIMITER));
  return names;
}

function condition(reader: Reader): Condition {
  const filter = reader.attempt(filterInBrackets);
  if (filter) return filter;
  const isNegated = reader.take(NOT) !== null;
  const [junction] = reader.expect(/and|or/y, "logic operator (and, or)");
  reader.expect(/[ \t]*\([ \t]*/y, '"("');
  const members: Condition[] = [];
  do members.push(condition(reader)); while (reader.take(/[ \t]*,[ \t]*/y));
  reader.expect(/\)[ \t]*/y, '"," or ")"');
  return { junction: junction as Junction["junction"], isNegated, members };
}

function filterInBrackets(reader: Reader): Filter {
  reader.take(BLANKS);
  const field = { name: fieldName(reader), path: jsonPath(reader) };
  reader.take(BLANKS);
  reader.expect(DELIMITER, "delimiter (.)");
  return { field, ...operation(reader, operandInBrackets) };
}

function fieldName(reader: Reader): string {
  return dashed(reader, IDENTIFIER, "field name (* or [a..z0..9_$])");
}

/** A quoted string, or parts that are separated by dashes. Each part matches `part`. */
function dashed(reader: Reader, part: RegExp, expected: string): string {
  const quoted = reader.take(QUOTED);
  if (quoted) return unescaped(quoted[1]);
  const parts = [];
  do parts.push(reader.expect(part, expected)[0].trim()); while (reader.take(DASH));
  return parts.join("-");
}

function jsonPath(reader: Reader): JsonStep[] {
  const steps: JsonStep[] = [];
  for (let arrow; (arrow = reader.take(ARROW));) {
    const index = reader.take(INDEX)?.[0];
    const operand = index ??
      dashed(reader, KEY, "any non reserved character different from: .,>()");
    steps.push({
      arrow: arrow[0] as JsonStep["arrow"],
      operand,
      isIndex: index !== undefined,
    });
  }
  return steps;
}

function operation(
  reader: Reader,
  operandOf: (reader: Reader) => string,
): Pick<Filter, "isNegated" | "operation"> {
  const isNegated = reader.take(NOT) !== null;
  return { isNegated, operation: readOperation(reader, operandOf) };
}

function readOperation(reader: Reader, operandOf: (reader: Reader) => string): Operation {
  if (reader.take(IN)) return { operator: "in", members: members(reader) };
  if (reader.take(IS)) {
    const [value] = reader.expect(IS_VALUE, "isVal: (null, not_null, true, false, unknown)");
    return { operator: "is", value: value.toLowerCase() };
  }
  if (reader.take(DISTINCT)) return { operator: "isdistinct", operand: operandOf(reader) };
  const search = reader.take(TEXT_SEARCH);
  if (search) {
    return { operator: search[1], language: search[2]?.trim(), operand: operandOf(reader) };
  }
  const [, operator, quantifier] = reader.take(SIMPLE) ?? reader.expect(QUANTIFIED, OPERATOR);
  return { operator, quantifier, operand: operandOf(reader) };
}

function members(reader: Reader): string[] {
  reader.expect(/[ \t]*\([ \t]*/y, '"("');
  const all = [];
  do all.push(member(reader)); while (reader.take(/,/y));
  reader.expect(/\)[ \t]*/y, '"," or ")"');
  return all;
}

function member(reader: Reader): string {
  const quoted = reader.take(QUOTED_OPERAND);
  return quoted ? unescaped(quoted[1]) : reader.take(UNQUOTED_OPERAND)![0];
}

function operandInBrackets(reader: Reader): string {
  const quoted = reader.take(QUOTED_OPERAND);
  if (quoted) return unescaped(quoted[1]);
  return (reader.take(ARRAY) ?? reader.take(UNQUOTED_OPERAND)!)[0];
}

function restOf(reader: Reader): string {
  const rest = reader.text.slice(reader.at);
  reader.at = reader.text.length;
  return rest;
}

function unescaped(quoted: string): string {
  return quoted.replace(/\\(.)/gsu, "$1");
}
