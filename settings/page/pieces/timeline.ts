import { html, nothing, type TemplateResult } from "lit-html";
import { exactly } from "../moments.ts";
import type { Tone } from "./badge.ts";

/** A step of a timeline. */
export interface Step {
  /** What happened: "Delivered". */
  title: unknown;
  /**
   * The time, as the database returns it; null when the step has not happened yet or its time is
   * not known.
   */
  at: string | null;
  tone: Tone;
  /** More about the step, such as the reason for a failure and what to do. */
  more?: TemplateResult | string | typeof nothing;
}

/** The steps of a process, earliest first. */
export function timeline(steps: Step[], locale: string): TemplateResult {
  return html`
    <ol class="timeline">
      ${steps.map(({ title, at, tone, more }) =>
        html`
          <li class=${tone}>
            <b>${title}</b>
            ${at ? html`<time datetime=${at}>${exactly(at, locale)}</time>` : nothing}
            ${more ? html`<div>${more}</div>` : nothing}
          </li>
        `
      )}
    </ol>
  `;
}
