import { type Answer, APIPromise } from "./answer.ts";
import type { SendOptions } from "./options.ts";
import { List, Page, type PagePlace } from "./pages.ts";
import type { Query } from "./query.ts";
import { resultOf } from "./sends.ts";
import type { Body, Call, Transport } from "./transport.ts";

/** All parts of a request except its method and its path. */
type Rest = Pick<Call, "query" | "body" | "type" | "options">;

/** The kinds of requests that the client's methods make. */
export interface Requests {
  /**
   * A request to the gateway. @param pick takes the result out of the answer's body. If it is
   * missing, the request has no result.
   */
  asked(
    method: string,
    path: string[],
    rest: Rest,
    pick?: (body: Body) => unknown,
  ): APIPromise<never>;
  /** Like `asked`. The result is the record in the body. */
  record(method: string, path: string[], rest: Rest): APIPromise<never>;
  /** A list of the gateway's records. */
  listed(path: string[], query?: Query, options?: Rest["options"]): List<never>;
  /** A send. */
  sent(path: string[], message: object, options?: SendOptions): APIPromise<never>;
}

/** The requests that a transport sends. */
export function requestsOf(ask: Transport): Requests {
  const asked: Requests["asked"] = (method, path, rest, pick) => {
    const key = method === "POST" ? rest.options?.idempotencyKey ?? newKey() : undefined;
    const answer = ask<never>({ method, path: ["gateway", ...path], key, pick, ...rest });
    return new APIPromise(() => answer);
  };
  return {
    asked,
    record: (method, path, rest) => asked(method, path, rest, (body) => body.data),
    listed(path, query, options) {
      const page = async (cursor?: string): Promise<Answer<Page<never>>> => {
        const { data: body, ...answer } = await ask<{ data: never[]; pagination: PagePlace }>({
          method: "GET",
          path: ["gateway", ...path],
          // A cursor replaces `start`, which is only for the first page.
          query: cursor === undefined ? query : { ...query, start: undefined, cursor },
          options,
          pick: (body) => body.pagination && body,
        });
        const next = async (cursor: string) => (await page(cursor)).data;
        return { ...answer, data: new Page(body.data, body.pagination, next) };
      };
      return new List(page);
    },
    sent(path, message: { idempotency_key?: string }, options = {}) {
      const { idempotencyKey, dryRun } = options;
      const send = async () => {
        const given = message.idempotency_key ?? idempotencyKey;
        if (idempotencyKey !== undefined && given !== idempotencyKey) {
          throw new TypeError("idempotency_key and idempotencyKey differ");
        }
        // A dry run without a key asks about a send without a key.
        const key = given ?? (dryRun ? undefined : newKey());
        return await ask<never>({
          method: "POST",
          path,
          query: dryRun ? { dry_run: true } : undefined,
          body: { ...message, idempotency_key: key },
          options,
          key,
          isRead: dryRun,
          isSend: !dryRun,
          pick: resultOf,
        });
      };
      const answer = send();
      return new APIPromise(() => answer);
    },
  };
}

function newKey(): string {
  return crypto.randomUUID();
}
