import { html, nothing, type TemplateResult } from "lit-html";
import { sentenceOf } from "./failure.ts";
import type { Texts } from "./texts.ts";

/** Something that a person asks for, once at a time, and that may fail. */
export class Action {
  isBusy = false;
  failure: unknown = null;

  /** Does it, unless it is being done already: a double click asks for it twice. */
  async run(page: { render(): void }, work: () => Promise<void>): Promise<void> {
    if (this.isBusy) return;
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
    }
  }

  /** What went wrong, to be shown where it was asked for. The element is always there, so that it is read out. */
  html(t: Texts): TemplateResult {
    const text = this.failure === null ? nothing : sentenceOf(this.failure, t);
    return html`<div role="alert">${
      text === nothing ? nothing : html`<p class="failure">${text}</p>`
    }</div>`;
  }
}
