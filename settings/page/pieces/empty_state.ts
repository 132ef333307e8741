import { html, nothing, type TemplateResult } from "lit-html";

/** What a view says when it has nothing to show. */
export interface EmptyState {
  /** What is not there yet: "No sends yet". */
  title: string;
  /** Why it is empty, and what would be here. */
  why: string | TemplateResult;
  /** What the person can do next: a link or a button of the class `button main`. */
  next?: TemplateResult | typeof nothing;
  /** How it would look, such as a line of the list or a request. */
  example?: TemplateResult | typeof nothing;
}

/** Says why there is nothing, and what a person can do next, with an example. */
export function emptyState({ title, why, next, example }: EmptyState): TemplateResult {
  return html`
    <div class="empty">
      <h2>${title}</h2>
      <p>${why}</p>
      ${next ? html`<p class="buttons">${next}</p>` : nothing}
      ${example ?? nothing}
    </div>
  `;
}
