import { html, type TemplateResult } from "lit-html";
import { keyed } from "lit-html/directives/keyed.js";

/** The question of the dialog that was rendered last. */
let latest: object;

/**
 * A modal dialog. The browser keeps the focus within it, closes it with Escape, and gives the focus
 * back.
 * @param asked an object that belongs only to this question, so that each question has its own
 * dialog. The browser reports late that a dialog was closed; the next question may already be open.
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
 * Closes the open dialog, or the front one if two are open. The browser returns the focus to the
 * element that had the focus before.
 */
export function closeDialog() {
  Array.from(document.querySelectorAll<HTMLDialogElement>("dialog[open]")).at(-1)?.close();
}

const opened = new WeakSet<HTMLDialogElement>();

/**
 * Opens the rendered dialogs. Each dialog is opened only once, because a closed dialog is still
 * rendered for a moment.
 */
export function openDialog(root: Element) {
  for (const element of root.querySelectorAll("dialog")) {
    if (opened.has(element)) continue;
    opened.add(element);
    element.showModal();
  }
}
