import { html, nothing, type TemplateResult } from "lit-html";
import { sentenceOf } from "./failure.ts";
import type { Texts } from "./texts.ts";

/** An action that a user starts and that may fail. It never runs twice at the same time. */
export class Action {
  isBusy = false;
  failure: unknown = null;

  /**
   * Runs the action, unless it is already running: a double click would start it twice. A button
   * loses the focus while it is disabled. So the focus returns to the button at the end.
   */
  async run(page: { render(): void }, work: () => Promise<void>): Promise<void> {
    if (this.isBusy) return;
    const focused = document.activeElement as HTMLElement | null;
    this.isBusy = true;
    this.failure = null;
    page.render();
    try {
      await work();
    } catch (error) {
      this.failure = error;
    } finally {
      this.isBusy = false;
      page.render();
      if (document.activeElement === document.body) focused?.focus();
    }
  }

  /**
   * What went wrong, shown next to the action. The element always exists, so that screen readers
   * read a new message aloud.
   */
  html(t: Texts): TemplateResult {
    const text = this.failure === null ? nothing : sentenceOf(this.failure, t);
    return html`<div role="alert">${
      text === nothing ? nothing : html`<p class="failure">${text}</p>`
    }</div>`;
  }
}
