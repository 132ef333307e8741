import { deprecationHeaders } from "../../supabase/functions/_shared/http/deprecation.ts";
import type { Operation } from "../../supabase/functions/_shared/http/operation.ts";
import type { JsonSchema } from "./json_schema.ts";

/** docs/versioning.md promises a notice period of this many days. */
const NOTICE_DAYS = 180;
const DAY_MS = 24 * 60 * 60_000;

/**
 * Returns the headers that every response from a deprecated operation has. For any other operation,
 * returns no headers.
 */
export function announcedBy({ deprecated }: Operation): Record<string, JsonSchema> {
  if (!deprecated) return {};
  const { Deprecation, Sunset } = deprecationHeaders(deprecated, null);
  const always = (description: string, value: string): JsonSchema => ({
    description,
    required: true,
    schema: { type: "string", const: value },
  });
  return {
    Deprecation: always(
      "When the operation was deprecated (RFC 9745).",
      Deprecation,
    ),
    Sunset: always("After this time, the operation may no longer exist (RFC 8594).", Sunset),
    Link: {
      description:
        "The page that describes the replacement. Missing if the API's operator has not " +
        "configured the URL of the documentation.",
      schema: { type: "string" },
    },
  };
}

/**
 * Returns an operation's description, with its deprecation dates.
 * @throws Error if a date is invalid, or if the notice period is shorter than promised.
 */
export function describedDeprecation({ id, deprecated }: Operation, description: string) {
  if (!deprecated) return { description };
  const { since, sunset } = deprecated;
  const [from, to] = [since, sunset].map((day) =>
    /^\d{4}-\d\d-\d\d$/.test(day) ? Date.parse(day) : NaN
  );
  if (!(to - from >= NOTICE_DAYS * DAY_MS)) {
    throw new Error(
      `${id} is deprecated since ${since} and gone from ${sunset}: write both dates as ` +
        `YYYY-MM-DD, at least ${NOTICE_DAYS} days apart`,
    );
  }
  return {
    description: `**Deprecated since ${since}; it may be gone from ${sunset} on.** ${description}`,
    deprecated: true,
  };
}
