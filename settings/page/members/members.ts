import { html, nothing, type TemplateResult } from "lit-html";
import { Action } from "../action.ts";
import { type App, isManager } from "../app.ts";
import { ago } from "../moments.ts";
import { badge } from "../pieces/badge.ts";
import { emptyState } from "../pieces/empty_state.ts";
import { tableOf } from "../pieces/table.ts";
import type { View } from "../view.ts";
import {
  call,
  type Colleague,
  colleaguesOf,
  mail,
  mayChange,
  type Pending,
  pendingOf,
  requiresFactor,
} from "./person.ts";
import { type Asked, Question } from "./questions.ts";

/** The company's members, and its open invitations. */
export function members(): View {
  const question = new Question();
  const sending = new Action();
  let people: Colleague[] = [];
  let pending: Pending[] = [];
  let isRequired = false;

  async function load(app: App): Promise<void> {
    const isManaging = isManager(app.company);
    [people, pending, isRequired] = await Promise.all([
      colleaguesOf(app),
      isManaging ? pendingOf(app) : [],
      requiresFactor(app),
    ]);
  }

  const ask = (asked: Asked, app: App) => question.ask(asked, app);

  function view(app: App): TemplateResult {
    const { t: { members: t }, company } = app;
    const isManaging = isManager(company);
    return html`
      <div class="head">
        <p class="lead">${isManaging ? t.lead : t.leadForAgents}</p>
        ${isManaging
          ? html`<p class="buttons"><button type="button" class="main" @click=${() =>
            ask({ kind: "invite" }, app)}>${t.invite}</button></p>`
          : nothing}
      </div>
      ${tableOf(t.title, columnsOf(app), people)}
      ${isManaging
        ? html`
          <h2>${t.pending}</h2>
          ${sending.html(app.t)}
          ${pending.length === 0
            ? emptyState({ title: t.noPending, why: t.noPendingWhy })
            : tableOf(t.pending, columnsOfPending(app), pending)}
        `
        : nothing}
      ${company.role === "owner" ? rule(app) : nothing}
      ${question.html(app)}
    `;
  }

  function columnsOf(app: App) {
    const { t: { members: t, roles, people: words }, locale, person } = app;
    const isManaging = isManager(app.company);
    const mine = ({ user_id }: Colleague) => user_id === person.id;
    return [
      {
        name: t.person,
        kind: "main" as const,
        value: (each: Colleague) =>
          html`<span class="who"><bdi>${
            each.name ?? each.email ??
              capital(words.nameless(roles[each.role]))
          }</bdi>${
            mine(each)
              ? html`
                <small>(${words.you})</small>
              `
              : nothing
          }${
            each.name && each.email ? html`<small><bdi>${each.email}</bdi></small>` : nothing
          }</span>`,
      },
      { name: t.role, value: ({ role }: Colleague) => t.roles[role].name },
      ...(isManaging
        ? [{
          name: t.secondFactor,
          value: ({ has_second_factor }: Colleague) =>
            has_second_factor ? badge(t.on, "good") : badge(t.off, "quiet"),
        }]
        : []),
      { name: t.since, value: ({ created_at }: Colleague) => ago(created_at, locale) },
      {
        name: t.actions,
        kind: "act" as const,
        value: (each: Colleague) =>
          html`<span class="acts">${
            mayChange(each, app)
              ? html`
                <button type="button" @click=${() => ask({ kind: "change", person: each }, app)}
                  aria-label=${t.changeOf(each.name ?? each.email ?? "")}>${t.change}</button>
              `
              : nothing
          }${
            mine(each)
              ? html`<button type="button" @click=${() =>
                ask({ kind: "leave", person: each }, app)}>${t.leave}</button>`
              : nothing
          }</span>`,
      },
    ];
  }

  function columnsOfPending(app: App) {
    const { t: { members: t }, locale } = app;
    const hasExpired = ({ expires_at }: Pending) => Date.parse(expires_at) <= Date.now();
    const sendAgain = (each: Pending) =>
      sending.run(app, async () => {
        const values = { invitation_id: each.id };
        const isMailed = await mail(app, await call<Pending>(app, "renew_invitation", values));
        app.reload();
        app.say(isMailed ? t.sent(each.email) : t.notMailed(each.email));
      });
    const mayEdit = ({ role }: Pending) => app.company.role === "owner" || role !== "owner";
    return [
      {
        name: t.email,
        kind: "main" as const,
        value: ({ email }: Pending) => html`<bdi class="who">${email}</bdi>`,
      },
      { name: t.role, value: ({ role }: Pending) => t.roles[role].name },
      {
        name: t.state,
        value: (each: Pending) =>
          hasExpired(each)
            ? badge(t.expired, "warn")
            : each.mailed_at === null || each.mail_failed
            ? badge(t.notSent, "bad")
            : badge(t.waiting, "quiet"),
      },
      {
        name: t.validUntil,
        value: ({ expires_at }: Pending) => ago(expires_at, locale),
      },
      {
        name: t.actions,
        kind: "act" as const,
        value: (each: Pending) =>
          mayEdit(each)
            ? html`<span class="acts"><button type="button" ?disabled=${sending.isBusy}
              aria-label=${t.sendAgainTo(each.email)} @click=${() =>
              sendAgain(each)}>${t.sendAgain}</button>
              <button type="button" aria-label=${t.withdrawOf(each.email)} @click=${() =>
              ask({ kind: "withdraw", invitation: each }, app)}>${t.withdraw}</button></span>`
            : nothing,
      },
    ];
  }

  /** The company's rule for second factors, which owners change. */
  function rule(app: App): TemplateResult {
    const { t: { members: t } } = app;
    const without =
      people.filter(({ role, has_second_factor }) => role !== "agent" && !has_second_factor).length;
    const change = () =>
      sending.run(app, async () => {
        const values = { company_id: app.company.id, required: !isRequired };
        await call(app, "require_second_factor", values);
        app.reload();
        app.say(isRequired ? t.rule.endedSaid : t.rule.requiredSaid);
      });
    return html`
      <section class="card rule">
        <h2>${t.rule.title}</h2>
        <p>${isRequired ? t.rule.required : t.rule.optional} ${!isRequired && without > 0
          ? t.rule.without(without)
          : nothing}</p>
        <p
          class="buttons"><button type="button" ?disabled=${sending
            .isBusy} @click=${change}>${isRequired ? t.rule.end : t.rule.require}</button></p>
      </section>
    `;
  }

  return { title: (t) => t.menu.members, load, html: view };
}

/** Capitalises the first letter of a text. */
function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
