// Texts and badges that both the list of keys and a key's page show.
import { html, nothing, type TemplateResult } from "lit-html";
import type { App } from "../app.ts";
import { ago, fromNow } from "../moments.ts";
import { badge } from "../pieces/badge.ts";
import type { Member } from "../project.ts";
import { type ApiKey, SCOPES, stateOf } from "./api_key.ts";

/** A key's permissions, in display order. */
export function scopesOf({ scopes }: ApiKey, { t }: App): TemplateResult {
  return html`<ul class="scopes">${
    SCOPES.filter((scope) => scopes.includes(scope))
      .map((scope) => html`<li>${t.scopes[scope].name}</li>`)
  }</ul>`;
}

/** The prefix that all keys share, and the last characters of this key. */
export function hintOf({ hint }: ApiKey): TemplateResult {
  return html`<code class="hint-of-key">sk_live_…${hint}</code>`;
}

/** Whether a key works, as a badge. @param successor the key that replaces it, if there is one. */
export function stateBadge(key: ApiKey, successor: ApiKey | undefined, app: App): TemplateResult {
  const { t, locale } = app;
  const state = stateOf(key);
  if (state === "active" && successor && key.expires_at) {
    return badge(t.keys.ends(fromNow(key.expires_at, locale)), "warn");
  }
  return badge(t.keys.states[state], state === "active" ? "good" : "quiet");
}

/** When a key was last used. */
export function lastUseOf({ last_used_at }: ApiKey, { t, locale }: App) {
  return last_used_at ? ago(last_used_at, locale) : t.keys.neverUsed;
}

/** When a key ends or has ended. */
export function expiryOf({ expires_at }: ApiKey, { t, locale }: App) {
  return expires_at ? ago(expires_at, locale) : t.keys.neverExpires;
}

/** Who created a key. */
export function makerOf({ created_by }: ApiKey, members: Member[], { t, person }: App) {
  if (!created_by) return t.keys.madeByPlatform;
  if (created_by === person.id) return t.people.you;
  const member = members.find(({ user_id }) => user_id === created_by);
  if (!member) return t.people.former;
  return member.name ? html`<bdi>${member.name}</bdi>` : t.people.nameless(t.roles[member.role]);
}

/** Agents may not see the keys. They see the members who may manage keys. */
export function whoMay(members: Member[], { t, company }: App): TemplateResult {
  const managers = members.filter(({ role }) => role !== "agent");
  return html`<div class="card"><p>${t.keys.agents(company.name)}</p>
    ${
    managers.length === 0 ? nothing : html`
      <p>${t.keys.whoMay}</p>
      <ul>${managers.map(({ name, role }) =>
        html`<li>${
          name ? html`<bdi>${name}</bdi> (${t.roles[role]})` : t.people.nameless(t.roles[role])
        }</li>`
      )}</ul>
    `
  }</div>`;
}
