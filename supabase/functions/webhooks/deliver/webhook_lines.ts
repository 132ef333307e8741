import { takeLine } from "../../_shared/line_limit.ts";
import { logEvent, logFrequentFailure, logWarning, type Origin } from "../../_shared/log.ts";
import type { SettledWebhook } from "./delivery.ts";

// An outage can affect hundreds of webhooks at once, so the lines of each event are limited.

/** Logs that a webhook was paused, resumed or switched off after its outcomes were stored. */
export function logSettledWebhook(origin: Origin, webhook: SettledWebhook) {
  const { told, id: webhook_id, company_id, failures, why, paused_until } = webhook;
  const event = told === "resumed"
    ? "webhook_resumed"
    : told === "paused"
    ? "webhook_paused"
    : "webhook_switched_off";
  const line = takeLine(event);
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
  const line = takeLine("webhook_switched_off");
  if (line) logWarning(origin, "webhook_switched_off", { webhook_id, why: "key_ended", ...line });
}

/** Logs that the operator's keys cannot decrypt a webhook's secret. */
export function logUnreadableSecret(
  origin: Origin,
  error: unknown,
  facts: { webhook_id: string; company_id: string },
) {
  logFrequentFailure(origin, "webhook_secret", error, facts);
}
