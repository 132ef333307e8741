import { base64url } from "jose";
import { invalidRequest } from "../errors.ts";
import type { Declaration } from "./operation.ts";

// A POST with an Idempotency-Key is done once; draft-ietf-httpapi-idempotency-key-header. The function in the database
// that writes claims the key in its transaction: app.claim_idempotency_key().

/** By what a request is recognised: the argument `idempotency` of the database's functions. */
export type Idempotency = {
  /** Two operations may have the same key. */
  path: string;
  key: string;
  /** A digest of what the request asks for. */
  fingerprint: string;
};

/** The header of an answer to a repeat. */
export const REPLAYED = { "Idempotent-Replayed": "true" };

const HEADER = "Idempotency-Key";
const KEY = /^[\x21-\x7e]{1,255}$/;

/**
 * The key of a request; null when it has none, or when the operation takes none: a repeat does no harm there. The draft
 * writes the key in double quotes, and most callers do not; both mean the same key.
 *
 * @throws ApiError invalid_request for a key that is empty, too long, or not of visible ASCII characters.
 */
export function readIdempotencyKey(
  headers: Headers,
  { idempotent }: Pick<Declaration, "idempotent">,
): string | null {
  const value = headers.get(HEADER);
  if (!idempotent || value === null) return null;
  const key = /^"(.*)"$/.exec(value)?.[1] ?? value;
  if (KEY.test(key)) return key;
  const message = "must be 1 to 255 visible ASCII characters, such as a UUID, and be sent once";
  throw invalidRequest([{ field: HEADER, message }]);
}

/**
 * What the database needs to recognise a request by its key.
 * @param asked the parsed query and body: white space and the order of fields make no other request.
 */
export async function idempotencyOf(
  key: string,
  { path }: Pick<Declaration, "path">,
  params: Record<string, unknown> = {},
  asked: { query: unknown; body: unknown },
): Promise<Idempotency> {
  const own = path.replace(/:(\w+)/g, (_, name) => String(params[name]).toLowerCase());
  const bytes = new TextEncoder().encode(JSON.stringify(asked, inOrder));
  const digest = await crypto.subtle.digest("SHA-256", bytes);
  return { path: own, key, fingerprint: base64url.encode(new Uint8Array(digest)) };
}

/** For JSON.stringify: objects with their keys in order. */
function inOrder(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => one < other ? -1 : 1));
}
