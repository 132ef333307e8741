import { html, type TemplateResult } from "lit-html";
import { type App, isManager } from "../app.ts";
import type { View } from "../view.ts";
import { changeWebhook, type Webhook, webhookOf } from "./webhook.ts";
import { WebhookForm } from "./webhook_form.ts";

/** The view that changes a webhook's URL, events, content and description. */
export function changeOf(id: string): View {
  let webhook: Webhook | null = null;
  let form: WebhookForm | null = null;

  async function load(app: App): Promise<void> {
    if (!isManager(app.company)) return;
    webhook = await webhookOf(app, id);
    form ??= new WebhookForm(webhook);
  }

  function view(app: App): TemplateResult {
    const { t: { webhooks: t } } = app;
    if (!webhook || !form) return html`<p>${t.onlyManagers}</p>`;
    const stored = webhook;
    return form.html(async (fields) => {
      const itsPage = app.href(`webhooks/${id}`);
      await changeWebhook(app, stored, fields);
      app.go(itsPage, true);
      app.say(app.t.webhookForm.saved);
    }, app);
  }

  return { title: (t) => t.webhooks?.change ?? t.menu.webhooks, load, html: view };
}
