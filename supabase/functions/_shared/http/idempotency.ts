import { base64url } from "jose";
import type { Idempotency } from "../database/idempotency.ts";
import { invalidRequest } from "../errors.ts";
import type { Declaration } from "./operation.ts";

// A POST with an Idempotency-Key is done once; draft-ietf-httpapi-idempotency-key-header. The function in the database
// that writes claims the key in its transaction: app.claim_idempotency_key().

/** The header of the answer to a repeat. */
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
  const key = withoutQuotes(value);
  if (KEY.test(key)) return key;
  const message = "must be 1 to 255 visible ASCII characters, such as a UUID, and be sent once";
  throw invalidRequest([{ field: HEADER, message }]);
}

/**
 * Refuses the header where the body names the request, unless both say the same: the caller relies on it.
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
  const message =
    "must equal idempotency_key in the body, which names the send; it can be left out";
  throw invalidRequest([{ field: HEADER, message }]);
}

function withoutQuotes(value: string): string {
  return /^"(.*)"$/.exec(value)?.[1] ?? value;
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
  return { path: own, key, fingerprint: await fingerprintOf(asked) };
}

/** A digest of what a request asks for, as its schemas have parsed it. The order of fields is no difference. */
export async function fingerprintOf(asked: unknown): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(asked, inOrder));
  return base64url.encode(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
}

/** For JSON.stringify: objects with their keys in order. */
function inOrder(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => one < other ? -1 : 1));
}
