import { decodeHex, encodeHex } from "deno-std/encoding/hex.js";
import { OperationNodeTransformer, type RawNode, sql, type ValueNode } from "kysely";
import { changeOfAllRows, DatabaseAnswer } from "./database_errors.ts";
import {
  type Condition,
  parseFilter,
  parseFilterOfCall,
  parseJunction,
  type Placed,
} from "./filter_grammar.ts";
import { conditionSql, type Typed, unknownText } from "./filter_sql.ts";
import { NotUnderstood } from "./reader.ts";

// A correction of @supabase/lite, like those in corrections.ts. PostgREST gives the operand of a
// filter to Postgres as text, and Postgres reads it as the type of the column. lite guesses the
// type from the text, so phone=eq.+5511… becomes a number and finds nothing. lite also misreads
// quotes, brackets and escapes. So this code hides the filters from lite: it writes all filters on
// one table in hexadecimal, as one sealed operand. In lite's SQL, this code then replaces that
// operand with PostgREST's SQL for the filters. The arguments in a function call's URL are also
// sealed.

/**
 * The prefix of every sealed string. Each process has a random prefix, so no caller can send a
 * string that looks sealed.
 */
const SEAL = `~${encodeHex(crypto.getRandomValues(new Uint8Array(8)))}~`;

/** The name that lite sees as the column of the sealed filters. */
const COLUMN = "sealed_filters";

type Sealed =
  | { argument: string }
  | { table: string | null; conditions: Condition[] }
  | { message: string; details: string };

function seal(sealed: Sealed): string {
  return SEAL + encodeHex(JSON.stringify(sealed));
}

function unsealed(value: unknown): Sealed | null {
  if (typeof value !== "string" || !value.startsWith(SEAL)) return null;
  return JSON.parse(new TextDecoder().decode(decodeHex(value.slice(SEAL.length))));
}

const NOT_A_FILTER =
  /^(select|order|limit|offset|columns|on_conflict|apikey)$|\.(order|limit|offset)$/;
const JUNCTION = /(^|\.)(and|or)$/;
/**
 * On an embedded table, this filter tests whether a row exists. lite understands this filter, so it
 * is not sealed.
 */
const IS_NULL = /^(not\.)?is\.null$/;

/** A request's URL, with its filters sealed. */
export function sealFilters({ method, url: address }: Pick<Request, "method" | "url">): string {
  const url = new URL(address);
  // lite compares a PUT request's filters with the request body, so these filters are not sealed.
  if (url.search === "" || method === "PUT") return address;
  const isCall = url.pathname.includes("/rpc/");
  const parse = isCall && /^(GET|HEAD)$/.test(method) ? parseFilterOfCall : parseFilter;
  const firstTable = isCall ? null : /\/(\w+)$/.exec(url.pathname)?.[1] ?? null;
  const kept = new URLSearchParams();
  const conditions = new Map<string, Condition[]>();
  try {
    for (const [key, value] of url.searchParams) {
      if (NOT_A_FILTER.test(key) || (!isCall && /^\w+$/.test(key) && IS_NULL.test(value))) {
        kept.append(key, value);
        continue;
      }
      const placed: Placed | null = (JUNCTION.test(key) ? parseJunction : parse)(key, value);
      if (!placed) {
        kept.append(key, seal({ argument: value }));
        continue;
      }
      const path = [...placed.path, COLUMN].join(".");
      conditions.set(path, [...conditions.get(path) ?? [], placed.condition]);
    }
    for (const [path, all] of conditions) {
      const table = path === COLUMN ? firstTable : null;
      kept.append(path, `eq.${seal({ table, conditions: all })}`);
    }
  } catch (error) {
    if (!(error instanceof NotUnderstood)) throw error;
    // No caller may receive the error before lite has checked the token, so the error is sealed
    // too.
    kept.set(COLUMN, `eq.${seal({ message: error.message, details: error.details })}`);
  }
  url.search = kept.toString();
  return url.href;
}

/** A parsed query of lite. */
export interface Query {
  type: string;
  where?: Record<string, { $eq?: unknown }>;
  select?: (string | Record<string, { column?: string }>)[];
  order?: { column: string; embed?: string }[];
}

/**
 * Refuses a query if PostgREST or safeupdate would refuse its filters.
 * @throws DatabaseAnswer PGRST100 when the filters are not understood. 21000 when an update or
 * delete has no filter. 42703 when a function's result is sorted by a column that the request
 * neither selects nor filters by: PostgREST has no other columns at that point.
 */
export function judgeFilters({ type, where, select, order }: Query) {
  const sealed = unsealed(where?.[COLUMN]?.$eq);
  if (sealed && "message" in sealed) throw new DatabaseAnswer(400, { ...sealed, code: "PGRST100" });
  if (/^(update|delete)$/.test(type) && !Object.keys(where ?? {}).length) {
    throw changeOfAllRows(type);
  }
  if (type !== "rpc" || !select?.length || select.includes("*")) return;
  const selected = select.flatMap((item) =>
    typeof item === "string"
      ? item
      : Object.entries(item).map(([alias, { column }]) => column ?? alias)
  );
  const sorting = (order ?? []).filter(({ embed }) => !embed);
  const needed = sorting.map(({ column }) => column.split("->", 1)[0]);
  if (sealed && "conditions" in sealed) selected.push(...sealed.conditions.flatMap(columnsOf));
  const missing = needed.find((column) => !selected.includes(column));
  if (missing === undefined) return;
  const message = `column pgrst_source.${missing} does not exist`;
  throw new DatabaseAnswer(400, { code: "42703", message });
}

function columnsOf(condition: Condition): string[] {
  return "members" in condition ? condition.members.flatMap(columnsOf) : [condition.field.name];
}

/** Replaces the sealed parts in lite's SQL with PostgREST's SQL. */
export class Unsealing extends OperationNodeTransformer {
  constructor(private readonly typed: Typed) {
    super();
  }

  /** lite's SQL for the sealed filters is `column = operand`. */
  protected override transformRaw(node: RawNode): RawNode {
    const operand = node.parameters.at(-1);
    const sealed = operand?.kind === "ValueNode" ? unsealed((operand as ValueNode).value) : null;
    if (!sealed || !("conditions" in sealed)) return super.transformRaw(node);
    const { conditions, table } = sealed;
    const all = conditions.map((condition) => conditionSql(condition, table, this.typed));
    return sql`(${sql.join(all, sql` and `)})`.toOperationNode() as RawNode;
  }

  protected override transformValue(node: ValueNode): ValueNode {
    const argument = (value: unknown) => {
      const sealed = unsealed(value);
      return sealed && "argument" in sealed ? sealed.argument : null;
    };
    if (Array.isArray(node.value)) {
      return { ...node, value: node.value.map((value) => argument(value) ?? value) };
    }
    const text = argument(node.value);
    return text === null ? node : { ...node, value: unknownText(text, this.typed) };
  }
}
