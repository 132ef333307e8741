import { PostgrestClient } from "@supabase/postgrest-js";
import type { SupabaseClient } from "@supabase/supabase-js";
import type { Config } from "../config.ts";
import { ApiError } from "../errors.ts";
import { fetchOnce } from "../fetch_once.ts";
import { PAGE_BYTES, readWhole, readWithinBudget } from "./page_budget.ts";
import { QUERY_TOO_LONG, TOO_MANY_REQUESTS } from "./rows.ts";
import type { Database } from "./types.ts";

/**
 * The database as one company's API key sees it: the part of the supabase-js client that calls the
 * Data API. The auth, realtime and storage clients are not loaded, because they would double the
 * code that a function loads before its first response.
 */
export type CompanyDb = Pick<SupabaseClient<Database>, "from" | "rpc">;

/** A client that several requests use. */
export interface SharedDb extends CompanyDb {
  /**
   * The same client for one request. The events about changes in this request have the request's
   * id.
   */
  forRequest(id: string): CompanyDb;
}

/**
 * Runs a statement as soon as the share of its holder allows it; see `FairShare`.
 *
 * @throws ApiError too_many_requests when the statement waits too long in the queue.
 */
export type Turn = (
  statement: () => Promise<Response>,
  options: { isUrgent: boolean },
) => Promise<Response>;

/** A query of supabase-js. */
interface Query {
  setHeader(name: string, value: string): unknown;
}

// Headers that pass options for a query to the fetch function below. They are headers because
// supabase-js passes nothing else to that function. They are never sent to the server.
const URGENT = "X-Urgent";
const PAGE = "X-Page";
const MORE_BYTES = "X-More-Bytes";

/**
 * Marks a query that must not be lost. Such a query is placed at the front of its company's queue,
 * even if the queue is full.
 */
export function urgent<Statement extends Query>(query: Statement): Statement {
  query.setHeader(URGENT, "1");
  return query;
}

/**
 * Reads only as much of a query's response as fits into the byte budget of a page; see
 * `readWithinBudget`.
 * @param atLeast how many rows are always read, even if they are large.
 */
export function withinBudget<Statement extends Query>(query: Statement, atLeast = 1): Statement {
  query.setHeader(PAGE, String(atLeast));
  return query;
}

/**
 * Marks a query for a later page of a list. Its URL may be longer, so that a cursor also works if
 * the URL of the first page is as long as possible.
 */
export function ofLaterPage<Statement extends Query>(query: Statement): Statement {
  query.setHeader(MORE_BYTES, MAX_CURSOR);
  return query;
}

/**
 * Gateways in front of a hosted Data API refuse a request line of more than 8 KiB. These limits are
 * in bytes, for the path with its query. The rest of the line is reserved for the method, the
 * version, and a path prefix.
 */
const MAX_ADDRESS = 7_500;
/** The conditions of a cursor are longer than this only if they contain a long name or title. */
const MAX_CURSOR = "500";

/**
 * Whether a URL is too long for a request. A URL is ASCII, so its length is its number of bytes.
 */
function isTooLong(address: string, moreBytes: number): boolean {
  const { pathname, search } = new URL(address);
  return pathname.length + search.length > MAX_ADDRESS + moreBytes;
}

/**
 * A client that runs its statements as the role of its token. If the role is `api_client`, the
 * token identifies an API key, and the database limits the statements to the company of this key.
 */
export function companyDb(
  config: Config,
  token: () => Promise<string>,
  turn: Turn = (statement) => statement(),
): SharedDb {
  const options: ConstructorParameters<typeof PostgrestClient<Database>>[1] = {
    async fetch(input, init) {
      // Because some code imports node:crypto, Node's types apply. In these types, `init` has no
      // properties.
      const headers = new Headers((init as { headers?: HeadersInit } | undefined)?.headers);
      const [isUrgent, atLeast] = [headers.has(URGENT), Number(headers.get(PAGE))];
      headers.delete(URGENT);
      headers.delete(PAGE);
      const moreBytes = Number(headers.get(MORE_BYTES));
      headers.delete(MORE_BYTES);
      if (isTooLong(String(input), moreBytes)) return refused(QUERY_TOO_LONG, 414);
      const statement = async () => {
        headers.set("Authorization", `Bearer ${await token()}`);
        // The timeout starts now, so the time in the queue does not count.
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
    // supabase-js must not repeat a failed request: the caller decides whether to repeat it.
    retry: false,
  };
  const withHeaders = (headers: Record<string, string>): SharedDb =>
    Object.assign(
      new PostgrestClient<Database>(`${config.supabaseUrl}/rest/v1`, { ...options, headers }),
      { forRequest: (id: string) => withHeaders({ ...headers, "X-Request-Id": id }) },
    );
  return withHeaders({ apikey: config.publishableKey });
}

/**
 * The response to a statement that is not run. If the fetch function threw an error instead,
 * supabase-js would report a lost connection.
 */
function refused(code: string, status: number): Response {
  return Response.json({ code, message: "The statement was not made" }, { status });
}

/** Does the work, and aborts it after `ms` milliseconds. */
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
