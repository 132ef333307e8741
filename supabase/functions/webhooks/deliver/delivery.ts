/** A due delivery, as the database returns it, with the time at which its record was read. */
export interface Delivery {
  webhook_id: string;
  record_id: string;
  /** The delivery's position among the deliveries of one record. */
  seq: number;
  /** The number of earlier attempts. */
  attempts: number;
  /** The event, as `GET /events/{id}` returns it. */
  event: { id: string; type: string } & Record<string, unknown>;
  /**
   * The record in its current state, or only its id, as JSON text; null when the record no longer
   * exists.
   */
  data: string | null;
  /** Whether `data` is only the id because the record is too large. */
  is_truncated: boolean;
  /** When the database read the record, in milliseconds as in `performance.now()`. */
  readAt: number;
}

/** A leased webhook with due deliveries, as the database returns it. */
export interface WebhookWithDeliveries {
  id: string;
  company_id: string;
  url: string;
  /** The current secret and, for some hours after each rotation, also the previous secret. */
  sealed_secrets: string[];
  /** When the database began to read the records, in seconds of its clock. */
  read_at: number;
  deliveries: Delivery[];
}

/** The due deliveries of leased webhooks, as the database returns them. */
export interface NextDeliveries {
  webhooks: WebhookWithDeliveries[];
  /** When the statement ended, in seconds of the database's clock. */
  ended_at: number;
}

/** Why the attempt received no response from the receiver. */
export type Failure =
  /** No response arrived in time. */
  | "timeout"
  /** The host name has no IP address, or DNS did not respond. */
  | "dns"
  /** The certificate is not valid for the host, or TLS failed in another way. */
  | "tls"
  /** Requests to this URL are not allowed, so nothing was sent. */
  | "refused_address"
  /** The connection was refused or lost. */
  | "reset"
  /** The webhook's current secret cannot be decrypted, so nothing was sent. */
  | "secret";

/** An attempt to deliver an event, as the delivery log shows it. */
export interface Try {
  /** When the request was sent. */
  at: string;
  /** The HTTP status of the response; null when there was no response. */
  status: number | null;
  failure: Failure | null;
  ms: number;
  /**
   * The first characters of an unsuccessful response; null if there was no such response, or if the
   * response broke off.
   */
  answer: string | null;
}

/** What an attempt means for its delivery. */
export type Result =
  | { kind: "delivered" }
  | { kind: "failed" }
  /** The receiver does not want any more requests. */
  | { kind: "gone" }
  /**
   * Another attempt follows after this many seconds. The current attempt does not count as a
   * failure.
   */
  | { kind: "later"; waitSeconds: number };

/** An attempt that has ended. */
export interface Attempt {
  url: string;
  result: Result;
  try: Try;
}

/** The outcome of an attempt, as the database stores it. */
export interface Outcome {
  webhook_id: string;
  record_id: string;
  seq: number;
  attempts: number;
  ended_at: string;
  result: Result["kind"];
  wait_seconds: number | null;
  /** The URL of the attempt, unless it was successful. */
  url: string | null;
  try: Try;
}

/** The state of a webhook after the outcomes of its deliveries have been stored. */
export interface SettledWebhook {
  id: string;
  company_id: string;
  state: "on" | "paused" | "off";
  /** How the outcomes have changed the webhook's state. */
  told: "paused" | "resumed" | "switched_off" | null;
  why: string | null;
  failures: number;
  paused_until: string | null;
}
