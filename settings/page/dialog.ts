import { html, type TemplateResult } from "lit-html";

/**
 * A question in front of the page. The browser keeps the focus in it, closes it with Escape, and gives the focus back.
 * @param closed is called when it was closed, in whatever way: it must then be rendered no more.
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

/** Closes the dialog that is open, so that the focus goes back to where it was. */
export function closeDialog() {
  document.querySelector<HTMLDialogElement>("dialog[open]")?.close();
}

const opened = new WeakSet<HTMLDialogElement>();

/** Opens the dialog that was rendered. It is opened once, because it stays for a moment after it was closed. */
export function openDialog(root: Element) {
  const element = root.querySelector("dialog");
  if (!element || opened.has(element)) return;
  opened.add(element);
  element.showModal();
}
