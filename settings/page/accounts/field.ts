import { html, nothing, type TemplateResult } from "lit-html";

/** A field of a form, with its hint and its error message. */
interface Field {
  name: string;
  label: string;
  hint: string;
  fault: string | undefined;
  value?: string;
  isReadOnly?: boolean;
  /** A secret is not shown while a user types it, and the browser does not offer to store it. */
  isSecret?: boolean;
  /** Only digits: a phone shows the keyboard for numbers. */
  numeric?: boolean;
}

export function fieldOf(
  { name, label, hint, fault, value, isReadOnly = false, isSecret = false, numeric = false }: Field,
): TemplateResult {
  return html`
    <label for=${name}>${label}</label>
    <input id=${name} name=${name} type=${isSecret ? "password" : "text"} required
      autocomplete=${isSecret ? "new-password" : "off"} autocapitalize="off" spellcheck="false"
      inputmode=${numeric ? "numeric" : nothing} value=${value ?? nothing} ?readonly=${isReadOnly}
      aria-invalid=${fault ? "true" : nothing} aria-describedby="${name}-hint ${name}-fault">
    <p class="hint" id="${name}-hint">${hint}</p>
    <p class="fault" id="${name}-fault">${fault ?? nothing}</p>
  `;
}
