import { deprecationHeaders } from "../supabase/functions/_shared/http/deprecation.ts";
import type { Operation } from "../supabase/functions/_shared/http/operation.ts";
import type { JsonSchema } from "./json_schema.ts";

/** What docs/versioning.md promises: so many days of notice. */
const NOTICE_DAYS = 180;
const DAY_MS = 24 * 60 * 60_000;

/** The headers of every answer of a deprecated operation; none of any other. */
export function announcedBy({ deprecated }: Operation): Record<string, JsonSchema> {
  if (!deprecated) return {};
  const { Deprecation, Sunset } = deprecationHeaders(deprecated, null);
  const always = (description: string, value: string): JsonSchema => ({
    description,
    required: true,
    schema: { type: "string", const: value },
  });
  return {
    Deprecation: always("Since when the operation is deprecated (RFC 9745).", Deprecation),
    Sunset: always("From when on the operation may be gone (RFC 8594).", Sunset),
    Link: {
      description:
        "The page that says what to use instead, where the operator of the API names pages.",
      schema: { type: "string" },
    },
  };
}

/**
 * The description of an operation, with the dates of its deprecation.
 * @throws Error when the notice is shorter than promised, or a date is none.
 */
export function describedDeprecation({ id, deprecated }: Operation, description: string) {
  if (!deprecated) return { description };
  const { since, sunset } = deprecated;
  const [from, to] = [since, sunset].map((day) =>
    /^\d{4}-\d\d-\d\d$/.test(day) ? Date.parse(day) : NaN
  );
  if (!(to - from >= NOTICE_DAYS * DAY_MS)) {
    throw new Error(
      `${id} is deprecated since ${since} and gone from ${sunset}: these are no days with ${NOTICE_DAYS} days of ` +
        "notice between them",
    );
  }
  return {
    description: `**Deprecated since ${since}; it may be gone from ${sunset} on.** ${description}`,
    deprecated: true,
  };
}
