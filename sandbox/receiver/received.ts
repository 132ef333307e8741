import { sign } from "../../supabase/functions/_shared/webhooks/signature.ts";

/** A request to the sandbox's receiver. */
export interface Received {
  /** The last part of the URL. */
  name: string;
  at: string;
  /** The type of the event; null when the body is not an event. */
  type: string | null;
  /** Whether the signature matches the secret of a webhook with this URL. */
  verified: boolean;
  /** Why the request is not verified; null when it is. */
  why: string | null;
  /** The status of the response; null when there was none. */
  answered: number | null;
  headers: Record<string, string>;
  /** The body exactly as it arrived, as text. */
  body: string;
}

/** The secrets of the webhooks with a given URL; null if no webhook has the URL. */
export type SecretsOf = (url: string) => Promise<string[] | null>;

/** Why a request is not verified if the receiver has no secret for its address. */
export const NO_WEBHOOK = "no webhook has this address";
export const NO_SECRET = "the sandbox does not have the secret of this webhook";

/**
 * A receiver refuses a request whose time differs from the receiver's clock by more than this, so
 * that no one can replay an old request.
 */
const TOLERANCE_S = 300;

/**
 * Verifies a request as Standard Webhooks requires. Returns null if the request is verified, and
 * otherwise the reason.
 *
 * @param secrets the secrets of the address, or a sentence that says why there are none.
 * @param now in milliseconds.
 */
export async function whyUnverified(
  headers: Headers,
  body: Uint8Array,
  secrets: string[] | string,
  now: number,
): Promise<string | null> {
  const [id, time, signature] = ["webhook-id", "webhook-timestamp", "webhook-signature"]
    .map((name) => headers.get(name));
  if (id === null || time === null || signature === null) {
    return "the headers webhook-id, webhook-timestamp and webhook-signature are not all present";
  }
  if (!/^\d{1,12}$/.test(time)) return "webhook-timestamp is not a number of seconds";
  if (Math.abs(Number(time) - now / 1000) > TOLERANCE_S) {
    return "webhook-timestamp is more than five minutes from now";
  }
  if (typeof secrets === "string") return secrets;
  const given = signature.split(" ");
  for (const secret of secrets) {
    if (given.includes(await sign([secret], id, Number(time), body))) return null;
  }
  return "the signature matches no secret of a webhook with this address";
}

/** The type of the event in a body; null when the body is not an event. */
export function typeOf(body: string): string | null {
  try {
    const { type } = JSON.parse(body);
    return typeof type === "string" ? type.slice(0, 100) : null;
  } catch {
    return null;
  }
}
