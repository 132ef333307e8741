import { html, nothing, type TemplateResult } from "lit-html";

/**
 * The facts about one thing: names and values. A fact whose value is null or undefined is left out.
 */
export function facts(list: [name: string, value: unknown][]): TemplateResult {
  return html`
    <dl class="facts">
      ${list.map(([name, value]) =>
        value === null || value === undefined ? nothing : html`
          <div>
            <dt>${name}</dt>
            <dd>${value}</dd>
          </div>
        `
      )}
    </dl>
  `;
}
