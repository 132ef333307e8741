import type { WebhooksTexts } from "../texts/en/webhooks.ts";
import { isFailing, type Webhook } from "./webhook.ts";

/**
 * Explains in a sentence or two what a webhook's state means for its receiver; null when the
 * webhook works.
 * @param moment formats a time.
 */
export function sentenceOfState(
  webhook: Webhook,
  moment: (at: string) => string,
  { meanings: t }: WebhooksTexts,
): string | null {
  const { state, why, switched_off_at, failing_since } = webhook;
  if (state === "off") {
    const says = why === "failing" || why === "gone" || why === "key_ended" ? t[why] : t.off;
    return switched_off_at ? `${says} ${t.since(moment(switched_off_at))}` : says;
  }
  if (state === "paused") return t.paused;
  if (isFailing(webhook)) return t.fails(moment(failing_since!));
  return state === "catching_up" ? t.catching_up : null;
}
