import { moment, printable, table } from "./print.ts";

/** A webhook, as get_webhook() and list_webhooks() return it. */
export interface Webhook {
  id: string;
  company_id: string;
  url: string;
  types: string[];
  payload: string;
  description: string | null;
  state: "on" | "catching_up" | "paused" | "off";
  /** Why the webhook is paused or off. */
  why: string | null;
  created_by_key_id: string | null;
  failing_since: string | null;
  /** After several failures, no attempt is made before this time. */
  paused_until: string | null;
  switched_off_at: string | null;
  last_success_at: string | null;
  open_deliveries: number;
  created_at: string;
}

/** A webhook, as webhooks_overview() returns it. */
export interface WebhookOfCompany extends Webhook {
  company_name: string;
  /** The number of failed attempts since the last success. */
  failures: number;
  /** When the oldest undelivered event happened. */
  oldest_open_at: string | null;
}

/** A delivery, as webhook_deliveries() returns it. */
export interface Delivery {
  event_id: string;
  type: string;
  record_id: string;
  state: string;
  timestamp: string;
  attempts: number;
  next_attempt_at: string | null;
  ended_at: string | null;
  tries: { status?: number | null; failure?: string | null }[];
}

const REASONS: Record<string, string> = {
  failing: "no delivery arrived for three days",
  gone: "the receiver answered 410",
  key_ended: "its API key has ended",
  by_person: "by an owner or admin",
  by_key: "by an API key",
  by_platform: "by an operator",
};

/** The state as text: `on`, or `off (the receiver answered 410)`. */
export function stateText({ state, why }: Pick<Webhook, "state" | "why">): string {
  const words = state.replace("_", " ");
  return why === null ? words : `${words} (${REASONS[why] ?? why})`;
}

/**
 * Formats the webhooks of companies as readable text. A URL's query string may be secret, so it is
 * left out.
 */
export function webhooksTable(webhooks: WebhookOfCompany[]): string {
  return table(webhooks, {
    ID: ({ id }) => id,
    COMPANY: ({ company_name }) => company_name,
    ADDRESS: ({ url }) => withoutQuery(url),
    TYPES: ({ types }) => types.length > 3 ? `${types.length} types` : types.join(","),
    STATE: stateText,
    "FAILING SINCE": ({ failing_since, failures }) =>
      failing_since === null ? "" : `${moment(failing_since, "")} (${failures})`,
    OPEN: ({ open_deliveries }) => String(open_deliveries),
    "OLDEST OPEN": ({ oldest_open_at }) => moment(oldest_open_at, ""),
    "LAST SUCCESS": ({ last_success_at }) => moment(last_success_at, "never"),
  }, "There are no webhooks.");
}

/** Formats a webhook, with one property on each line. */
export function webhookText(webhook: Webhook): string {
  const facts: [string, string | null][] = [
    ["Address", withoutQuery(webhook.url)],
    ["Company", webhook.company_id],
    ["Description", webhook.description],
    ["Types", webhook.types.join(", ")],
    ["Payload", webhook.payload],
    ["State", stateText(webhook)],
    ["Switched off", webhook.switched_off_at && moment(webhook.switched_off_at, "")],
    ["Failing since", webhook.failing_since && moment(webhook.failing_since, "")],
    ["Next attempt", webhook.paused_until && moment(webhook.paused_until, "")],
    ["Last success", moment(webhook.last_success_at, "never")],
    ["Open deliveries", String(webhook.open_deliveries)],
    ["API key", webhook.created_by_key_id],
    ["Created", moment(webhook.created_at, "")],
  ];
  return facts.filter(([, value]) => value !== null)
    .map(([name, value]) => `${name.padEnd(16)}${printable(value!)}`).join("\n");
}

/**
 * Formats deliveries as readable text.
 * @param none the sentence to show when there are no deliveries.
 */
export function deliveriesTable(deliveries: Delivery[], none: string): string {
  return table(deliveries, {
    EVENT: ({ event_id }) => event_id,
    TYPE: ({ type }) => type,
    HAPPENED: ({ timestamp }) => moment(timestamp, ""),
    STATE: ({ state }) => state,
    ATTEMPTS: ({ attempts }) => String(attempts),
    LAST: ({ tries }) => {
      const last = tries.at(-1);
      return last ? String(last.status ?? last.failure ?? "") : "";
    },
    "NEXT ATTEMPT": ({ next_attempt_at }) => moment(next_attempt_at, ""),
  }, none);
}

function withoutQuery(url: string): string {
  return url.replace(/\?.*/s, "?…");
}
