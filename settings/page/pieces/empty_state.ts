import { html, nothing, type TemplateResult } from "lit-html";

/** The content of a view that has nothing to show. */
export interface EmptyState {
  /** What does not exist yet: "No sends yet". */
  title: string;
  /** Why the view is empty, and what will appear here. */
  why: string | TemplateResult;
  /** What the user can do next: a link or a button of the class `button main`. */
  next?: TemplateResult | typeof nothing;
  /** An example of the content, such as a line of the list or a request. */
  example?: TemplateResult | typeof nothing;
}

/** Explains why the view is empty and what the user can do next, with an example. */
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
