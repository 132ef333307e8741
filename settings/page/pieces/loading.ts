import { html, type TemplateResult } from "lit-html";
import type { Texts } from "../texts.ts";

/**
 * Shows that something is loading. This element reserves a view's height, so that the content below
 * does not jump when the view is loaded.
 */
export function loading({ frame: t }: Texts): TemplateResult {
  return html`<p class="loading">${t.loading}</p>`;
}
