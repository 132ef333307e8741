import { html, type TemplateResult } from "lit-html";
import { Action } from "../action.ts";
import type { App } from "../app.ts";
import { ago } from "../moments.ts";
import type { Invitation } from "../person.ts";
import { emptyState } from "../pieces/empty_state.ts";
import { invitationsTo } from "../project.ts";
import type { View } from "../view.ts";
import { call } from "./person.ts";

/** The user's invitations, each of which the user can accept or decline. */
export function ownInvitations(): View {
  const action = new Action();

  const load = async (app: App) => {
    app.invitations = await invitationsTo(app.project);
  };

  const join = (event: SubmitEvent, { id, company_name }: Invitation, app: App) => {
    event.preventDefault();
    const name = new FormData(event.target as HTMLFormElement).get("name");
    return action.run(app, async () => {
      const company = await call<string>(app, "accept_invitation", { invitation_id: id, name });
      app.invitations = app.invitations.filter((each) => each.id !== id);
      app.go(`#/c/${company}/`);
      app.say(app.t.members.own.joined(company_name));
    });
  };

  const decline = ({ id }: Invitation, app: App) =>
    action.run(app, async () => {
      await call(app, "decline_invitation", { invitation_id: id });
      app.reload();
      app.say(app.t.members.own.declined);
    });

  const invitationOf = (each: Invitation, app: App): TemplateResult => {
    const { t: { members: t, roles }, locale } = app;
    const { id, company_name, role, invited_by_name, expires_at } = each;
    return html`
      <li class="card">
        <h2 dir="auto">${company_name}</h2>
        <p>${t.own.by(invited_by_name ?? t.own.someone, roles[role])}</p>
        <p class="hint">${t.roles[role].name}: ${t.roles[role].can}</p>
        <form @submit=${(event: SubmitEvent) => join(event, each, app)}>
          <label for="name-${id}">${t.own.name}</label>
          <input id="name-${id}" name="name" maxlength="100" autocomplete="name" dir="auto"
            aria-describedby="hint-${id}">
          <p class="hint" id="hint-${id}">${t.own.nameHint}</p>
          <p class="buttons"><button class="main" ?disabled=${action.isBusy}>${t.own.join(
            company_name,
          )}</button>
            <button type="button" ?disabled=${action.isBusy} @click=${() => decline(each, app)}>${t
              .own.decline}</button></p>
        </form>
        <p class="hint">${t.own.expires} ${ago(expires_at, locale)}</p>
      </li>
    `;
  };

  const view = (app: App): TemplateResult => {
    const { t: { members: t }, person, companies, invitations } = app;
    return html`
      ${action.html(app.t)}
      ${invitations.length === 0
        ? emptyState({
          title: t.own.none,
          why: t.own.noneWhy(person.email),
          next: companies.length > 0
            ? html`<a class="button" href=${app.href("")}>${app.t.frame.toFirst}</a>`
            : undefined,
        })
        : html`<ul class="invitations">${invitations.map((each) => invitationOf(each, app))}</ul>`}
    `;
  };

  return { title: (t) => t.menu.invitations, load, html: view };
}
