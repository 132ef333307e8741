import { html, nothing, type TemplateResult } from "lit-html";
import type { App } from "../app.ts";
import { endOfDay, EXPIRIES, type Expiry, expiryAt, tomorrow } from "./expiry.ts";

/** The fields for a key's expiry: a list of choices, and a date field. */
export class ExpiryFields {
  private fault: string | undefined;

  /**
   * @param choice the choice that is selected at first.
   * @param choices the choices that the user has.
   */
  constructor(
    private choice: Expiry,
    private readonly choices: readonly Expiry[] = EXPIRIES,
  ) {}

  /**
   * When the key expires; null when it never expires. Undefined when the day is missing or in the
   * past; the fields then show an error.
   */
  read(fields: FormData, app: App): string | null | undefined {
    const until = this.choice === "date"
      ? endOfDay(String(fields.get("date") ?? ""))
      : expiryAt(this.choice);
    const isWrong = this.choice === "date" && (!until || Date.parse(until) <= Date.now());
    this.fault = isWrong ? app.t.keys.dateMissing : undefined;
    return isWrong ? undefined : until;
  }

  html(app: App): TemplateResult {
    const { t } = app;
    const choose = ({ target }: Event) => {
      this.choice = (target as HTMLSelectElement).value as Expiry;
      this.fault = undefined;
      app.render();
    };
    return html`
      <label for="expiry">${t.keys.expiry}</label>
      <select id="expiry" name="expiry" @change=${choose}>
        ${this.choices.map((each) =>
          html`<option value=${each} ?selected=${each === this.choice}>${t.expiries[each]}</option>`
        )}
      </select>
      ${this.choice !== "date" ? nothing : html`
        <label for="date">${t.keys.lastDay}</label>
        <input id="date" name="date" type="date" min=${tomorrow()} required
          aria-invalid=${this.fault ? "true" : nothing} aria-describedby="date-fault">
      `}
      <p class="fault" id="date-fault">${this.fault ?? nothing}</p>
    `;
  }
}
