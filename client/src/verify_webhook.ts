import type { WebhookEvent } from "./events.ts";

/** The headers of a request: a `Headers` object, or Node's `request.headers` object. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Record<string, string | readonly string[] | undefined>;

/** The options of `verifyWebhook`. */
export interface VerifyOptions {
  /**
   * The maximum difference between the request's timestamp and this machine's clock, in seconds.
   * The default is 300.
   */
  tolerance?: number;
}

/** Why a request was refused. */
export type WebhookRefusal =
  | "missing_header"
  | "malformed_header"
  | "wrong_signature"
  | "too_old"
  | "too_new"
  | "not_an_event";

/**
 * The request is not a delivery of your webhook, or not a recent delivery. Return a 400 and do not
 * use the body. The error message contains no secret.
 */
export class WebhookVerificationError extends Error {
  override name = "WebhookVerificationError";
  /** Why the request was refused. Your program can use this code to decide what to do. */
  readonly code: WebhookRefusal;

  constructor(code: WebhookRefusal, message: string) {
    super(message);
    this.code = code;
  }
}

const TOLERANCE_S = 300;
/**
 * The maximum number of signatures that are checked. A delivery has one signature, or two while two
 * secrets are valid.
 */
const MAX_SIGNATURES = 10;

/**
 * Verifies a webhook delivery, and returns its event.
 *
 * The same event may arrive more than once, always with the same `id`.
 *
 * @param body the raw body as it was received, before parsing.
 * @param secret the webhook's secret, `whsec_…`, or several secrets. The request must be signed
 * with one of them.
 * @throws WebhookVerificationError if the request is not a recent delivery that was signed with
 * this secret.
 * @throws TypeError if the body is not a string or bytes, if the secret is not a webhook secret, or
 * if the tolerance is not a number of at least 0.
 */
export async function verifyWebhook(
  headers: WebhookHeaders,
  body: string | Uint8Array | ArrayBuffer,
  secret: string | readonly string[],
  { tolerance = TOLERANCE_S }: VerifyOptions = {},
): Promise<WebhookEvent> {
  const keys = [secret].flat().map(bytesOfSecret);
  if (keys.length === 0) throw new TypeError("No secret: give the secret of the webhook, whsec_…");
  // Every comparison with NaN is false, so NaN would accept a delivery of any age.
  if (typeof tolerance !== "number" || !(tolerance >= 0)) {
    throw new TypeError("tolerance must be a number of seconds, 0 or more");
  }
  const bytes = bytesOfBody(body);
  const id = headerOf(headers, "webhook-id");
  const timestamp = headerOf(headers, "webhook-timestamp");
  const signatures = headerOf(headers, "webhook-signature").split(" ")
    .map((each) => each.split(",", 2)).filter(([version]) => version === "v1")
    .slice(0, MAX_SIGNATURES).flatMap(([, mac]) => fromBase64(mac) ?? []);
  if (!/^\d{1,12}$/.test(timestamp) || signatures.length === 0) {
    const name = signatures.length === 0 ? "webhook-signature" : "webhook-timestamp";
    const form = signatures.length === 0 ? "v1,<base64>" : "a time in seconds";
    throw new WebhookVerificationError(
      "malformed_header",
      `The header ${name} does not have the form ${form}: the request is not a delivery, or a proxy changed the header`,
    );
  }
  const content = joined(new TextEncoder().encode(`${id}.${timestamp}.`), bytes);
  if (!await isSigned(keys, signatures, content)) {
    throw new WebhookVerificationError(
      "wrong_signature",
      "No signature was made with this secret: check that the secret belongs to this webhook, and " +
        "that the body is as it was received, before anything parsed it",
    );
  }
  const seconds = Date.now() / 1000 - Number(timestamp);
  if (Math.abs(seconds) > tolerance) {
    const amount = `${Math.round(Math.abs(seconds))} s`;
    throw new WebhookVerificationError(
      seconds > 0 ? "too_old" : "too_new",
      `The delivery was signed ${amount} ${
        seconds > 0 ? "ago" : "in the future"
      }, and ${tolerance} s are ` +
        "allowed: check the clock of this machine; if the clock is right, someone sent an earlier delivery again",
    );
  }
  return eventOf(bytes);
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const value = typeof headers.get === "function"
    ? headers.get(name)
    : (headers as Record<string, string | readonly string[] | undefined>)[name];
  const text = [value ?? ""].flat().join(" ").trim();
  if (text !== "") return text;
  throw new WebhookVerificationError(
    "missing_header",
    `The request has no header ${name}: it is not a delivery, or a proxy removed the header`,
  );
}

function bytesOfSecret(secret: string): Uint8Array<ArrayBuffer> {
  const bytes = typeof secret === "string" && secret.startsWith("whsec_")
    ? fromBase64(secret.slice(6))
    : null;
  if (bytes) return bytes;
  throw new TypeError(
    "The secret is not a webhook secret: give the secret that begins with whsec_ and was shown when " +
      "the webhook was created",
  );
}

function bytesOfBody(body: string | Uint8Array | ArrayBuffer): Uint8Array {
  if (typeof body === "string") return new TextEncoder().encode(body);
  if (body instanceof Uint8Array) return body;
  if (body instanceof ArrayBuffer) return new Uint8Array(body);
  throw new TypeError(
    "The body is not a text or bytes: give the body as it was received, before anything parsed it, such as " +
      'await request.text(), or request.body after express.raw({ type: "application/json" })',
  );
}

/** Returns the decoded bytes, or null if the string is missing, empty or not base64. */
function fromBase64(text: string | undefined): Uint8Array<ArrayBuffer> | null {
  if (!text) return null;
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}

function joined(one: Uint8Array, other: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(one.length + other.length);
  bytes.set(one);
  bytes.set(other, one.length);
  return bytes;
}

/**
 * Whether one of the signatures was made with one of the secrets. WebCrypto compares signatures in
 * constant time.
 */
async function isSigned(
  secrets: Uint8Array<ArrayBuffer>[],
  signatures: Uint8Array<ArrayBuffer>[],
  content: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  for (const secret of secrets) {
    const key = await crypto.subtle.importKey("raw", secret, algorithm, false, ["verify"]);
    for (const signature of signatures) {
      if (await crypto.subtle.verify("HMAC", key, signature, content)) return true;
    }
  }
  return false;
}

function eventOf(bytes: Uint8Array): WebhookEvent {
  try {
    const event = JSON.parse(new TextDecoder().decode(bytes));
    if (typeof event.id === "string" && typeof event.type === "string") return event;
  } catch { /* the body is not JSON */ }
  throw new WebhookVerificationError(
    "not_an_event",
    "The body is signed, but it is not an event: something else uses the same secret; use the " +
      "secret only for this webhook",
  );
}
