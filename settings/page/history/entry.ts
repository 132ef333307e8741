import { html, nothing, type TemplateResult } from "lit-html";
import type { App } from "../app.ts";
import { SCOPES } from "../keys/api_key.ts";
import { moment, when } from "../moments.ts";
import type { Member } from "../project.ts";
import { shortAddress } from "../short_address.ts";
import type { HistoryTexts } from "../texts/en/history.ts";

/** An event in a company's history, as the page reads it. An event concerns at most one object. */
export interface CompanyEvent {
  id: string;
  key_id: string | null;
  /** The name of the key after the event. */
  key_name: string | null;
  /** The last characters of the key. */
  key_hint: string | null;
  member_id: string | null;
  /** The name of the member after the event; null when the member had no name. */
  member_name: string | null;
  account_id: string | null;
  /** The phone number of the account. */
  account_name: string | null;
  /** The webhook's URL, without its query string. */
  webhook_address: string | null;
  /** An invited person's e-mail address. */
  invited_email: string | null;
  /** The action, such as `created`. Later versions of the platform may have more actions. */
  action: string;
  details: Details;
  actor_kind: "person" | "key" | "platform" | "database";
  actor_id: string | null;
  /**
   * The member's name before the event, or the e-mail address if the member had no name. If the
   * actor is a key, the key's name.
   */
  actor_name: string | null;
  client_address: string | null;
  created_at: string;
}

/** The details of an event. They depend on the action. */
interface Details {
  /** The reason why a webhook was switched off. */
  why?: string | null;
  /** The name of an app at Meta. */
  app?: string;
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
  const { client_address, created_at } = event;
  return html`
    <p>
      <b>${deedOf(event, t)}</b>
      <span class="subject">${subjectOf(event, members, app)}</span>
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

/** The object that the event concerns. A link leads to all history entries about this object. */
function subjectOf(event: CompanyEvent, members: Member[], app: App) {
  const { key_id, key_name, key_hint, member_id, member_name, account_id, account_name } = event;
  if (member_id) return personOf(member_id, member_name, members, app);
  if (key_id) {
    return html`<a href=${
      app.href(`history?key=${key_id}`)
    }><bdi>${key_name}</bdi></a> <code>sk_live_…${key_hint}</code>`;
  }
  if (account_id) {
    return html`<a href=${
      app.href(`history?account=${account_id}`)
    }><bdi>${account_name}</bdi></a>`;
  }
  const { invited_email, webhook_address, details } = event;
  const named = invited_email ?? (webhook_address ? shortAddress(webhook_address) : details.app);
  return named ? html`<bdi>${named}</bdi>` : nothing;
}

function actorOf(
  { actor_kind, actor_id, actor_name }: CompanyEvent,
  members: Member[],
  app: App,
): TemplateResult {
  const { t: { history: t } } = app;
  if (actor_kind === "platform") return html`${t.platform}`;
  if (actor_kind === "database") return html`${t.database}`;
  if (actor_kind === "key") {
    return html`${t.ofKey} <a href=${app.href(`keys/${actor_id}`)}><bdi>${actor_name}</bdi></a>`;
  }
  if (!actor_id) return html`<bdi>${actor_name ?? t.unknownPerson}</bdi>`;
  return personOf(actor_id, actor_name, members, app);
}

/**
 * A member: the current name, the earlier name if it differs, and the beginning of the id. The id
 * is shown because two people may have the same name, but never the same id.
 */
function personOf(
  id: string,
  then: string | null,
  members: Member[],
  app: App,
): TemplateResult {
  const { t, person } = app;
  const member = members.find(({ user_id }) => user_id === id);
  const now = member?.name ?? then ?? (member ? t.people.nameless(t.roles[member.role]) : null);
  const notes = [
    id === person.id ? t.people.you : null,
    !member && now ? t.history.hasLeft : null,
    then && then !== now ? t.history.calledThen(then) : null,
  ].filter((note) => note !== null);
  return html`<a href=${app.href(`history?person=${id}`)}><bdi>${now ?? t.people.former}</bdi></a>${
    notes.length > 0
      ? html`
        <bdi>(${notes.join(", ")})</bdi>
      `
      : nothing
  } <code title=${id}>${id.slice(0, 8)}</code>`;
}

function deedOf(
  { action, details, member_id, actor_id }: CompanyEvent,
  t: HistoryTexts,
): string {
  if (action === "created" && details.replaces) return t.createdAsSuccessor;
  const isOwnDeed = member_id !== null && member_id === actor_id;
  if (isOwnDeed && action === "member_added") return t.joined;
  if (isOwnDeed && action === "member_removed") return t.left;
  const deeds: Record<string, string> = t.deeds;
  return Object.hasOwn(deeds, action) ? deeds[action] : action;
}

function detailsOf({ action, details }: CompanyEvent, app: App): string[] {
  const { t: { history: t } } = app;
  const { scopes, expires_at, ends_at, role, from, to } = details;
  const said = [];
  const whys: Record<string, string> = t.whys;
  if (details.why && Object.hasOwn(whys, details.why)) said.push(whys[details.why]);
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

/** Describes an old or a new value. */
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
