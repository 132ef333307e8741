/** A delivery that is due, as the database returns it. */
export interface Delivery {
  webhook_id: string;
  record_id: string;
  /** The position of the delivery among the deliveries of one record. */
  seq: number;
  /** How many attempts were made before. */
  attempts: number;
  /** The event, as `GET /events/{id}` returns it. */
  event: { id: string; type: string } & Record<string, unknown>;
  /** The record in its current state, or only its id; null when the record no longer exists. */
  data: Record<string, unknown> | null;
  /** Whether `data` is only the id because the record is too large. */
  is_truncated: boolean;
}

/** A leased webhook with due deliveries, as the database returns it. */
export interface WebhookWithDeliveries {
  id: string;
  company_id: string;
  url: string;
  /** The current secret and, during the overlap of a rotation, also the previous secret. */
  sealed_secrets: string[];
  deliveries: Delivery[];
}

/** Why the attempt got no answer from the receiver. */
export type Failure =
  /** The answer did not end in time. */
  | "timeout"
  /** The host name has no address, or the name server did not answer. */
  | "dns"
  /** The certificate is not valid for the host, or TLS failed in another way. */
  | "tls"
  /** The address may not be reached; nothing was sent. */
  | "refused_address"
  /** The connection was refused or broke. */
  | "reset"
  /** The secret of the webhook cannot be opened; nothing was sent. */
  | "secret";

/** An attempt to deliver an event, as the log of deliveries shows it. */
export interface Try {
  /** When the request was sent. */
  at: string;
  /** The HTTP status of the answer; null when there was no answer. */
  status: number | null;
  failure: Failure | null;
  ms: number;
  /** The first characters of an answer that reports no success. */
  answer: string | null;
}

/** What an attempt means for its delivery. */
export type Result =
  | { kind: "delivered" }
  | { kind: "failed" }
  /** The receiver wants no more requests. */
  | { kind: "gone" }
  /**
   * Another attempt follows after this many seconds. The present attempt does not count as a
   * failure.
   */
  | { kind: "later"; waitSeconds: number };

/** The outcome of an attempt, as the database stores it. */
export interface Outcome {
  webhook_id: string;
  record_id: string;
  seq: number;
  attempts: number;
  ended_at: string;
  result: Result["kind"];
  wait_seconds: number | null;
  try: Try;
}

/** A webhook after outcomes of its deliveries have been stored. */
export interface SettledWebhook {
  id: string;
  company_id: string;
  state: "on" | "paused" | "off";
  /** How the outcomes have changed the state of the webhook. */
  told: "paused" | "resumed" | "switched_off" | null;
  why: string | null;
  failures: number;
  paused_until: string | null;
}
