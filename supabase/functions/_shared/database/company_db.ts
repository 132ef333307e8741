import { PostgrestClient } from "@supabase/postgrest-js";
import type { SupabaseClient } from "@supabase/supabase-js";
import type { Config } from "../config.ts";
import { ApiError } from "../errors.ts";
import { fetchOnce } from "../fetch_once.ts";
import { PAGE_BYTES, readWhole, readWithinBudget } from "./page_budget.ts";
import { QUERY_TOO_LONG, TOO_MANY_REQUESTS } from "./rows.ts";
import type { Database } from "./types.ts";

/**
 * The database as one company's API key sees it: the part of the supabase-js client that calls the Data API.
 * The auth, realtime and storage clients are not loaded: they would double the code that a function loads
 * before its first answer.
 */
export type CompanyDb = Pick<SupabaseClient<Database>, "from" | "rpc">;

/** Makes a statement when its turn has come. Throws ApiError too_many_requests when it does not come. */
export type Turn = (
  statement: () => Promise<Response>,
  options: { isUrgent: boolean },
) => Promise<Response>;

/** A query of supabase-js. */
interface Query {
  setHeader(name: string, value: string): unknown;
}

// What a query asks of the fetch below. A header is the only thing that supabase-js hands on to it. These two
// headers never leave the function.
const URGENT = "X-Urgent";
const PAGE = "X-Page";

/** The query, as one that must not be lost: it is the next of its company, and never one too many. */
export function urgent<Statement extends Query>(query: Statement): Statement {
  query.setHeader(URGENT, "1");
  return query;
}

/**
 * The query, as one whose rows end at the byte budget of a page; see `readWithinBudget`.
 * @param atLeast so many rows are read whatever they weigh.
 */
export function withinBudget<Statement extends Query>(query: Statement, atLeast = 1): Statement {
  query.setHeader(PAGE, String(atLeast));
  return query;
}

/**
 * Gateways before a hosted Data API refuse a line of a request that is longer than 8 KiB. In bytes, of the path with
 * its query; the rest is for the method, the version, and a prefix of the path.
 */
const MAX_ADDRESS = 7_500;

/** Whether an address is too long to be asked. What URLs write of it is ASCII. */
function isTooLong(address: string): boolean {
  const { pathname, search } = new URL(address);
  return pathname.length + search.length > MAX_ADDRESS;
}

/**
 * A client whose statements run as the role of its token. With `api_client`, the database limits them to the
 * company of the key that the token names.
 */
export function companyDb(
  config: Config,
  token: () => Promise<string>,
  turn: Turn = (statement) => statement(),
): CompanyDb {
  return new PostgrestClient<Database>(`${config.supabaseUrl}/rest/v1`, {
    headers: { apikey: config.publishableKey },
    async fetch(input, init) {
      if (isTooLong(String(input))) return refused(QUERY_TOO_LONG, 414);
      const headers = new Headers(init?.headers);
      const [isUrgent, atLeast] = [headers.has(URGENT), Number(headers.get(PAGE))];
      headers.delete(URGENT);
      headers.delete(PAGE);
      const statement = async () => {
        headers.set("Authorization", `Bearer ${await token()}`);
        // From here on and not from the query's beginning: the time in the line does not count.
        return await answeredIn(config.databaseTimeoutMs, async (signal) => {
          const answer = await fetchOnce(input, { ...init, headers, signal });
          if (atLeast === 0) return await readWhole(answer);
          return await readWithinBudget(answer, PAGE_BYTES, atLeast);
        });
      };
      try {
        return await turn(statement, { isUrgent });
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        return refused(TOO_MANY_REQUESTS, error.status);
      }
    },
    // A request costs one round trip. Whether to retry is the caller's decision.
    retry: false,
  });
}

/** The answer to a statement that is not made. supabase-js would take a thrown error for a lost connection. */
function refused(code: string, status: number): Response {
  return Response.json({ code, message: "The statement was not made" }, { status });
}

/** Does the work, and aborts it when it takes longer. */
async function answeredIn<Result>(
  ms: number,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const ending = new AbortController();
  const timer = setTimeout(
    () => ending.abort(new DOMException(`no answer in ${ms} ms`, "TimeoutError")),
    ms,
  );
  try {
    return await work(ending.signal);
  } finally {
    clearTimeout(timer);
  }
}
