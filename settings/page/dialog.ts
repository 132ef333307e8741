import { html, type TemplateResult } from "lit-html";

/**
 * A question in front of the page. The browser keeps the focus within it, closes it with Escape,
 * and gives the focus back.
 * @param closed is called after the dialog was closed, in any way. From then on, the dialog must not be
 * rendered.
 */
export function dialog(
  title: string,
  content: TemplateResult,
  closed: () => void,
): TemplateResult {
  return html`<dialog @close=${closed} aria-labelledby="dialog-title">
    <h2 id="dialog-title">${title}</h2>
    ${content}
  </dialog>`;
}

/** Closes the open dialog. The browser gives the focus back to the element that had it. */
export function closeDialog() {
  document.querySelector<HTMLDialogElement>("dialog[open]")?.close();
}

const opened = new WeakSet<HTMLDialogElement>();

/**
 * Opens the rendered dialog. It is opened only once, because it is still rendered for a moment
 * after it was closed.
 */
export function openDialog(root: Element) {
  const element = root.querySelector("dialog");
  if (!element || opened.has(element)) return;
  opened.add(element);
  element.showModal();
}
