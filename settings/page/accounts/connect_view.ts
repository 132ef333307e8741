import { html, nothing, type TemplateResult } from "lit-html";
import { Action } from "../action.ts";
import { type App, isManager } from "../app.ts";
import { answered } from "../failure.ts";
import type { Texts } from "../texts.ts";
import type { View } from "../view.ts";
import type { Account } from "./health.ts";
import { askSettings } from "./ask_settings.ts";
import { fieldOf } from "./field.ts";

type Field = "number" | "token" | "business";

/**
 * The view that connects a number, or gives a known number a new token. WhatsApp must confirm the
 * token first. The page never stores the token.
 */
export function connectView(): View {
  const action = new Action();
  let known: Account | null = null;
  let apps: { id: string; name: string }[] = [];
  let faults: Partial<Record<Field, string>> = {};

  async function load(app: App): Promise<void> {
    const { project: { client }, company, query } = app;
    const number = query.get("number");
    const [accounts, own] = await Promise.all([
      number === null ? [] : answered<Account[]>(
        client.rpc("messaging_accounts_overview", { company_id: company.id }),
      ),
      answered<typeof apps>(
        client.from("channel_apps").select("id,name").eq("owner_company_id", company.id)
          .order("created_at"),
      ),
    ]);
    known = accounts.find(({ phone_number_id }) => phone_number_id === number) ?? null;
    apps = own;
  }

  async function submit(app: App, event: SubmitEvent) {
    event.preventDefault();
    const form = event.target as HTMLFormElement;
    const fields = new FormData(form);
    const text = (name: string) => String(fields.get(name) ?? "").trim();
    const { t: { accounts: t } } = app;
    const [number, token, business] = [text("number"), text("token"), text("business")];
    faults = {
      number: /^\d{1,32}$/.test(number) ? undefined : t.idMissing,
      token: /^[\x21-\x7e]{1,4096}$/.test(token) ? undefined : t.tokenMissing,
      business: /^\d{0,32}$/.test(business) ? undefined : t.idMissing,
    };
    if (Object.values(faults).some((fault) => fault !== undefined)) {
      app.render();
      form.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
      return;
    }
    await action.run(app, async () => {
      const overview = app.href("accounts");
      const account = await askSettings<{ display_phone: string; was_known: boolean }>(
        app,
        "accounts",
        {
          company_id: app.company.id,
          phone_number_id: number,
          access_token: token,
          ...(business !== "" && { business_account_id: business }),
          ...(text("app") !== "" && { channel_app_id: text("app") }),
        },
        inWords,
      );
      app.go(overview, true);
      app.say((account.was_known ? t.hasNewToken : t.isConnected)(account.display_phone));
    });
    // The browser has moved the focus away from the button while it was disabled.
    if (action.failure !== null) form.querySelector<HTMLElement>("button.main")?.focus();
  }

  function view(app: App): TemplateResult {
    const { t } = app;
    const { accounts: a } = t;
    if (!isManager(app.company)) return html`<p>${a.onlyManagers}</p>`;
    return html`
      <form class="narrow" novalidate @submit=${(event: SubmitEvent) => submit(app, event)}>
        <p class="lead">${a.connectIntro}</p>
        <details>
          <summary>${a.where}</summary>
          <ol>${a.whereSteps.map((step) => html`<li>${step}</li>`)}</ol>
        </details>
        ${fieldOf({
          name: "number",
          label: a.numberId,
          hint: a.numberIdHint,
          fault: faults.number,
          value: app.query.get("number") ?? "",
          isReadOnly: known !== null,
          numeric: true,
        })}
        ${fieldOf({
          name: "token",
          label: a.accessToken,
          hint: a.accessTokenHint,
          fault: faults.token,
          isSecret: true,
        })}
        ${fieldOf({
          name: "business",
          label: `${a.businessId} (${a.optional})`,
          hint: a.businessIdHint,
          fault: faults.business,
          value: known?.business_account_id ?? "",
          numeric: true,
        })}
        ${apps.length === 0 ? nothing : html`
          <label for="app">${a.app}</label>
          <select id="app" name="app">
            ${known ? html`<option value="">${a.usualApp}</option>` : nothing}
            ${apps.map(({ id, name }) => html`<option value=${id}>${name}</option>`)}
          </select>
        `}
        ${action.html(t)}
        <p class="buttons">
          <button class="main" ?disabled=${action.isBusy}>${action.isBusy
            ? a.checking
            : a.submit}</button>
          <a href=${app.href("accounts")}>${t.frame.cancel}</a>
        </p>
      </form>
    `;
  }

  return {
    title: ({ accounts: t }) => known ? t.newTokenFor(known.display_phone) : t.connect,
    load,
    html: view,
  };
}

/** The page's message for a refusal. */
function inWords(
  { code, reason }: { code?: string; reason?: string },
  { accounts: t }: Texts,
): string | undefined {
  if (code === "channel_unavailable") return t.channelDown;
  if (code === "conflict") return t.numberTaken;
  const reasons: Record<string, string> = t.reasons;
  return reason !== undefined && Object.hasOwn(reasons, reason) ? reasons[reason] : undefined;
}
