import { html, nothing, type TemplateResult } from "lit-html";
import type { App } from "../app.ts";
import { copyButton } from "../copy_button.ts";
import { closeDialog, dialog } from "../dialog.ts";
import type { NewApiKey } from "./api_key.ts";
import { readLine, sendLine, type Template, templateToTry, writeLine } from "./try_lines.ts";

/** A phone number of the sandbox. No real message is sent to this number. */
const SANDBOX_PHONE = "+12025550101";

/** Shows a new key once, with commands to try it. */
export class ShownOnce {
  /**
   * The action that the user tried before confirming that the key is stored; null when the question
   * is not open.
   */
  private leave: (() => void) | null = null;
  private template: Template | null = null;
  private phone = "";

  /** @param done is called when the user has stored the key. The page then forgets the key. */
  constructor(private readonly key: NewApiKey, private readonly done: () => void) {}

  /**
   * Finds a template for the line that sends a message. If there is none, the key is still shown.
   */
  async load(app: App): Promise<void> {
    if (app.project.mailUrl) this.phone = SANDBOX_PHONE;
    if (!this.key.scopes.includes("messaging")) return;
    this.template = await templateToTry(app).catch(() => null);
  }

  /** Asks whether the key is stored. */
  ask(app: App, leave: () => void) {
    this.leave = leave;
    app.render();
  }

  html(app: App): TemplateResult {
    const { t } = app;
    const { key } = this;
    return html`<section class="card once" aria-labelledby="once">
      <h2 id="once">${t.once.title}</h2>
      <p>${t.once.lead}</p>
      <div class="secret"><code id="new-key" tabindex="0" aria-label=${t.once.theKey}>${key.api_key}</code>
        ${copyButton(key.api_key, t.once.copyKey, "new-key", app)}</div>
      ${this.lines(app)}
      <p class="buttons"><button type="button" class="main" @click=${() => {
      this.done();
      app.reload();
    }}>${t.once.stored}</button></p>
    </section>${this.leave ? this.question(app, this.leave) : nothing}`;
  }

  private lines(app: App): TemplateResult {
    const { t, project: { functionsUrl, docsUrl } } = app;
    const { key, template } = this;
    const phone = this.phone.replace(/[\s().-]/g, "") || "+…";
    const mayRead = key.scopes.includes("read");
    const maySend = key.scopes.includes("messaging");
    const writes = !mayRead && key.scopes.includes("write");
    return html`<h3>${t.once.tryIt}</h3>
      <p>${t.once.tryLead}</p>
      ${mayRead ? line("try-read", t.once.readLine, readLine(functionsUrl, key), app) : nothing}
      ${writes || (maySend && template) ? this.phoneField(app) : nothing}
      ${
      writes
        ? line("try-write", t.once.writeLine, writeLine(functionsUrl, key, phone), app)
        : nothing
    }
      ${
      !maySend ? nothing : template
        ? line(
          "try-send",
          t.once.sendLine(template.name),
          sendLine(functionsUrl, key, template, phone),
          app,
        )
        : html`<p class="note">${t.once.noTemplate}</p>`
    }
      ${
      docsUrl
        ? html`<p><a href=${docsUrl} target="_blank" rel="noopener">${t.once.readOn}</a></p>`
        : nothing
    }`;
  }

  private phoneField(app: App): TemplateResult {
    const { t, project: { mailUrl } } = app;
    return html`
      <label for="phone">${t.once.phone}</label>
      <input id="phone" type="tel" autocomplete="tel" .value=${this
        .phone} placeholder="+5511987654321"
        aria-describedby="phone-hint" @input=${({ target }: Event) => {
          this.phone = (target as HTMLInputElement).value;
          app.render();
        }}>
      <p class="hint" id="phone-hint">${mailUrl ? t.once.phoneHintLocal : t.once.phoneHint}</p>
    `;
  }

  private question(app: App, leave: () => void): TemplateResult {
    const { t } = app;
    const goOn = () => {
      closeDialog();
      this.done();
      leave();
    };
    return dialog(
      leave,
      t.once.leaveTitle,
      html`
        <p>${t.once.leaveText}</p>
        <p class="buttons"><button type="button" class="main" @click=${closeDialog}>${t.once
          .stay}</button>
                <button type="button" @click=${goOn}>${t.once.leave}</button></p>
      `,
      () => {
        this.leave = null;
        app.render();
      },
    );
  }
}

function line(id: string, words: string, text: string, app: App): TemplateResult {
  return html`
    <figure class="line">
      <figcaption>${words} ${copyButton(
        text,
        `${app.t.frame.copy}: ${words}`,
        id,
        app,
      )}</figcaption>
      <pre id=${id}>${text}</pre>
    </figure>
  `;
}
