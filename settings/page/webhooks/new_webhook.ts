import { html, type TemplateResult } from "lit-html";
import { hashOf } from "../address.ts";
import { type App, isManager } from "../app.ts";
import { Failure } from "../failure.ts";
import type { View } from "../view.ts";
import { keepSecret } from "./secret_once.ts";
import { createWebhook, type WebhookFields } from "./webhook.ts";
import { WebhookForm } from "./webhook_form.ts";

/** The view that creates a webhook. Its secret is shown once, on the page of the webhook. */
export function newWebhook(): View {
  const form = new WebhookForm(null);

  const create = async (fields: WebhookFields, app: App) => {
    const { company } = app;
    await loadNextView(app).catch((error) => {
      throw new Failure("offline", String(error));
    });
    const made = await createWebhook(app, fields).catch((error) => {
      if (!(error instanceof Failure) || error.kind !== "unanswered") throw error;
      throw new Failure("unanswered", "", (t) => t.webhookForm.maybeMade);
    });
    keepSecret(made);
    app.go(hashOf(company.id, `webhooks/${made.id}`), true);
  };

  const view = (app: App): TemplateResult => {
    const { t } = app;
    if (!isManager(app.company)) return html`<p>${t.webhooks.onlyManagers}</p>`;
    return html`
      <p class="lead">${t.webhookForm.newLead}</p>
      ${form.html((fields) => create(fields, app), app)}
    `;
  };

  return {
    title: (t) => t.webhooks?.create ?? t.menu.webhooks,
    load: (app) => {
      loadNextView(app).catch(() => {}); // create() tries again
      return Promise.resolve();
    },
    html: view,
  };
}

/**
 * Loads the view that shows the secret, before the webhook is created. So the page can show the
 * secret even if the connection breaks right after the creation.
 */
async function loadNextView(app: App): Promise<void> {
  await Promise.all([import("./webhook_page.ts"), app.speakOf(["webhook"])]);
}
