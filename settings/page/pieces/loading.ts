import { html, type TemplateResult } from "lit-html";
import type { Texts } from "../texts.ts";

/**
 * Shows that something is loading. This element keeps the height of a view free, so that nothing
 * below jumps when the content comes.
 */
export function loading({ frame: t }: Texts): TemplateResult {
  return html`<p class="loading">${t.loading}</p>`;
}
