import { html } from "lit-html";
import type { Part } from "../view.ts";
import { DeliveryLog } from "./delivery_log.ts";
import { TestEvent } from "./test_event.ts";
import type { Webhook } from "./webhook.ts";

/**
 * A test of a webhook, and its deliveries.
 * @param webhook returns the webhook as the view read it last.
 */
export function deliveries(webhook: () => Webhook): Part {
  const test = new TestEvent();
  const log = new DeliveryLog(webhook);
  return {
    load: (app) => log.load(app),
    html: (app) => html`${test.html(webhook(), app)}${log.html(webhook(), app)}`,
  };
}
