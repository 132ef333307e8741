import { html, nothing, type TemplateResult } from "lit-html";
import type { App } from "../app.ts";
import { SCOPES } from "../keys/api_key.ts";
import { moment, when } from "../moments.ts";
import type { Member } from "../project.ts";
import type { HistoryTexts } from "../texts/en/history.ts";

/** What was done to a key or a member, as the page reads it. */
export interface CompanyEvent {
  id: string;
  /** The name of the key after the event; null when the event is about a member. */
  key_name: string | null;
  /** The last characters of the key. */
  key_hint: string | null;
  /** Null when the event is about a key. */
  member_id: string | null;
  /** The name of the member after the event; null when the member had no name. */
  member_name: string | null;
  /** For example `created`. A later version of the platform may have other actions too. */
  action: string;
  details: Details;
  actor_kind: "person" | "platform" | "database";
  actor_id: string | null;
  /** The person's name before the event. */
  actor_name: string | null;
  client_address: string | null;
  created_at: string;
}

/** The details of an event. They depend on the action. */
interface Details {
  scopes?: string[];
  expires_at?: string | null;
  replaces?: string;
  role?: string;
  ends_at?: string | null;
  from?: string | string[] | null;
  to?: string | string[] | null;
}

/**
 * An entry of the history. It says what was done to which key or member, who did it, when and from
 * where.
 * @param members the current members of the company.
 */
export function entryOf(event: CompanyEvent, members: Member[], app: App): TemplateResult {
  const { t: { history: t }, locale } = app;
  const { key_name, key_hint, member_id, member_name, client_address, created_at } = event;
  return html`
    <p>
      <b>${deedOf(event, t)}</b>
      <span class="subject">${member_id
        ? personOf(member_id, member_name, members, app)
        : html`<bdi>${key_name}</bdi> <code>sk_live_…${key_hint}</code>`}</span>
    </p>
    ${detailsOf(event, app).map((sentence) => html`<p>${sentence}</p>`)}
    <p class="hint">
      ${actorOf(event, members, app)} · ${when(created_at, locale)}${client_address
        ? html`
          · ${t.from(client_address)}
        `
        : nothing}
    </p>
  `;
}

function actorOf(
  { actor_kind, actor_id, actor_name }: CompanyEvent,
  members: Member[],
  app: App,
): TemplateResult {
  const { t: { history: t } } = app;
  if (actor_kind === "platform") return html`${t.platform}`;
  if (actor_kind === "database") return html`${t.database}`;
  if (!actor_id) return html`<bdi>${actor_name ?? t.unknownPerson}</bdi>`;
  return personOf(actor_id, actor_name, members, app);
}

/**
 * A person by the current name, the earlier name if it differs, and the beginning of the id. The id
 * is shown because another person may take a name, but not an id.
 */
function personOf(
  id: string,
  then: string | null,
  members: Member[],
  { t, person }: App,
): TemplateResult {
  const member = members.find(({ user_id }) => user_id === id);
  const now = member?.name ?? then ?? (member ? t.people.nameless(t.roles[member.role]) : null);
  const notes = [
    id === person.id ? t.people.you : null,
    !member && now ? t.history.hasLeft : null,
    then && then !== now ? t.history.calledThen(then) : null,
  ].filter((note) => note !== null);
  return html`<bdi>${now ?? t.people.former}</bdi>${
    notes.length > 0
      ? html`
        <bdi>(${notes.join(", ")})</bdi>
      `
      : nothing
  } <code title=${id}>${id.slice(0, 8)}</code>`;
}

function deedOf({ action, details }: CompanyEvent, t: HistoryTexts): string {
  if (action === "created" && details.replaces) return t.createdAsSuccessor;
  const deeds: Record<string, string> = t.deeds;
  return Object.hasOwn(deeds, action) ? deeds[action] : action;
}

function detailsOf({ action, details }: CompanyEvent, app: App): string[] {
  const { t: { history: t } } = app;
  const { scopes, expires_at, ends_at, role, from, to } = details;
  const said = [];
  if (role) said.push(t.role(roleOf(role, app)));
  if (scopes) said.push(t.permissions(permissionsOf(scopes, app)));
  if (expires_at) said.push(t.expires(moment(expires_at, app.locale)));
  if (ends_at) said.push(t.ends(moment(ends_at, app.locale)));
  if (from !== undefined && to !== undefined) {
    const shown = (value: typeof from) => valueOf(action, value, app);
    said.push(t.fromTo(shown(from), shown(to)));
  }
  return said;
}

/** An earlier value or a new one, in words. */
function valueOf(action: string, value: string | string[] | null | undefined, app: App): string {
  const { history: t } = app.t;
  if (value === null || value === undefined) {
    return action === "member_renamed" ? t.noName : t.never;
  }
  if (Array.isArray(value)) return permissionsOf(value, app);
  if (action === "member_role_changed") return roleOf(value, app);
  return action === "expiry_changed" ? moment(value, app.locale) : `“${value}”`;
}

function roleOf(role: string, { t: { roles } }: App): string {
  return Object.hasOwn(roles, role) ? roles[role as keyof typeof roles] : role;
}

function permissionsOf(scopes: string[], { t }: App): string {
  const known = SCOPES.filter((scope) => scopes.includes(scope)).map((scope) =>
    t.scopes[scope].name
  );
  const others = scopes.filter((scope) => !SCOPES.some((known) => known === scope));
  return [...known, ...others].join(", ");
}
