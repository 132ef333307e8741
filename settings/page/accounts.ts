import { html, nothing, type TemplateResult } from "lit-html";
import { type Account, accountOf } from "./accounts/account.ts";
import { connectCommand } from "./accounts/connect.ts";
import { Disconnection } from "./accounts/disconnection.ts";
import { sendsActivity } from "./activity/sends.ts";
import { type App, isManager } from "./app.ts";
import { answered } from "./failure.ts";
import { HeldPart } from "./held_part.ts";
import type { View } from "./view.ts";

/**
 * The WhatsApp accounts of the company: the state of each account, the sends, and how to connect or
 * disconnect an account.
 */
export function accounts(): View {
  const sends = new HeldPart(sendsActivity());
  const disconnection = new Disconnection();
  let list: Account[] = [];

  async function load(app: App): Promise<void> {
    const { project: { client }, company } = app;
    list = await answered<Account[]>(
      client.rpc("messaging_accounts_overview", { company_id: company.id }),
    );
    if (isManager(app.company)) sends.load(app);
  }

  function view(app: App): TemplateResult {
    const { t: { accounts: t } } = app;
    return html`
      ${list.length === 0 ? html`<p>${t.none}</p>` : html`
        <ul class="accounts">
          ${list.map((account) =>
            html`<li>${accountOf(account, () => disconnection.ask(account, app), app)}</li>`
          )}
        </ul>
        ${isManager(app.company) ? nothing : html`<p class="hint">${t.onlyManagers}</p>`}
      `}
      ${isManager(app.company) ? sends.html(app) : nothing}
      ${connectCommand(app)}
      ${disconnection.html(app)}
    `;
  }

  return { title: (t) => t.menu.accounts, load, html: view };
}
