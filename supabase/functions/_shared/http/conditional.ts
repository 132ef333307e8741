import * as base64url from "jose/base64url";
import type { AcceptedVersions } from "../database/conditional_write.ts";
import { invalidRequest } from "../errors.ts";
import type { Declaration } from "./operation.ts";

// Conditional requests (RFC 9110, section 13). The ETag of a record is its version in double
// quotes. A record that is made of several rows has no version, so its ETag is a digest of the
// answer.

/** The condition of a request, without the quotes of its ETags. */
export interface Conditions {
  /** The versions that a write accepts. */
  ifMatch: AcceptedVersions;
  /** The versions that the caller of a GET already has. */
  ifNoneMatch: AcceptedVersions;
}

/** Whether a method only reads. */
function reads(method: string): boolean {
  return method === "GET" || method === "HEAD";
}

/** The header with conditions that an operation accepts; null when it accepts none. */
export function conditionOf(
  { method, conditional, takesIfMatch }: Pick<
    Declaration,
    "method" | "conditional" | "takesIfMatch"
  >,
): "If-Match" | "If-None-Match" | null {
  if (!conditional || (method === "POST" && !takesIfMatch)) return null;
  return reads(method) ? "If-None-Match" : "If-Match";
}

/**
 * The conditions in the headers of a request. A condition that would be ignored is refused, because
 * the caller relies on it. A GET is the exception: it may always return the whole record.
 *
 * @throws ApiError invalid_request for a header that is malformed or that the operation does not
 *   accept.
 */
export function readConditions(
  headers: Headers,
  operation: Pick<Declaration, "method" | "conditional">,
): Conditions {
  const taken = conditionOf(operation);
  const [match, noneMatch] = [headers.get("If-Match"), headers.get("If-None-Match")];
  if (match !== null && taken !== "If-Match") {
    throw notTaken("If-Match", "only a change of one record accepts it");
  }
  if (noneMatch !== null && !reads(operation.method)) {
    throw notTaken("If-None-Match", "only a GET of one record accepts it");
  }
  const tags = (name: string, value: string | null) => value === null ? null : tagsIn(name, value);
  const [sent, known] = [tags("If-Match", match), tags("If-None-Match", noneMatch)];
  return { ifMatch: sent, ifNoneMatch: known };
}

function notTaken(field: string, why: string) {
  return invalidRequest([{ field, message: `is not accepted here; ${why}` }]);
}

/**
 * An ETag, and the separator before the next one. A proxy that compresses an answer makes its ETag
 * weak (`W/`). The version in it still names one state of the row, so a weak ETag is treated like a
 * strong one, also in If-Match.
 */
const TAG = /(?:W\/)?"([!\x23-\x7e\x80-\xff]*)"[ \t]*(?:,[ \t,]*|$)/y;

function tagsIn(field: string, value: string): "*" | string[] {
  if (value.trim() === "*") return "*";
  const tags: string[] = [];
  TAG.lastIndex = /^[ \t,]*/.exec(value)![0].length;
  while (TAG.lastIndex < value.length) {
    const [found, opaque] = TAG.exec(value) ?? [];
    if (found === undefined) throw malformed(field);
    tags.push(opaque);
  }
  if (tags.length === 0) throw malformed(field);
  return tags;
}

function malformed(field: string) {
  const message = 'must be an ETag in double quotes, such as "374810", a list of them, or *';
  return invalidRequest([{ field, message }]);
}

/**
 * The ETag of an answer; null when the answer is not one whole record. @param json the answer's
 * body.
 */
export async function etagOf(
  { conditional }: Pick<Declaration, "conditional">,
  query: { fields?: unknown; include?: unknown } = {},
  answer: unknown,
  json: string,
): Promise<string | null> {
  if (!conditional || query.fields || query.include) return null;
  const { version } = (answer as { data: { version?: string } }).data;
  return `"${version ?? await digestOf(json)}"`;
}

async function digestOf(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return base64url.encode(new Uint8Array(bytes));
}

/** Whether the reader already has the answer, so that it need not be sent again. */
export function isKnown(etag: string, { ifNoneMatch }: Conditions): boolean {
  return ifNoneMatch === "*" || (ifNoneMatch?.includes(etag.slice(1, -1)) ?? false);
}
