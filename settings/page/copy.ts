import { html, type TemplateResult } from "lit-html";
import type { App } from "./app.ts";

/**
 * A button that copies a text.
 * @param label what it copies, for who does not see what it stands beside.
 */
export function copyButton(text: string, label: string, app: App): TemplateResult {
  const { t: { activity: t } } = app;
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      app.say(t.copied);
    } catch {
      app.say(t.notCopied); // the page is not on https, or the person has forbidden it
    }
  };
  return html`<button type="button" class="copy" aria-label=${label} @click=${copy}>${t.copy}</button>`;
}
