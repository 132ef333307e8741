import { type Answer, APIPromise } from "./answer.ts";
import { CRMError } from "./errors.ts";
import type { CreateManyOptions, SendOptions } from "./options.ts";
import { List, Page, type PagePlace } from "./pages.ts";
import type { Query } from "./query.ts";
import type { BatchAnswer } from "./records.ts";
import { resultOf } from "./sends.ts";
import { type Call, requireId, requireObject, type Transport } from "./transport.ts";

/** All parts of a request except its method and path. */
type Rest =
  & Pick<Call, "query" | "need" | "body" | "file" | "type" | "isRepeatable" | "isFile" | "options">
  // Only for a path that does not begin with `gateway`.
  & Partial<Pick<Call, "path">>;

/** The kinds of requests that the client's methods make. */
export interface Requests {
  /**
   * Makes a request to the gateway.
   * @param pick extracts the result from the response body. Without `pick`, the request has no
   * result.
   */
  asked(
    method: string,
    path: string[],
    rest: Rest,
    pick?: Call["pick"],
  ): APIPromise<never>;
  /** Like `asked`, but the result is the record in the response body. */
  record(method: string, path: string[], rest: Rest): APIPromise<never>;
  /** Like `asked`, but sends the items in batches, one after the other. */
  many(
    method: string,
    path: string[],
    items: readonly unknown[],
    query?: { atomic?: unknown },
    options?: CreateManyOptions,
  ): APIPromise<never>;
  /** Lists the gateway's records. */
  listed(path: string[], query?: Query, options?: Rest["options"]): List<never>;
  /** Sends a message. */
  sent(
    path: string[],
    message: object,
    options?: SendOptions,
    more?: { conversation_id: string },
  ): APIPromise<never>;
}

/** Returns functions that make requests through a transport. */
export function requestsOf(ask: Transport): Requests {
  const asked: Requests["asked"] = (method, path, rest, pick) => {
    const key = method === "POST" && !rest.isRepeatable
      ? rest.options?.idempotencyKey ?? newKey()
      : undefined;
    const answer = ask<never>({ method, path: ["gateway", ...path], key, pick, ...rest });
    return new APIPromise(() => answer);
  };
  return {
    asked,
    record: (method, path, rest) => asked(method, path, rest, (body) => body.data),
    many(method, path, items, query, options = {}) {
      const send = async () => {
        const batches = batchesOf(items);
        if (query?.atomic && batches.length > 1) {
          throw new TypeError("With atomic, the items must fit into one batch: 500 items, 1 MB");
        }
        const { idempotencyKey = newKey(), onProgress } = options;
        const all: Many = { data: [], summary: {} };
        let answer!: Answer<Many>;
        for (const [place, batch] of batches.entries()) {
          try {
            answer = await asked(method, path, {
              body: { items: batch },
              query,
              type: method === "PATCH" ? "application/merge-patch+json" : undefined,
              options: {
                ...options,
                idempotencyKey: idempotencyKey + (place ? `-${place}` : ""),
              },
            }, (body) => body.summary && body).withResponse();
          } catch (error) {
            if (error instanceof CRMError && place > 0) {
              error.done = all as BatchAnswer<unknown>;
              // A PATCH request has no key.
              if (error.idempotencyKey !== null) error.idempotencyKey = idempotencyKey;
            }
            throw error;
          }
          const { data, summary } = answer.data;
          const from = all.data.length;
          for (const item of data) all.data.push(from ? moved(item, from) : item);
          for (const name in summary) all.summary[name] = (all.summary[name] ?? 0) + summary[name];
          const { failed } = all.summary;
          onProgress?.({ done: all.data.length, total: items.length, failed });
        }
        return { ...answer, data: all as never };
      };
      const answer = send();
      return new APIPromise(() => answer);
    },
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
    sent(path, message: { idempotency_key?: string }, options = {}, more) {
      const { idempotencyKey, dryRun } = options;
      const send = async () => {
        requireObject("A message", message);
        if (more) requireId(more.conversation_id);
        const given = message.idempotency_key ?? idempotencyKey;
        if (idempotencyKey !== undefined && given !== idempotencyKey) {
          throw new TypeError("idempotency_key and idempotencyKey differ");
        }
        // For a dry run, the client generates no key. The API then checks the request as a send
        // without a key.
        const key = given ?? (dryRun ? undefined : newKey());
        return await ask<never>({
          method: "POST",
          path,
          query: dryRun ? { dry_run: true } : undefined,
          body: { ...more, ...message, idempotency_key: key },
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

/** The combined responses to several batches. */
interface Many {
  data: { index: number; error?: unknown }[];
  summary: Record<string, number>;
}

/** The API accepts 500 items and 1 MiB in one body. */
const MOST_ITEMS = 500;
const MOST_BYTES = 1_000_000;

/**
 * Divides the items into lists. Each list fits into one request, and there is at least one list.
 */
function batchesOf(items: readonly unknown[]): unknown[][] {
  if (!Array.isArray(items)) throw new TypeError("The items must be an array");
  const batches: unknown[][] = [[]];
  let bytes = 0;
  for (const item of items) {
    requireObject("An item", item);
    const { length } = new TextEncoder().encode(JSON.stringify(item));
    bytes += length + 1;
    if (bytes > MOST_BYTES || batches.at(-1)!.length === MOST_ITEMS) {
      batches.push([]);
      bytes = length;
    }
    batches.at(-1)!.push(item);
  }
  return batches;
}

/** Returns the result for an item of a later batch, with the item's index among all items. */
function moved({ index, error, ...item }: Many["data"][number], from: number) {
  const place = index + from;
  return error
    ? { ...item, index: place, error: renamed(error, place) }
    : { ...item, index: place };
}

/**
 * Returns an item's error with other field names. The item's index in its batch is replaced by its
 * index among all items: `items.3.phone` becomes `items.503.phone`.
 */
function renamed(error: unknown, place: number): unknown {
  return JSON.parse(
    JSON.stringify(error).replace(/"(Invalid request: )?items\.\d+/g, `"$1items.${place}`),
  );
}

function newKey(): string {
  return crypto.randomUUID();
}
