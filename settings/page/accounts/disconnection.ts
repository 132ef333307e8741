import { html, nothing, type TemplateResult } from "lit-html";
import { Action } from "../action.ts";
import type { App } from "../app.ts";
import { closeDialog, dialog } from "../dialog.ts";
import { changed } from "../failure.ts";
import type { Account } from "./account.ts";

/** Disconnects an account, after a question that shows its number. */
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
    const disconnect = () =>
      this.#action.run(app, async () => {
        await changed(
          app.project.client.rpc("disconnect_messaging_account", { account_id: account.id }),
        );
        closeDialog();
        app.reload();
        app.say(t.accounts.isDisconnected(phone));
      });
    const closed = () => {
      this.#account = null;
      app.render();
    };
    return dialog(
      this.#action,
      t.accounts.disconnectQuestion(phone),
      html`
        <p>${t.accounts.disconnectMeaning(phone)}</p>
        ${this.#action.html(t)}
        <div class="buttons">
          <button type="button" class="main danger" ?disabled=${this.#action.isBusy}
            @click=${disconnect}>${t.accounts.disconnectNumber(phone)}</button>
          <button type="button" @click=${closeDialog}>${t.frame.cancel}</button>
        </div>
      `,
      closed,
    );
  }
}
