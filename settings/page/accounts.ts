import { html, nothing, type TemplateResult } from "lit-html";
import { type Account, accountOf } from "./accounts/account.ts";
import { connectCommand } from "./accounts/connect.ts";
import { Disconnection } from "./accounts/disconnection.ts";
import { SendsActivity } from "./activity/sends.ts";
import { type App, isManager } from "./app.ts";
import { answered } from "./failure.ts";
import type { View } from "./view.ts";

/** The WhatsApp accounts of the company: how each is, what was sent, and how one is connected or disconnected. */
export function accounts(): View {
  const sends = new SendsActivity();
  const disconnection = new Disconnection();
  let list: Account[] = [];

  async function load(app: App): Promise<void> {
    [list] = await Promise.all([
      answered<Account[]>(
        app.project.client.rpc("messaging_accounts_overview", { company_id: app.company.id }),
      ),
      sends.load(app),
    ]);
  }

  function view(app: App): TemplateResult {
    const { t: { accounts: t } } = app;
    return html`
      ${list.length === 0 ? html`<p>${t.none}</p>` : html`
        <ul class="accounts">
          ${list.map((account) => html`<li>${accountOf(account, disconnection, app)}</li>`)}
        </ul>
        ${isManager(app.company) ? nothing : html`<p class="note">${t.onlyManagers}</p>`}
      `}
      ${sends.html(app)}
      ${connectCommand(app)}
      ${disconnection.html(app, () => load(app))}
    `;
  }

  return { title: (t) => t.menu.accounts, load, html: view };
}
