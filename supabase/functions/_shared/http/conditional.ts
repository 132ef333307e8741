import * as base64url from "jose/base64url";
import type { AcceptedVersions } from "../database/conditional_write.ts";
import { headerNotAccepted, invalidRequest } from "../errors.ts";
import type { Declaration } from "./operation.ts";

// Conditional requests (RFC 9110, section 13). The ETag of a record is its version in double
// quotes. A record that is made of several rows has no version, so its ETag is a hash of the
// response.

/** The conditions of a request. Their ETags are without quotes. */
export interface Conditions {
  /** The versions that a write accepts. */
  ifMatch: AcceptedVersions;
  /** The versions that the caller of a GET already has. */
  ifNoneMatch: AcceptedVersions;
}

type Condition = "If-Match" | "If-None-Match";

/** Whether a method only reads. */
function reads(method: string): boolean {
  return method === "GET" || method === "HEAD";
}

/** The conditional header that an operation accepts; null when it accepts none. */
export function conditionOf(
  { method, conditional, takesIfMatch }: Pick<
    Declaration,
    "method" | "conditional" | "takesIfMatch"
  >,
): Condition | null {
  if (!conditional || (method === "POST" && !takesIfMatch)) return null;
  return reads(method) ? "If-None-Match" : "If-Match";
}

/**
 * The conditions in the headers of a request. A condition that would be ignored is refused, because
 * the caller relies on that condition. The exception is a GET with `fields` or `include`: it
 * ignores If-None-Match, and always returns the record.
 *
 * @throws ApiError header_not_accepted for a condition that the operation would ignore;
 *   invalid_request for a header that is malformed.
 */
export function readConditions(
  headers: Headers,
  operation: Pick<Declaration, "method" | "conditional" | "takesIfMatch">,
): Conditions {
  const { method } = operation;
  const taken = conditionOf(operation);
  const take = (name: Condition) => {
    const value = headers.get(name);
    if (value === null) return null;
    if (taken !== name) throw headerNotAccepted(name, insteadOf(name, method, taken));
    return tagsIn(name, value);
  };
  const conditions = { ifMatch: take("If-Match"), ifNoneMatch: take("If-None-Match") };
  // On a read, If-Unmodified-Since protects nothing, and HTTP allows a server to ignore it.
  if (!reads(method) && headers.has("If-Unmodified-Since")) {
    throw headerNotAccepted("If-Unmodified-Since", insteadOf("If-Unmodified-Since", method, taken));
  }
  return conditions;
}

/**
 * The versions that a write accepts if its body has a version: only the version in the body. If
 * If-Match lists only other versions, the write accepts no version.
 *
 * @param version the version in the body.
 */
export function onlyVersion(version: string, ifMatch: AcceptedVersions): string[] {
  return Array.isArray(ifMatch) ? ifMatch.filter((each) => each === version) : [version];
}

/** What a caller should do instead of sending a condition that has no effect. */
function insteadOf(name: string, method: string, taken: Condition | null): string {
  if (reads(method)) {
    return name === "If-Match"
      ? "has no effect on a GET; send it with the change of the record"
      : "has no effect here; send it when you read one record by its id; to find what is new in a list, read /changes";
  }
  if (taken !== "If-Match") {
    return "has no effect here, because this request compares no version; leave it out";
  }
  return "has no effect here; send If-Match with the version that you read" +
    (method === "PUT" ? ", or POST to create a record only if there is none" : "");
}

/**
 * An ETag, and the separator before the next ETag. A proxy that compresses a response makes its
 * ETag weak (`W/`). The version in a weak ETag still identifies one state of the row. So a weak
 * ETag is treated like a strong ETag, even in If-Match.
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
 * The ETag of a response; null when the response is not one whole record.
 *
 * @param json the response body.
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

/** Whether the caller already has this response. If so, the service does not send it again. */
export function isKnown(etag: string, { ifNoneMatch }: Conditions): boolean {
  return ifNoneMatch === "*" || (ifNoneMatch?.includes(etag.slice(1, -1)) ?? false);
}
