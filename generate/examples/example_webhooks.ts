import type { OperationId } from "../openapi/functions.ts";
import { contact } from "./demo_ids.ts";
import type { ExampleRequest } from "./example_request.ts";

/** When examples are recorded, the URL of the sandbox's own webhook receiver replaces this URL. */
export const HOOK_URL = "https://shop.example.com/webhooks/crm";

/**
 * The example requests for webhooks. The requests that read a webhook come after the request that
 * creates it, because the demo company has no webhook.
 */
export const WEBHOOK_REQUESTS = {
  createWebhook: [
    {
      name: "created",
      summary: "A webhook for deals that are won or lost",
      body: {
        url: HOOK_URL,
        types: ["deal.won", "deal.lost"],
        description: "Invoices of the shop",
      },
    },
    {
      name: "wrongAddress",
      summary: "The URL is not on the public internet",
      body: { url: "https://192.168.0.10/webhooks", types: ["*"] },
    },
    {
      name: "wrongType",
      summary: "The event type does not exist",
      body: { url: HOOK_URL, types: ["deal.moved"] },
    },
  ],
  listWebhooks: [{ name: "all", summary: "All webhooks" }],
  getWebhook: [
    { name: "oneWebhook", summary: "One webhook", params: { id: "{createWebhook.created}" } },
    {
      name: "unknownWebhook",
      summary: "Your company does not have this webhook",
      params: { id: contact(9999) },
    },
  ],
  updateWebhook: [
    {
      name: "moreTypes",
      summary: "All deal events",
      params: { id: "{createWebhook.created}" },
      body: { types: ["deal.*"] },
    },
  ],
  rotateWebhookSecret: [
    {
      name: "rotated",
      summary: "A new secret; the previous secret remains valid for 24 hours",
      params: { id: "{createWebhook.created}" },
      body: { overlap_hours: 24 },
    },
  ],
  listWebhookDeliveries: [
    {
      name: "failed",
      summary: "The deliveries that failed",
      params: { id: "{createWebhook.created}" },
      query: { state: "failed" },
    },
  ],
  testWebhook: [
    { name: "sent", summary: "A test event", params: { id: "{createWebhook.created}" } },
  ],
  redeliverEvent: [
    {
      name: "again",
      summary: "The test event is delivered again",
      params: { id: "{createWebhook.created}", event_id: "{testWebhook.sent}" },
    },
  ],
  replayWebhook: [
    {
      name: "replayed",
      summary: "All events since a given time",
      params: { id: "{createWebhook.created}" },
      body: { since: "{now}" },
    },
  ],
  deleteWebhook: [
    { name: "deleted", summary: "A webhook is deleted", params: { id: "{createWebhook.created}" } },
  ],
} satisfies Partial<Record<OperationId, [ExampleRequest, ...ExampleRequest[]]>>;
