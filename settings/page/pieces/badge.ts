import { html, type TemplateResult } from "lit-html";

/** Good: it works. Warn: a person should look at it. Bad: it failed. Quiet: it is over. */
export type Tone = "good" | "warn" | "bad" | "quiet";

/** A state in one or two words. The words must be enough without the colour. */
export function badge(words: unknown, tone: Tone): TemplateResult {
  return html`<span class="badge ${tone}">${words}</span>`;
}
