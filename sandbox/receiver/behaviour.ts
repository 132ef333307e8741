import * as z from "zod";

const ORDINARY = { status: 200, delay_ms: 0, silent: false, times: null, retry_after: null };

/** The settings that readBehaviour() accepts. */
const SETTINGS = [...Object.keys(ORDINARY), "secret"];

const Plan = z.strictObject({
  /** The status of the response. */
  status: z.int("must be a status from 200 to 599").min(200).max(599),
  /** The delay before the response, in milliseconds. */
  delay_ms: z.int("must be a whole number of milliseconds").min(0).max(60_000),
  /** Whether the request gets no response. */
  silent: z.boolean(),
  /**
   * The number of requests after which the receiver accepts requests again; null when its behaviour
   * does not change.
   */
  times: z.int("must be a whole number").min(1).max(1_000).nullable(),
  /** The response's `Retry-After` header, in seconds. */
  retry_after: z.int("must be a whole number of seconds").min(0).max(86_400).nullable(),
});

/** How the receiver responds to requests to `/sandbox/webhooks/{name}`. */
export type Behaviour = z.infer<typeof Plan>;

/** The secret of the webhook, as the API returned it when the webhook was created. */
const Secret = z.string().regex(
  /^whsec_(?:[A-Za-z\d+/]{4}){8,}(?:[A-Za-z\d+/]{2}==|[A-Za-z\d+/]{3}=)?$/,
  "must be whsec_ followed by base64, as in the response that created the webhook",
);

/**
 * Reads the behaviour that someone sets for the receiver. A setting that is missing from the text
 * gets its default value. With all defaults, the receiver immediately returns a 200.
 *
 * @returns the behaviour, and the secret if one is given; or a sentence that says what to change.
 */
export function readBehaviour(
  text: string,
): { behaviour: Behaviour; secret: string | undefined } | string {
  let told: unknown;
  try {
    told = JSON.parse(text || "{}");
  } catch {
    return 'The body is not JSON; send an object such as {"status":500,"times":3}';
  }
  const { data, error } = Plan.partial().extend({ secret: Secret.optional() }).safeParse(told);
  if (data) {
    const { secret, ...behaviour } = data;
    return { behaviour: { ...ORDINARY, ...behaviour }, secret };
  }
  const [{ path, message, code, ...issue }] = error.issues;
  if (code === "unrecognized_keys" && "keys" in issue) {
    return `${(issue.keys as string[])[0]} is not known; use ${SETTINGS.join(", ")}`;
  }
  return path.length > 0
    ? `${path.join(".")}: ${message}`
    : 'The body must be an object such as {"status":500,"times":3}';
}

/** How the receiver responds at each name, which is the last part of the URL. */
export function behaviours() {
  const told = new Map<string, Behaviour>();
  return {
    of: (name: string): Behaviour => told.get(name) ?? ORDINARY,
    tell: (name: string, behaviour: Behaviour) => told.set(name, behaviour),
    forget: (name: string) => told.delete(name),
    /** The behaviour for a request that has just arrived. Each call counts as one request. */
    next(name: string): Behaviour {
      const now = told.get(name) ?? ORDINARY;
      if (now.times === 1) told.delete(name);
      else if (now.times !== null) told.set(name, { ...now, times: now.times - 1 });
      return now;
    },
  };
}
