import { decodeHex, encodeHex } from "deno-std/encoding/hex.js";
import { OperationNodeTransformer, type RawNode, sql, type ValueNode } from "kysely";
import { DatabaseAnswer } from "./database_errors.ts";
import {
  type Condition,
  parseFilter,
  parseFilterOfCall,
  parseJunction,
  type Placed,
} from "./filter_grammar.ts";
import { conditionSql, type Typed, unknownText } from "./filter_sql.ts";
import { NotUnderstood } from "./reader.ts";

// A correction of @supabase/lite, as in corrections.ts. PostgREST hands the operand of a filter to
// Postgres as text, and Postgres reads it as the type of the column. lite guesses the type from the
// text, so phone=eq.+5511… becomes a number and finds nothing, and it misreads quotes, brackets and
// escapes. So lite sees no filter. All filters on one table pass through it in hexadecimal, as one operand,
// and where lite's SQL has it, PostgREST's SQL for these filters takes its place. An argument in the
// address of a call passes in the same way.

/** The start of everything sealed; new in each process, so that no caller's text is taken for sealed. */
const SEAL = `~${encodeHex(crypto.getRandomValues(new Uint8Array(8)))}~`;

/** What lite takes for the column of the sealed filters. */
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
/** Asked of an embedded table, it means that there is a row, or none. lite understands it rightly. */
const IS_NULL = /^(not\.)?is\.null$/;

/** The address of a request, with its filters sealed. */
export function sealFilters({ method, url: address }: Pick<Request, "method" | "url">): string {
  const url = new URL(address);
  // lite compares the filters of a PUT with its body itself.
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
    // Nobody is told before the token has been judged, so lite carries the refusal as well.
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
 * Refuses what PostgREST refuses of the filters of a query.
 * @throws DatabaseAnswer PGRST100 when they are not understood. 42703 when the answer of a function is to
 *   be filtered or sorted by a column that is not selected, because only the selected ones are left by then.
 */
export function judgeFilters({ type, where, select, order }: Query) {
  const sealed = unsealed(where?.[COLUMN]?.$eq);
  if (sealed && "message" in sealed) throw new DatabaseAnswer(400, { ...sealed, code: "PGRST100" });
  if (type !== "rpc" || !select?.length || select.includes("*")) return;
  const selected = select.flatMap((item) =>
    typeof item === "string"
      ? item
      : Object.entries(item).map(([alias, { column }]) => column ?? alias)
  );
  const sorting = (order ?? []).filter(({ embed }) => !embed);
  const needed = sorting.map(({ column }) => column.split("->", 1)[0]);
  if (sealed && "conditions" in sealed) needed.push(...sealed.conditions.flatMap(columnsOf));
  const missing = needed.find((column) => !selected.includes(column));
  if (missing === undefined) return;
  const message = `column pgrst_source.${missing} does not exist`;
  throw new DatabaseAnswer(400, { code: "42703", message });
}

function columnsOf(condition: Condition): string[] {
  return "members" in condition ? condition.members.flatMap(columnsOf) : [condition.field.name];
}

/** Puts PostgREST's SQL where lite's has something sealed. */
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
