import { html, nothing, type TemplateResult } from "lit-html";
import type { App } from "../app.ts";
import { SCOPES } from "../keys/api_key.ts";
import { moment, when } from "../moments.ts";
import type { HistoryTexts } from "../texts/en/history.ts";

/** What was done to a key, as the page reads it. */
export interface KeyEvent {
  id: string;
  key_id: string;
  /** The name after the event. */
  key_name: string;
  /** The last characters of the key. */
  key_hint: string;
  /** Such as `created`; a later version of the platform may have further ones. */
  action: string;
  details: Details;
  actor_kind: "person" | "platform" | "database";
  actor_name: string | null;
  client_address: string | null;
  created_at: string;
}

/** What there is depends on the action. */
interface Details {
  scopes?: string[];
  expires_at?: string | null;
  replaces?: string;
  ends_at?: string | null;
  from?: string | string[] | null;
  to?: string | string[] | null;
}

/** An entry of the history: what was done to which key, by whom, when and from where. */
export function entryOf(event: KeyEvent, app: App): TemplateResult {
  const { t: { history: t }, locale } = app;
  const { key_name, key_hint, client_address, created_at } = event;
  return html`
    <p>
      <b>${deedOf(event, t)}</b>
      <span class="key-name"><bdi>${key_name}</bdi> <code>sk_live_…${key_hint}</code></span>
    </p>
    ${detailsOf(event, app).map((sentence) => html`<p>${sentence}</p>`)}
    <p class="hint">
      ${actorOf(event, t)} · ${when(created_at, locale)}${client_address
        ? html`
          · ${t.from(client_address)}
        `
        : nothing}
    </p>
  `;
}

function actorOf({ actor_kind, actor_name }: KeyEvent, t: HistoryTexts): TemplateResult {
  if (actor_kind === "platform") return html`${t.platform}`;
  if (actor_kind === "database") return html`${t.database}`;
  return html`<bdi>${actor_name ?? t.unknownPerson}</bdi>`;
}

function deedOf({ action, details }: KeyEvent, t: HistoryTexts): string {
  if (action === "created" && details.replaces) return t.createdAsSuccessor;
  const deeds: Record<string, string> = t.deeds;
  return Object.hasOwn(deeds, action) ? deeds[action] : action;
}

function detailsOf({ action, details }: KeyEvent, app: App): string[] {
  const { t: { history: t } } = app;
  const { scopes, expires_at, ends_at, from, to } = details;
  const said = [];
  if (scopes) said.push(t.permissions(permissionsOf(scopes, app)));
  if (expires_at) said.push(t.expires(moment(expires_at, app.locale)));
  if (ends_at) said.push(t.ends(moment(ends_at, app.locale)));
  if (from !== undefined && to !== undefined) {
    const shown = (value: typeof from) => valueOf(action, value, app);
    said.push(t.fromTo(shown(from), shown(to)));
  }
  return said;
}

/** What something was, or is since. */
function valueOf(action: string, value: string | string[] | null | undefined, app: App): string {
  if (value === null || value === undefined) return app.t.history.never;
  if (Array.isArray(value)) return permissionsOf(value, app);
  return action === "expiry_changed" ? moment(value, app.locale) : `“${value}”`;
}

function permissionsOf(scopes: string[], { t }: App): string {
  const known = SCOPES.filter((scope) => scopes.includes(scope)).map((scope) =>
    t.scopes[scope].name
  );
  const others = scopes.filter((scope) => !SCOPES.some((known) => known === scope));
  return [...known, ...others].join(", ");
}
