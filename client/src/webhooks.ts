/**
 * Receives the webhooks of the CRM and messaging API.
 *
 * ```ts
 * import { verifyWebhook } from "@crm-messaging/client/webhooks";
 *
 * const event = await verifyWebhook(request.headers, await request.text(), "whsec_…");
 * if (event.type === "deal.won") console.log(event.data?.title);
 * ```
 *
 * @module
 */
export type * from "./events.ts";
export {
  type VerifyOptions,
  verifyWebhook,
  type WebhookHeaders,
  type WebhookRefusal,
  WebhookVerificationError,
} from "./verify_webhook.ts";
