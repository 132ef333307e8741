import { keepRunning } from "../background.ts";
import { RecentlyUsed } from "../database/recently_used.ts";
import type { Caller } from "../key/caller.ts";
import { LineLimit } from "../line_limit.ts";
import { logWarning, type Origin } from "../log.ts";

/** The announcement that an operation is going to be removed. */
export interface Deprecation {
  /** The date of the announcement, such as `2027-01-31`. */
  since: string;
  /**
   * After this day, the operation may no longer exist. This day is at least six months after the
   * announcement.
   */
  sunset: string;
  /** The section of the guide for callers that names the replacement: `versioning.html#…`. */
  see: string;
}

/**
 * The headers that announce the removal in every response of the operation (RFC 9745, RFC 8594).
 */
export function deprecationHeaders(
  { since, sunset, see }: Deprecation,
  docsUrl: string | null,
): Record<string, string> {
  return {
    Deprecation: `@${Date.parse(since) / 1000}`,
    Sunset: new Date(sunset).toUTCString(),
    ...(docsUrl && { Link: `<${docsUrl}/${see}>; rel="deprecation"; type="text/html"` }),
  };
}

const TELL_EVERY_MS = 60 * 60_000;
const told = new RecentlyUsed<{ at: number }>(1_000);
const lines = new LineLimit(20);

/**
 * Logs that a company uses a deprecated operation. For each operation and company, an instance
 * writes at most one line an hour. The caller does not wait for the log line.
 */
export function noteDeprecatedUse(operation: string, origin: Origin, caller?: Caller) {
  const telling = async () => {
    // If this instance does not know the key's company yet, this check finds the company.
    await caller?.judgeUnlessKnown();
    const last = told.get(`${operation} ${caller?.holder}`, () => ({ at: -Infinity }));
    const line = performance.now() - last.at < TELL_EVERY_MS ? null : lines.take();
    if (!line) return;
    last.at = performance.now();
    const facts = { operation, company_id: caller?.holder, ...line };
    logWarning(origin, "deprecated_operation", facts);
  };
  // `telling` fails if the key was switched off just after the response, or if the database is
  // down. The next request is logged instead.
  keepRunning(telling().catch(() => {}));
}
