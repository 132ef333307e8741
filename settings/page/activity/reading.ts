import { html, type TemplateResult } from "lit-html";
import { Action } from "../action.ts";
import type { App } from "../app.ts";
import type { Part } from "../view.ts";

/** Shows when a part of the page was loaded, with a button to load it again. */
export class Reading {
  #again = new Action();
  /** When the part was loaded. */
  at = new Date();

  /** @param missing a note about the numbers, such as which requests are not counted yet. */
  html(part: Part, missing: string, app: App): TemplateResult {
    const { t, locale } = app;
    const time = () => new Intl.DateTimeFormat(locale, { timeStyle: "medium" }).format(this.at);
    const readAgain = () =>
      this.#again.run(app, async () => {
        await part.load(app);
        app.say(t.activity.readAt(time()));
      });
    return html`
      <div class="reading">
        <p class="hint">${missing} ${t.activity.readAt(time())}</p>
        <button type="button" ?disabled=${this.#again.isBusy} @click=${readAgain}>
          ${t.activity.again}
        </button>
      </div>
      ${this.#again.html(t)}
    `;
  }
}
