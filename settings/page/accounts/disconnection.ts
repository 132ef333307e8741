import { html, nothing, type TemplateResult } from "lit-html";
import { Action } from "../action.ts";
import type { App } from "../app.ts";
import { closeDialog, dialog } from "../dialog.ts";
import { changed, Failure } from "../failure.ts";
import type { Account } from "./health.ts";

/** Disconnects an account, after the user has typed its phone number as a confirmation. */
export class Disconnection {
  #account: Account | null = null;
  #action = new Action();

  /** Asks whether to disconnect the account. */
  ask(account: Account, app: App) {
    this.#account = account;
    this.#action = new Action();
    app.render();
  }

  html(app: App): TemplateResult | typeof nothing {
    const account = this.#account;
    if (!account) return nothing;
    const { t } = app;
    const phone = account.display_phone;
    const disconnect = (event: SubmitEvent) => {
      event.preventDefault();
      const typed = String(new FormData(event.target as HTMLFormElement).get("typed"));
      return this.#action.run(app, async () => {
        if (digitsOf(typed) !== digitsOf(phone)) {
          throw new Failure("invalid", "", ({ accounts }) => accounts.otherNumber(phone));
        }
        await changed(
          app.project.client.rpc("disconnect_messaging_account", { account_id: account.id }),
        );
        closeDialog();
        app.reload();
        app.say(t.accounts.isDisconnected(phone));
      });
    };
    const closed = () => {
      this.#account = null;
      app.render();
    };
    return dialog(
      this.#action,
      t.accounts.disconnectQuestion(phone),
      html`
        <form @submit=${disconnect}>
          <p>${t.accounts.disconnectMeaning(phone)}</p>
          <ul>${t.accounts.disconnectStops.map((each) => html`<li>${each}</li>`)}</ul>
          <label for="typed">${t.accounts.typeNumber(phone)}</label>
          <input id="typed" name="typed" type="tel" autocomplete="off" inputmode="tel" required
            autofocus>
          ${this.#action.html(t)}
          <div class="buttons">
            <button class="main danger" ?disabled=${this.#action.isBusy}>${t.accounts
              .disconnectNumber(phone)}</button>
            <button type="button" @click=${closeDialog}>${t.frame.cancel}</button>
          </div>
        </form>
      `,
      closed,
    );
  }
}

/** A user may type the phone number with or without spaces and the plus sign. */
function digitsOf(phone: string): string {
  return phone.replace(/\D/g, "");
}
