import { html, nothing, type TemplateResult } from "lit-html";
import { Action } from "./action.ts";
import type { App } from "./app.ts";
import type { Arrival } from "./link.ts";
import type { Texts } from "./texts.ts";

/** What the page does for each answer to the question. */
export interface LinkAnswers extends App {
  /** Signs in the user to whom the link was sent. @throws Failure */
  accept(arrival: Arrival): Promise<void>;
  /** Ends the session that the link started. A user who was signed in before stays signed in. */
  decline(): Promise<void>;
}

/**
 * The question before a link signs a user in. The page asks this question if another user is signed
 * in, or if this browser did not request the link. Without the question, a stranger's link could
 * make a person work in the stranger's account without noticing.
 */
export class LinkQuestion {
  private readonly action = new Action();

  /**
   * @param present the e-mail address of the signed-in user; null when no one is signed in.
   */
  constructor(private readonly arrival: Arrival, private readonly present: string | null) {}

  title({ link: t }: Texts): string {
    return this.present ? t.titles.other : t.titles.nobody;
  }

  html(page: LinkAnswers): TemplateResult {
    const { t: { link: t } } = page;
    const { arrival, present, action } = this;
    const coming = arrival.session.user.email ?? arrival.session.user.id;
    const goOn = () => action.run(page, () => page.accept(arrival));
    const buttons = [
      html`
        <button type="button" class=${present ? "main" : nothing} ?disabled=${action.isBusy}
          @click=${() => page.decline()}>${present ? t.stay(present) : t.leave}</button>
      `,
      html`
        <button type="button" class=${present ? nothing : "main"} ?disabled=${action.isBusy}
          @click=${goOn}>${t.goOn(coming)}</button>
      `,
    ];
    return html`
      <p>${present ? t.other(present, coming) : t.nobody(coming)}</p>
      ${arrival.isAskedFor ? nothing : html`<p>${t.notAskedFor}</p>`}
      ${action.html(page.t)}
      <p class="buttons">${present ? buttons : buttons.reverse()}</p>
    `;
  }
}
