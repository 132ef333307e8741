import { html, type TemplateResult } from "lit-html";
import type { App } from "./app.ts";

/**
 * A button that copies a text. If the browser does not allow copying, the button selects the text
 * on the page, so that the user can copy it.
 * @param what the accessible label of the button: "Copy the key".
 * @param shownIn the id of the element that shows the text.
 */
export function copyButton(text: string, what: string, shownIn: string, app: App): TemplateResult {
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      app.say(app.t.frame.copied);
    } catch {
      getSelection()?.selectAllChildren(document.getElementById(shownIn)!);
      app.say(app.t.frame.copyByHand);
    }
  };
  return html`<button type="button" class="copy" aria-label=${what} @click=${copy}>${app.t.frame.copy}</button>`;
}
