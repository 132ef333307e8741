import { html, nothing, type TemplateResult } from "lit-html";
import { Action } from "../action.ts";
import { hashOf } from "../address.ts";
import { type App, isManager } from "../app.ts";
import { Failure } from "../failure.ts";
import { type Member, membersOf } from "../project.ts";
import type { View } from "../view.ts";
import { createKey, faultOfName, nameIn, type Scope, SCOPES } from "./api_key.ts";
import { ExpiryFields } from "./expiry_fields.ts";
import { whoMay } from "./key_words.ts";
import { keepMade } from "./made_key.ts";

/** The view that creates a key. Its form has the name, what the key may do, and when it expires. */
export function newKey(): View {
  const action = new Action();
  let members: Member[] = [];
  /** The errors in the form: a message for each wrong field. */
  let faults: { name?: string; scopes?: string } = {};
  const expiry = new ExpiryFields("never");

  const load = async (app: App) => {
    if (!isManager(app.company)) members = await membersOf(app.project, app.company);
  };

  const submit = async (app: App, event: SubmitEvent) => {
    event.preventDefault();
    const form = event.target as HTMLFormElement;
    const fields = new FormData(form);
    const { t } = app;
    const name = nameIn(String(fields.get("name")));
    const scopes = fields.getAll("scopes") as Scope[];
    const until = expiry.read(fields, app);
    faults = {
      name: faultOfName(name, t) ?? undefined,
      scopes: scopes.length === 0 ? t.keys.scopesMissing : undefined,
    };
    if (faults.name || faults.scopes || until === undefined) {
      app.render();
      form.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
      return;
    }
    await action.run(app, async () => {
      const { company } = app;
      const key = await createKey(app, name, scopes, until).catch(inOwnWords);
      keepMade(key);
      app.go(hashOf(company.id, `keys/${key.id}`), true);
    });
  };

  const view = (app: App): TemplateResult => {
    const { t } = app;
    if (!isManager(app.company)) return whoMay(members, app);
    return html`<form class="narrow" novalidate @submit=${(event: SubmitEvent) =>
      submit(app, event)}>
      <label for="name">${t.keys.name}</label>
      <input id="name" name="name" maxlength="100" autocomplete="off" required dir="auto"
        aria-invalid=${faults.name ? "true" : nothing} aria-describedby="name-hint name-fault">
      <p class="hint" id="name-hint">${t.keys.nameHint}</p>
      ${fault("name", faults.name)}
      <fieldset aria-describedby="scopes-fault">
        <legend>${t.keys.scopes}</legend>
        ${
      SCOPES.map((scope, at) =>
        html`<label class="choice"><input type="checkbox" name="scopes" value=${scope}
          aria-invalid=${faults.scopes && at === 0 ? "true" : nothing}>
          <span><b>${t.scopes[scope].name}</b> <span>${
          t.scopes[scope].allows
        }</span></span></label>`
      )
    }
        <p class="hint">${t.keys.scopesHint}</p>
        ${fault("scopes", faults.scopes)}
      </fieldset>
      ${expiry.html(app)}
      ${action.html(t)}
      <p class="buttons"><button class="main" ?disabled=${action.isBusy}>${t.keys.make}</button>
        <a href=${app.href("keys")}>${t.frame.cancel}</a></p>
    </form>`;
  };

  return { title: (t) => t.keys.create, load, html: view };
}

function fault(field: string, text: string | undefined): TemplateResult {
  return html`<p class="fault" id="${field}-fault">${text ?? nothing}</p>`;
}

/** Without a response, the key may exist although no one has seen it. */
function inOwnWords(error: unknown): never {
  if (error instanceof Failure && error.kind === "unanswered") {
    throw new Failure("unanswered", error.message, (t) => t.keys.maybeMade);
  }
  throw error;
}
