import { html, nothing, type TemplateResult } from "lit-html";
import type { App } from "../app.ts";
import { copyButton } from "../copy_button.ts";
import { closeDialog, dialog } from "../dialog.ts";

/** A secret that only this window has, because the service returns it only once. */
interface Made {
  id: string;
  secret: string;
}

let kept: Made | null = null;

/** Keeps a new secret for the page of its webhook. */
export function keepSecret({ id, secret }: Made) {
  kept = { id, secret };
}

/** Returns the secret that was kept for this webhook, and forgets it. */
export function takeSecret(id: string): string | null {
  const found = kept?.id === id ? kept.secret : null;
  kept = null;
  return found;
}

/** Shows a new secret and what to do with it, until the user has stored it. */
export class SecretOnce {
  #leave: (() => void) | null = null;

  constructor(private readonly secret: string, private readonly done: () => void) {}

  /** Asks whether the secret is stored. */
  ask(app: App, leave: () => void) {
    this.#leave = leave;
    app.render();
  }

  html(app: App): TemplateResult {
    const { t: { webhook: t }, project: { docsUrl } } = app;
    const { secret } = this;
    const stored = () => {
      this.done();
      app.render();
      // The button with the focus is gone.
      document.querySelector<HTMLElement>("main h1")?.focus();
    };
    const guide = docsUrl && `${docsUrl}${docsUrl.endsWith("/") ? "" : "/"}webhooks.html`;
    return html`
      <section class="card once" aria-labelledby="once">
        <h2 id="once">${t.once.title}</h2>
        <p>${t.once.lead}</p>
        <div class="secret">
          <code id="new-secret" tabindex="0" aria-label=${t.once.theSecret}>${secret}</code>
          ${copyButton(secret, t.once.copy, "new-secret", app)}
        </div>
        <ol class="todo">
          <li>${t.once.store}</li>
          <li>${t.once.verify} ${guide ? html`<a href=${guide}>${t.once.guide}</a>` : nothing}</li>
          <li>${t.once.test}</li>
        </ol>
        <p class="buttons">
          <button type="button" class="main" @click=${stored}>${t.once.stored}</button>
        </p>
      </section>
      ${this.#leave ? this.#question(this.#leave, app) : nothing}
    `;
  }

  #question(leave: () => void, app: App): TemplateResult {
    const { t: { webhook: { once: t } } } = app;
    const goOn = () => {
      closeDialog();
      this.done();
      leave();
    };
    return dialog(
      leave,
      t.leaveTitle,
      html`
        <p>${t.leaveText}</p>
        <p class="buttons">
          <button type="button" class="main" @click=${closeDialog}>${t.stay}</button>
          <button type="button" @click=${goOn}>${t.leave}</button>
        </p>
      `,
      () => {
        this.#leave = null;
        app.render();
      },
    );
  }
}
