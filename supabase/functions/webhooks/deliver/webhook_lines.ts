import { LineLimit } from "../../_shared/line_limit.ts";
import { logEvent, logFailure, logWarning, type Origin } from "../../_shared/log.ts";
import type { SettledWebhook } from "./delivery.ts";

/**
 * The limit for each log event about webhooks: an outage can affect hundreds of webhooks at once.
 */
const limits = {
  webhook_paused: new LineLimit(10),
  webhook_resumed: new LineLimit(10),
  webhook_switched_off: new LineLimit(10),
  webhook_secret: new LineLimit(10),
};

/** Logs that a webhook was paused, resumed or switched off after its outcomes were stored. */
export function logSettledWebhook(origin: Origin, webhook: SettledWebhook) {
  const { told, id: webhook_id, company_id, failures, why, paused_until } = webhook;
  const event = told === "resumed"
    ? "webhook_resumed"
    : told === "paused"
    ? "webhook_paused"
    : "webhook_switched_off";
  const line = limits[event].take();
  if (!line) return;
  const facts = { webhook_id, company_id, ...line };
  if (told === "resumed") logEvent(origin, event, facts);
  else if (told === "paused") logEvent(origin, event, { ...facts, failures, paused_until });
  else logWarning(origin, event, { ...facts, failures, why });
}

/**
 * Logs that a webhook was switched off because the API key that it depends on is no longer valid.
 */
export function logEndedKey(origin: Origin, webhook_id: string) {
  const line = limits.webhook_switched_off.take();
  if (line) logWarning(origin, "webhook_switched_off", { webhook_id, why: "key_ended", ...line });
}

/** Logs that the operator's keys cannot decrypt a webhook's secret. */
export function logUnreadableSecret(
  origin: Origin,
  error: unknown,
  facts: { webhook_id: string; company_id: string },
) {
  const line = limits.webhook_secret.take();
  if (line) logFailure(origin, "webhook_secret", error, { ...facts, ...line });
}
