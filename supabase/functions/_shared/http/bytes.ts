import type { Context } from "hono";
import type { BytesReply } from "./answers.ts";
import { type Conditions, isKnown } from "./conditional.ts";
import type { ApiEnv } from "./env.ts";

/**
 * Responds with bytes instead of JSON. A browser never renders the bytes as a page, and never
 * guesses their type.
 */
export async function respondWithBytes(
  c: Context<ApiEnv>,
  { etag, open }: BytesReply,
  conditions: Conditions,
): Promise<Response> {
  const tag = etag === null ? null : `"${etag}"`;
  if (tag && isKnown(tag, conditions)) return c.body(null, 304, { ETag: tag });
  const { headers, body } = await open(c.req.method === "HEAD");
  const all = {
    ...(tag && { ETag: tag }),
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "sandbox",
    "Accept-Ranges": "none",
    ...headers,
  };
  return body ? c.body(body, 200, all) : c.body(null, 200, all);
}
