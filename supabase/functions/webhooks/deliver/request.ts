import { RELEASE } from "../../_shared/release.ts";
import { sign } from "../../_shared/webhooks/signature.ts";
import { answeredData } from "./answered_data.ts";
import type { Delivery } from "./delivery.ts";

const USER_AGENT = `crm-messaging-api/${RELEASE}`;

/** The maximum size of a body, in bytes. */
export const MAX_BODY_BYTES = 256 * 1024;

/** The body of a delivery: the event, with its record as `data`. */
export function bodyOf({ event, record_id, data, is_truncated }: Delivery): Uint8Array {
  if (!is_truncated) {
    const record = data === null ? null : JSON.parse(data);
    const body = encode({ ...event, data: answeredData(event.type, record) });
    if (body.length <= MAX_BODY_BYTES) return body;
  }
  return encode({ ...event, data: { id: record_id }, truncated: true });
}

function encode(body: object): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(body));
}

/**
 * The headers of a request, signed according to Standard Webhooks with each of these secrets.
 *
 * @param nowSeconds the time of this attempt.
 */
export async function headersOf(
  eventId: string,
  body: Uint8Array,
  secrets: readonly string[],
  nowSeconds: number,
): Promise<Record<string, string>> {
  return {
    "Content-Type": "application/json",
    // The response must not be compressed: a small compressed response could expand to a very large
    // string.
    "Accept-Encoding": "identity",
    "User-Agent": USER_AGENT,
    "webhook-id": eventId,
    "webhook-timestamp": String(nowSeconds),
    "webhook-signature": await sign(secrets, eventId, nowSeconds, body),
  };
}
