import { html, type TemplateResult } from "lit-html";

/** `good`: it works. `warn`: it needs attention. `bad`: it failed. `quiet`: it has ended. */
export type Tone = "good" | "warn" | "bad" | "quiet";

/** A state in one or two words, which must be clear without the colour. */
export function badge(words: unknown, tone: Tone): TemplateResult {
  return html`<span class="badge ${tone}">${words}</span>`;
}
