// The dialogs that ask for confirmation before a change to the people of the company.
import { html, nothing, type TemplateResult } from "lit-html";
import { Action } from "../action.ts";
import type { App } from "../app.ts";
import { closeDialog, dialog } from "../dialog.ts";
import { changed, expectRow } from "../failure.ts";
import { HeldPart } from "../held_part.ts";
import { askedWebhooks } from "../webhooks/asked_webhooks.ts";
import {
  call,
  type Colleague,
  mail,
  type Pending,
  type Role,
  ROLES,
  rolesToGive,
} from "./person.ts";

/** The action that the user wants to take. */
export type Asked =
  | { kind: "invite" }
  | { kind: "change"; person: Colleague }
  | { kind: "remove"; person: Colleague }
  | { kind: "leave"; person: Colleague }
  | { kind: "withdraw"; invitation: Pending };

/** The dialog that is open, if there is one. */
export class Question {
  private asked: Asked | null = null;
  private action = new Action();
  /** The webhooks that continue after the person is removed. */
  private webhooks: HeldPart | null = null;

  ask(asked: Asked, app: App): void {
    this.asked = asked;
    this.action = new Action();
    this.webhooks = asked.kind === "remove" ? webhooksOf(asked.person) : null;
    this.webhooks?.load(app);
    app.render();
  }

  html(app: App): TemplateResult | typeof nothing {
    const { asked, action, webhooks } = this;
    if (!asked) return nothing;
    const { t } = app;
    const words = t.members.questions[asked.kind];
    const submit = (event: SubmitEvent) => {
      event.preventDefault();
      const fields = new FormData(event.target as HTMLFormElement);
      return action.run(app, () => this.doAsked(asked, fields, app));
    };
    const isGrave = ["remove", "leave", "withdraw"].includes(asked.kind);
    const remove = asked.kind === "change" && asked.person.user_id !== app.person.id
      ? html`
        <button type="button" class="danger" @click=${() =>
          this.ask({ kind: "remove", person: asked.person }, app)}>${t.members.remove}</button>
      `
      : nothing;
    return dialog(
      asked,
      words.title(nameOf(asked)),
      html`
        <form @submit=${submit}>
          ${fieldsOf(asked, app)}
          ${webhooks?.html(app) ?? nothing}
          ${action.html(t)}
          <p class="buttons">
            <button class=${isGrave ? "main danger" : "main"} ?disabled=${action.isBusy}>${words
              .submit}</button>
            <button type="button" @click=${closeDialog}>${t.frame.cancel}</button>
            ${remove}
          </p>
        </form>
      `,
      () => {
        this.asked = null;
        app.render();
      },
    );
  }

  private async doAsked(asked: Asked, fields: FormData, app: App): Promise<void> {
    const { t: { members: t }, company, project: { client } } = app;
    const text = (name: string) => String(fields.get(name) ?? "").trim();
    const done = (said: string) => {
      closeDialog();
      app.reload();
      app.say(said);
    };
    if (asked.kind === "invite") {
      const email = text("email");
      const values = { company_id: company.id, email, role: text("role") };
      const isMailed = await mail(app, await call<Pending>(app, "invite_member", values));
      return done(isMailed ? t.sent(email) : t.notMailed(email));
    }
    if (asked.kind === "withdraw") {
      await call(app, "withdraw_invitation", { invitation_id: asked.invitation.id });
      return done(t.withdrawn);
    }
    const { user_id, role, name } = asked.person;
    const values = { company_id: company.id, user_id };
    if (asked.kind === "change") {
      const [newRole, newName] = [text("role") || role, text("name") || null];
      if (newName !== name) {
        expectRow(
          await changed<unknown[]>(
            client.from("company_members").update({ name: newName })
              .eq("company_id", company.id).eq("user_id", user_id).select("user_id"),
          ),
        );
      }
      if (newRole !== role) await call(app, "change_member_role", { ...values, role: newRole });
      return done(t.changed);
    }
    await call(app, "remove_member", values);
    if (asked.kind === "remove") return done(t.removed);
    closeDialog();
    // This loads the page again, which then reads the user's companies again.
    location.assign(location.pathname);
  }
}

function nameOf(asked: Asked): string {
  if (asked.kind === "invite") return "";
  if (asked.kind === "withdraw") return asked.invitation.email;
  return asked.person.name ?? asked.person.email ?? "";
}

/** The webhooks that the person created. They belong to the company, so they do not end. */
function webhooksOf({ user_id }: Colleague): HeldPart {
  return new HeldPart(
    askedWebhooks(
      ({ created_by }) => created_by === user_id,
      (t) => t.members.questions.remove.createdWebhooks,
    ),
  );
}

function fieldsOf(asked: Asked, app: App): TemplateResult {
  const { t: { members: t }, company } = app;
  if (asked.kind === "invite") {
    return html`
      <p>${t.questions.invite.text(company.name)}</p>
      <label for="invited">${t.email}</label>
      <input id="invited" name="email" type="email" required maxlength="254" autocomplete="off"
        spellcheck="false" autofocus>
      ${rolesOf("agent", app)}
    `;
  }
  if (asked.kind === "change") {
    return html`
      <label for="member-name">${t.name}</label>
      <input id="member-name" name="name" maxlength="100" autocomplete="off" dir="auto"
        value=${asked.person.name ?? ""} aria-describedby="member-name-hint">
      <p class="hint" id="member-name-hint">${t.nameHint}</p>
      ${rolesOf(asked.person.role, app)}
    `;
  }
  return html`<p>${t.questions[asked.kind].text(company.name)}</p>`;
}

/** The choice of a role: each role that the user may assign, and the current role. */
function rolesOf(chosen: Role, app: App): TemplateResult {
  const { t: { members: t } } = app;
  const given = rolesToGive(app);
  return html`
    <fieldset>
      <legend>${t.role}</legend>
      ${ROLES.filter((role) => given.includes(role) || role === chosen).map((role) =>
        html`<label class="choice"><input type="radio" name="role" value=${role} ?checked=${
          role === chosen
        }>
        <span><b>${t.roles[role].name}</b> <span>${t.roles[role].can}</span></span></label>`
      )}
    </fieldset>
  `;
}
