import { html, nothing, type TemplateResult } from "lit-html";
import { accountOf } from "./accounts/account.ts";
import { ownApps } from "./accounts/apps.ts";
import { Disconnection } from "./accounts/disconnection.ts";
import type { Account } from "./accounts/health.ts";
import { type App, isManager } from "./app.ts";
import { answered } from "./failure.ts";
import { HeldPart } from "./held_part.ts";
import { emptyState } from "./pieces/empty_state.ts";
import type { View } from "./view.ts";

/**
 * The company's WhatsApp accounts and apps: the health of each account, and how to connect or
 * disconnect an account.
 */
export function accounts(): View {
  const apps = new HeldPart(ownApps());
  const disconnection = new Disconnection();
  let list: Account[] = [];

  async function load(app: App): Promise<void> {
    const { project: { client }, company } = app;
    list = await answered<Account[]>(
      client.rpc("messaging_accounts_overview", { company_id: company.id }),
    );
    if (isManager(app.company)) apps.load(app);
  }

  function view(app: App): TemplateResult {
    const { t: { accounts: t } } = app;
    const isManaged = isManager(app.company);
    const connect = html`
      <a class="button ${list.length === 0 ? "main" : ""}" href=${app.href("accounts/connect")}>${t
        .connect}</a>
    `;
    if (list.length === 0) {
      return html`
        ${emptyState({
          title: t.none,
          why: isManaged ? t.noneMeaning : t.noneForAgents,
          next: isManaged ? connect : nothing,
        })}
        ${isManaged ? apps.html(app) : nothing}
      `;
    }
    return html`
      ${isManaged
        ? html`<p class="buttons">${connect}</p>`
        : html`<p class="hint">${t.onlyManagers}</p>`}
      <ul class="accounts">
        ${list.map((account) =>
          html`<li>${accountOf(account, () => disconnection.ask(account, app), app)}</li>`
        )}
      </ul>
      ${isManaged ? apps.html(app) : nothing}
      ${disconnection.html(app)}
    `;
  }

  return { title: (t) => t.menu.accounts, load, html: view };
}
