import { html, nothing, type TemplateResult } from "lit-html";
import type { App } from "../app.ts";
import { HAPPENINGS, type Resource, RESOURCES } from "./webhook.ts";

/** The types of events in a form: all types, all types of a group, or single types. */
export class TypeFields {
  readonly #chosen: Set<string>;
  /**
   * The open groups, which show their single events. A group stays open even if none of its events
   * is chosen any longer.
   */
  readonly #open: Set<string>;

  constructor(types: readonly string[]) {
    this.#chosen = new Set(types);
    const single = types.filter((type) => !type.endsWith("*"));
    this.#open = new Set(single.map((type) => type.split(".")[0]));
  }

  /** The chosen types. A type that another choice includes is left out. */
  get types(): string[] {
    if (this.#chosen.has("*")) return ["*"];
    return [...this.#chosen].filter((type) =>
      type.endsWith(".*") || !this.#chosen.has(`${type.split(".")[0]}.*`)
    );
  }

  html(fault: string | undefined, app: App): TemplateResult {
    const { t: { webhooks: t, webhookForm: f } } = app;
    const isAll = this.#chosen.has("*");
    return html`
      <fieldset class="types" aria-describedby="types-hint types-fault">
        <legend>${t.types}</legend>
        <p class="hint" id="types-hint">${f.typesHint}</p>
        ${this.#box("*", html`<b>${t.everything}</b> <span>${f.everythingHint}</span>`, app, {
          invalid: fault !== undefined,
        })}
        ${isAll ? nothing : RESOURCES.map((resource) => this.#group(resource, app))}
        <p class="fault" id="types-fault">${fault ?? nothing}</p>
      </fieldset>
    `;
  }

  #group(resource: Resource, app: App): TemplateResult {
    const { t: { webhooks: t, webhookForm: f } } = app;
    const whole = `${resource}.*`;
    const isWhole = this.#chosen.has(whole);
    const single = HAPPENINGS[resource].map((happened) => `${resource}.${happened}`);
    const count = single.filter((type) => this.#chosen.has(type)).length;
    const toggled = ({ target }: Event) => {
      if ((target as HTMLDetailsElement).open) this.#open.add(resource);
      else this.#open.delete(resource);
    };
    return html`
      <div class="group ${isWhole || count > 0 ? "chosen" : ""}">
        ${this.#box(
          whole,
          html`<b>${t.resources[resource]}</b> <span>${f.resourceHints[resource]}</span>`,
          app,
        )}
        ${isWhole ? nothing : html`
          <details ?open=${this.#open.has(resource)} @toggle=${toggled}>
            <summary>${count > 0 ? f.someChosen(count) : f.onlySome}</summary>
            <div>${single.map((type) =>
              this.#box(
                type,
                html`${(t.happenings as Record<string, string>)[type]} <code>${type}</code>`,
                app,
              )
            )}</div>
          </details>
        `}
      </div>
    `;
  }

  #box(
    type: string,
    words: TemplateResult,
    app: App,
    { invalid = false }: { invalid?: boolean } = {},
  ): TemplateResult {
    const toggle = ({ target }: Event) => {
      if ((target as HTMLInputElement).checked) this.#chosen.add(type);
      else this.#chosen.delete(type);
      app.render();
    };
    const isChosen = this.#chosen.has(type);
    return html`
      <label class="check">
        <input type="checkbox" name="types" value=${type} .checked=${isChosen}
          aria-invalid=${invalid ? "true" : nothing} @change=${toggle}>
        <span>${words}</span>
      </label>
    `;
  }
}
