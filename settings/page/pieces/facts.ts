import { html, nothing, type TemplateResult } from "lit-html";

/**
 * A list of an object's properties: names and values. A property whose value is null or undefined
 * is left out.
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
