import { decodeHex, encodeHex } from "deno-std/encoding/hex.js";

// A correction of @supabase/lite, as in corrections.ts. PostgREST hands the operand of a filter to
// Postgres as text, and Postgres reads it as the type of the column. lite guesses the type from the
// text, so phone=eq.+5511… becomes a number and finds nothing, and it misreads quotes. So the operands
// are sealed: they pass lite's parser in hexadecimal, which it leaves alone, and are unsealed in the
// parsed query.

/** The start of everything sealed; new in each process, so that no caller's text is taken for sealed. */
const SEAL = `~${encodeHex(crypto.getRandomValues(new Uint8Array(8)))}~`;
const SEALED = new RegExp(`^${SEAL}([0-9a-f]*)$`);

function seal(operand: string): string {
  return SEAL + encodeHex(operand);
}

/** A copy of a part of a parsed query, with every sealed operand as it was in the request. */
export function unsealed<Value>(value: Value): Value;
export function unsealed(value: unknown): unknown {
  if (typeof value === "string") {
    const [, hex] = SEALED.exec(value) ?? [];
    return hex === undefined ? value : new TextDecoder().decode(decodeHex(hex));
  }
  if (Array.isArray(value)) return value.map(unsealed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, unsealed(part)]));
}

const NOT_A_FILTER =
  /^(select|order|limit|offset|columns|on_conflict|apikey)$|\.(order|limit|offset)$/;
const JUNCTION = /^(not\.)?(and|or)$/;

// PostgREST's grammar of filters (its ApiRequest/QueryParams). An operand can be quoted only inside
// brackets; outside, it is all the text up to the end.
const QUOTED = String.raw`"(?:[^"\\]|\\.)*"(?=[,)]|$)`;
const MEMBER = String.raw`(?:${QUOTED}|[^,)]*)`;
const OPERATOR = String.raw`(?<operator>(?:not\.)?\w+(?:\(\w+\))?)\.`;
const FILTER = filter("^", "(?<members>.*)", "(?<operand>.*)$");
const FILTER_IN_JUNCTION = filter(
  String.raw`(?<field>(?:"[^"]*"|[^",().])+)\.`,
  `(?<members>${MEMBER}(?:,${MEMBER})*)`,
  String.raw`(?<operand>${QUOTED}|\{[^{}]*\}|[^,)]*)`,
);

function filter(start: string, members: string, operand: string): RegExp {
  const list = String.raw`(?<=\bin\.)\(${members}\)`;
  return new RegExp(String.raw`${start}${OPERATOR}(?:${list}|(?<!\bin\.)${operand})`, "gs");
}

/** The address of a request, with every operand of its filters sealed. A call of a function has none. */
export function sealOperands(address: string): string {
  const url = new URL(address);
  if (url.search === "" || url.pathname.includes("/rpc/")) return address;
  const sealed = new URLSearchParams();
  for (const [name, value] of url.searchParams) {
    if (NOT_A_FILTER.test(name)) {
      sealed.append(name, value);
      continue;
    }
    const [, path = "", field] = /^(.*?\.)??((?:not\.)?[^.]+)$/s.exec(name) ?? [, "", name];
    const isJunction = JUNCTION.test(field);
    const filters = value.replace(isJunction ? FILTER_IN_JUNCTION : FILTER, sealFilter);
    // PostgREST applies all filters that have the same name; lite would keep only the last one.
    if (!sealed.has(name)) sealed.append(name, filters);
    else sealed.append(`${path}and`, `(${field}${isJunction ? "" : "."}${filters})`);
  }
  url.search = sealed.toString();
  return url.href;
}

const SEALABLE = /^(not\.)?(eq|neq|gt|gte|lt|lte|isdistinct|like|ilike|match|imatch|in)$/;

function sealFilter(...match: unknown[]): string {
  const filter = match[0] as string;
  const { field, operator, operand, members } = match.at(-1) as Record<string, string | undefined>;
  // An empty list matches no row, and must stay empty.
  if (!SEALABLE.test(operator!) || members === "") return filter;
  const start = `${field === undefined ? "" : `${field}.`}${operator}.`;
  if (members !== undefined) {
    const all = members.matchAll(new RegExp(`(?<=^|,)${MEMBER}`, "gs"));
    return `${start}(${Array.from(all, ([member]) => seal(unquoted(member))).join(",")})`;
  }
  const text = field === undefined ? operand! : unquoted(operand!);
  return start + seal(operator!.endsWith("like") ? text.replaceAll("*", "%") : text);
}

function unquoted(operand: string): string {
  if (!new RegExp(`^${QUOTED}$`, "s").test(operand)) return operand;
  return operand.slice(1, -1).replace(/\\(.)/gs, "$1");
}
