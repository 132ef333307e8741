import { html, nothing, type TemplateResult } from "lit-html";
import { fieldOf } from "../accounts/field.ts";
import { Action } from "../action.ts";
import type { App } from "../app.ts";
import { TypeFields } from "./type_fields.ts";
import type { Webhook, WebhookFields } from "./webhook.ts";

/** The webhook form: the URL, the events, the content of each event, and a description. */
export class WebhookForm {
  readonly action = new Action();
  readonly #types: TypeFields;
  #faults: { url?: string; types?: string } = {};

  /** @param stored the webhook to change; null for a new one. */
  constructor(private readonly stored: Webhook | null) {
    this.#types = new TypeFields(stored?.types ?? []);
  }

  /** @param submit is called if the page finds no fault in the fields. */
  html(submit: (fields: WebhookFields) => Promise<void>, app: App): TemplateResult {
    const { t } = app;
    const { webhooks: w, webhookForm: f } = t;
    const { stored } = this;
    const payload = stored?.payload ?? "full";
    return html`
      <form novalidate @submit=${(event: SubmitEvent) => this.#submit(event, submit, app)}>
        ${fieldOf({
          name: "url",
          label: w.url,
          hint: f.urlHint,
          fault: this.#faults.url,
          value: stored?.url,
        })}
        ${this.#types.html(this.#faults.types, app)}
        <fieldset>
          <legend>${w.payload}</legend>
          ${(["full", "ids"] as const).map((each) =>
            html`
              <label class="choice">
                <input type="radio" name="payload" value=${each} ?checked=${each === payload}>
                <span><b>${w.payloads[each]}</b> <span>${f.payloadHints[each]}</span></span>
              </label>
            `
          )}
        </fieldset>
        <label for="description">${f.description}</label>
        <input id="description" name="description" maxlength="255" autocomplete="off" dir="auto"
          value=${stored?.description ?? nothing} aria-describedby="description-hint">
        <p class="hint" id="description-hint">${f.descriptionHint}</p>
        ${this.action.html(t)}
        <p class="buttons">
          <button class="main" ?disabled=${this.action.isBusy}>${this.action.isBusy
            ? f.checking
            : stored
            ? f.save
            : w.create}</button>
          <a class="button" href=${app.href(stored ? `webhooks/${stored.id}` : "webhooks")}>${t
            .frame.cancel}</a>
        </p>
      </form>
    `;
  }

  async #submit(
    event: SubmitEvent,
    submit: (fields: WebhookFields) => Promise<void>,
    app: App,
  ): Promise<void> {
    event.preventDefault();
    const form = event.target as HTMLFormElement;
    const fields = new FormData(form);
    const { t: { webhookForm: t } } = app;
    const url = String(fields.get("url")).trim();
    const { types } = this.#types;
    this.#faults = {
      url: URL.canParse(url) ? undefined : t.urlMissing,
      types: types.length > 0 ? undefined : t.typesMissing,
    };
    if (this.#faults.url || this.#faults.types) {
      app.render();
      form.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
      return;
    }
    await this.action.run(app, () =>
      submit({
        url,
        types,
        payload: fields.get("payload") === "ids" ? "ids" : "full",
        description: String(fields.get("description")).trim() || null,
      }));
  }
}
