import { html, nothing, type TemplateResult } from "lit-html";
import { Action } from "../action.ts";
import type { App } from "../app.ts";
import { copyButton } from "../copy_button.ts";
import { closeDialog, dialog } from "../dialog.ts";
import { answered, changed, Failure } from "../failure.ts";
import { moment } from "../moments.ts";
import { expectManager } from "../project.ts";
import type { Part } from "../view.ts";
import { askSettings } from "./ask_settings.ts";
import { fieldOf } from "./field.ts";

/** An app of the company at Meta. */
interface ChannelApp {
  app_key: string;
  name: string;
  /** When the app began to accept two secrets; null when there is only one. */
  rotation_began_at: string | null;
}

type Field = "name" | "secret" | "verify";

/** The company's apps: their URLs, and the forms for their secrets. */
export function ownApps(): Part {
  let apps: ChannelApp[] = [];
  /** What a dialog asks for: a new app, or the new secret of an app. */
  let asked: "new" | ChannelApp | null = null;
  let action = new Action();
  let faults: Partial<Record<Field, string>> = {};

  async function load(app: App): Promise<void> {
    apps = await answered<ChannelApp[]>(
      app.project.client.from("channel_apps").select("app_key,name,rotation_began_at")
        .eq("owner_company_id", app.company.id).order("created_at"),
    );
  }

  const ask = (what: "new" | ChannelApp, app: App) => {
    [asked, action, faults] = [what, new Action(), {}];
    app.render();
  };

  const done = async (said: string, app: App) => {
    closeDialog();
    await load(app);
    app.render();
    app.say(said);
  };

  async function submit(app: App, event: SubmitEvent) {
    event.preventDefault();
    const form = event.target as HTMLFormElement;
    const fields = new FormData(form);
    const text = (name: Field) => String(fields.get(name) ?? "").trim();
    const { t: { accounts: t }, company: { id: company_id } } = app;
    const isSecret = (name: Field) => /^[!-~]{8,255}$/.test(text(name));
    faults = {
      name: asked === "new" && text("name") === "" ? t.nameMissing : undefined,
      secret: isSecret("secret") ? undefined : t.secretMissing,
      verify: asked === "new" && !isSecret("verify") ? t.secretMissing : undefined,
    };
    if (Object.values(faults).some((fault) => fault !== undefined)) {
      app.render();
      form.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
      return;
    }
    await action.run(app, async () => {
      if (asked === "new") {
        const secrets = { app_secret: text("secret"), verify_token: text("verify") };
        const body = { company_id, name: text("name"), ...secrets };
        await askSettings(
          app,
          "apps",
          body,
          ({ code }, { accounts: t }) =>
            code === "conflict"
              ? t.tooManyApps
              : code === "invalid_request"
              ? t.nameWrong
              : undefined,
        );
        await done(t.appAdded(body.name), app);
      } else if (asked !== null) {
        const body = { company_id, app_key: asked.app_key, app_secret: text("secret") };
        await askSettings(app, "apps/secret", body, () => undefined);
        await done(t.secretSaved, app);
      }
    });
  }

  const ending = new Action();
  const endOld = ({ app_key }: ChannelApp, app: App) =>
    ending.run(app, async () => {
      const { project, company, person } = app;
      const wasRotating = await changed<boolean | null>(
        project.client.rpc("finish_channel_app_rotation", { app_key }),
      );
      // Null: the user may not change the app, or the app no longer exists. False: the old secret
      // has already ended.
      if (wasRotating === null) {
        await expectManager({ project, company, person });
        throw new Failure("gone");
      }
      await done(app.t.accounts.oldSecretEnded, app);
    });

  function question(app: App): TemplateResult | typeof nothing {
    if (asked === null) return nothing;
    const { t } = app;
    const { accounts: a } = t;
    const isNew = asked === "new";
    const closed = () => {
      asked = null;
      app.render();
    };
    return dialog(
      action,
      asked === "new" ? a.addApp : a.newSecretFor(asked.name),
      html`
        <form novalidate @submit=${(event: SubmitEvent) => submit(app, event)}>
          ${isNew
            ? fieldOf({ name: "name", label: a.appName, hint: a.appNameHint, fault: faults.name })
            : html`<p>${a.newSecretMeaning}</p>`}
          ${fieldOf({
            name: "secret",
            label: a.appSecret,
            hint: a.appSecretHint,
            fault: faults.secret,
            isSecret: true,
          })}
          ${isNew
            ? fieldOf({
              name: "verify",
              label: a.verifyToken,
              hint: a.verifyTokenHint,
              fault: faults.verify,
              isSecret: true,
            })
            : nothing}
          ${action.html(t)}
          <div class="buttons">
            <button class="main" ?disabled=${action.isBusy}>${isNew
              ? a.addApp
              : a.saveSecret}</button>
            <button type="button" @click=${closeDialog}>${t.frame.cancel}</button>
          </div>
        </form>
      `,
      closed,
    );
  }

  function view(app: App): TemplateResult {
    const { t: { accounts: t }, locale, project: { functionsUrl } } = app;
    return html`
      <section class="card apps" aria-labelledby="apps">
        <h2 id="apps">${t.apps}</h2>
        <p>${t.appsMeaning}</p>
        ${apps.map((each) => {
          const id = `callback-${each.app_key}`;
          const url = `${functionsUrl}/whatsapp/webhook/${each.app_key}`;
          return html`
            <section class="app" aria-labelledby="app-${each.app_key}">
              <h3 id="app-${each.app_key}" dir="auto">${each.name}</h3>
              <figure class="line">
                <figcaption>${t.callback} ${copyButton(url, t.copyCallback, id, app)}</figcaption>
                <pre tabindex="0"><code id=${id}>${url}</code></pre>
              </figure>
              <p class="hint">${t.callbackHint}</p>
              ${each.rotation_began_at
                ? html`<p>${t.rotatingSince(moment(each.rotation_began_at, locale))}</p>`
                : nothing}
              <div class="buttons">
                <button type="button" aria-label=${t.newSecretFor(each.name)}
                  @click=${() => ask(each, app)}>${t.newSecret}</button>
                ${each.rotation_began_at
                  ? html`
                    <button type="button" ?disabled=${ending.isBusy}
                      @click=${() => endOld(each, app)}>${t.endOldSecret}</button>
                  `
                  : nothing}
              </div>
            </section>
          `;
        })}
        ${ending.html(app.t)}
        <p class="buttons"><button type="button" @click=${() => ask("new", app)}>${t
          .addApp}</button></p>
      </section>
      ${question(app)}
    `;
  }

  return { load, html: view };
}
