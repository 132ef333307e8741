import { html, type TemplateResult } from "lit-html";
import { keyed } from "lit-html/directives/keyed.js";

/** The question of the dialog that was rendered last. */
let latest: object;

/**
 * A question in front of the page. The browser keeps the focus within it, closes it with Escape,
 * and gives the focus back.
 * @param asked an object that belongs only to this question. The next question has another one, so
 * it gets its own dialog. The browser reports with a short delay that a dialog was closed, and the
 * next question may be open by then.
 * @param closed is called after the dialog was closed, in any way. From then on, the dialog must
 * not be rendered.
 */
export function dialog(
  asked: object,
  title: string,
  content: TemplateResult,
  closed: () => void,
): TemplateResult {
  latest = asked;
  const onClose = () => {
    if (latest === asked) closed();
  };
  return html`${
    keyed(
      asked,
      html`<dialog @close=${onClose} aria-label=${title}>
      <h2>${title}</h2>
      ${content}
    </dialog>`,
    )
  }`;
}

/**
 * Closes the open dialog. If two are open, it closes the one in front. The browser gives the focus
 * back to the element that had it.
 */
export function closeDialog() {
  Array.from(document.querySelectorAll<HTMLDialogElement>("dialog[open]")).at(-1)?.close();
}

const opened = new WeakSet<HTMLDialogElement>();

/**
 * Opens the rendered dialogs. Each is opened only once, because it is still rendered for a moment
 * after it was closed.
 */
export function openDialog(root: Element) {
  for (const element of root.querySelectorAll("dialog")) {
    if (opened.has(element)) continue;
    opened.add(element);
    element.showModal();
  }
}
