// A template as the recipient sees it in WhatsApp, with values in place of its variables.
import { html, nothing, type TemplateResult } from "lit-html";
import type { App } from "../app.ts";
import { filled, mediumOf, textOf, type Values, type WholeTemplate } from "./template.ts";

/** The message as WhatsApp shows it: header, body, footer and buttons. */
export function previewOf(template: WholeTemplate, values: Values, app: App): TemplateResult {
  const { t: { templates: t } } = app;
  const { variables, header_format } = template;
  const medium = mediumOf(template);
  const header = header_format === "TEXT" ? textOf(template, "HEADER") : null;
  const body = textOf(template, "BODY");
  const footer = textOf(template, "FOOTER");
  const buttons = buttonsOf(template);
  return html`
    <div class="phone" role="group" aria-label=${t.preview}>
      <div class="bubble">
        ${medium ? html`<p class="medium ${medium}">${t.media[medium]}</p>` : nothing}
        ${header
          ? html`<p class="head" dir="auto">${filled(header, variables.header, values.header)}</p>`
          : nothing}
        ${body === null
          ? html`<p class="text" dir="auto">${t.codeText(values.body[0] ?? "")}</p>`
          : html`<p class="text" dir="auto">${
            formatted(filled(body, variables.body, values.body))
          }</p>`}
        ${footer ? html`<p class="foot" dir="auto">${footer}</p>` : nothing}
      </div>
      ${buttons.length === 0 ? nothing : html`
        <ul class="replies">${buttons.map((text) => html`<li dir="auto">${text}</li>`)}</ul>
      `}
    </div>
  `;
}

/** The texts on the buttons. */
function buttonsOf({ components }: WholeTemplate): string[] {
  const part = components.find((each) => String(each?.type).toUpperCase() === "BUTTONS");
  const buttons: unknown[] = Array.isArray(part?.buttons) ? part.buttons : [];
  return buttons.flatMap((button) => {
    const text = (button as { text?: unknown } | null)?.text;
    return typeof text === "string" ? [text] : [];
  });
}

/** WhatsApp's signs for bold, italic and struck text, around words. */
const SIGNS =
  /(?<![\p{L}\p{N}])(\*[^*\n]{1,999}\*|_[^_\n]{1,999}_|~[^~\n]{1,999}~)(?![\p{L}\p{N}])/u;

/** Renders a text with WhatsApp's formatting. All other characters are plain text. */
function formatted(text: string): unknown[] {
  return text.split(SIGNS).map((part, place) => {
    // split() returns the matches of the group at every second index.
    if (place % 2 === 0) return part;
    const inner = formatted(part.slice(1, -1));
    if (part.startsWith("*")) return html`<b>${inner}</b>`;
    return part.startsWith("_") ? html`<i>${inner}</i>` : html`<s>${inner}</s>`;
  });
}
