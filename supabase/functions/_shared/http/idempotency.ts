import * as base64url from "jose/base64url";
import type { Idempotency } from "../database/idempotency.ts";
import { headerNotAccepted, invalidRequest } from "../errors.ts";
import type { Declaration } from "./operation.ts";

// A POST with an Idempotency-Key takes effect once (draft-ietf-httpapi-idempotency-key-header). The
// database function that writes the record claims the key in the same transaction:
// app.claim_idempotency_key().

/** The header that marks the response to a repeated request. */
export const REPLAYED = { "Idempotent-Replayed": "true" };

const HEADER = "Idempotency-Key";
const KEY = /^[\x21-\x7e]{1,255}$/;

/**
 * The Idempotency-Key of a request. Null when the request has no key, when it only reads, or when
 * the key is in the body. The draft requires double quotes around the key, but most callers omit
 * them. Both forms mean the same key.
 *
 * @throws ApiError header_not_accepted on a write that accepts no key, because the caller would
 *   rely on the key; invalid_request for a key that is empty, too long, or not of visible ASCII
 *   characters.
 */
export function readIdempotencyKey(
  headers: Headers,
  { method, conditional, idempotent, keyInBody }: Pick<
    Declaration,
    "method" | "conditional" | "idempotent" | "keyInBody"
  >,
): string | null {
  const value = headers.get(HEADER);
  if (value === null || method === "GET" || keyInBody) return null;
  if (!idempotent) {
    const newer = conditional ? " (If-Match protects newer values)" : "";
    throw headerNotAccepted(
      HEADER,
      `has no effect here: the request is safe to repeat without it${newer}; leave it out`,
    );
  }
  const key = withoutQuotes(value);
  if (KEY.test(key)) return key;
  const message =
    "must have 1 to 255 visible ASCII characters, such as a UUID, and must be sent only once";
  throw invalidRequest([{ field: HEADER, message }]);
}

/**
 * If the body has the idempotency key, refuses a header with another key, because the caller relies
 * on the header.
 * @throws ApiError invalid_request
 */
export function requireKeyOfBody(
  headers: Headers,
  { keyInBody }: Pick<Declaration, "keyInBody">,
  body: unknown,
) {
  const value = headers.get(HEADER);
  if (!keyInBody || value === null) return;
  const { idempotency_key } = body as { idempotency_key?: string };
  if (idempotency_key === value || idempotency_key === withoutQuotes(value)) return;
  const message = "must equal idempotency_key in the body, or be left out";
  throw invalidRequest([{ field: HEADER, message }]);
}

function withoutQuotes(value: string): string {
  return /^"(.*)"$/.exec(value)?.[1] ?? value;
}

/**
 * What the database needs to recognise a request by its idempotency key.
 *
 * @param asked the parsed query and body, so that whitespace and the order of fields make no
 *   difference.
 */
export async function idempotencyOf(
  key: string,
  { path }: Pick<Declaration, "path">,
  params: Record<string, unknown> = {},
  asked: { query: unknown; body: unknown },
): Promise<Idempotency> {
  const own = path.replace(/:(\w+)/g, (_, name) => String(params[name]).toLowerCase());
  return { path: own, key, fingerprint: await fingerprintOf(asked) };
}

/**
 * A hash of a request's content, as parsed by its schemas. The order of fields makes no difference.
 */
export async function fingerprintOf(asked: unknown): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(asked, inOrder));
  return base64url.encode(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
}

/** Sorts the keys of objects. This is a replacer for `JSON.stringify`. */
function inOrder(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => one < other ? -1 : 1));
}
