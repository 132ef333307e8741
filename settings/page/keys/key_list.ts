import { html, nothing, type TemplateResult } from "lit-html";
import { type App, isManager } from "../app.ts";
import { type Member, membersOf } from "../project.ts";
import { emptyState } from "../pieces/empty_state.ts";
import type { View } from "../view.ts";
import { type ApiKey, keysOf, stateOf, successorOf, typable } from "./api_key.ts";
import { alarmBadge, alarmOf, alarmText, type Answers, answersOf } from "./key_alarm.ts";
import { expiryOf, hintOf, lastUseOf, makerOf, scopesOf, stateBadge, whoMay } from "./key_words.ts";

/** If there are more keys than this number, the view shows a search field. */
const MANY = 12;

/**
 * Every key of the company: first those that work or can be switched on again, then those that have
 * expired.
 */
export function keyList(): View {
  let keys: ApiKey[] = [];
  let members: Member[] = [];
  let answers: Answers[] = [];
  let wanted = "";

  const load = async (app: App) => {
    const mayManage = isManager(app.company);
    [members, keys, answers] = await Promise.all([
      membersOf(app.project, app.company),
      mayManage ? keysOf(app) : [],
      mayManage ? answersOf(app) : [],
    ]);
    // Preloads the views that a user opens from here.
    if (mayManage) import("./one_key.ts").catch(() => {});
  };

  const view = (app: App): TemplateResult => {
    const { t } = app;
    if (!isManager(app.company)) return whoMay(members, app);
    const found = keys.filter(({ name, hint }) =>
      typable(`${name} ${hint}`).toLowerCase().includes(typable(wanted).toLowerCase())
    );
    const ended = found.filter((key) => stateOf(key) === "expired");
    const others = inPairs(found.filter((key) => stateOf(key) !== "expired"));
    return html`
      <p class="lead">${t.keys.lead}</p>
      ${keys.length === 0
        ? emptyState({
          title: t.keys.none,
          why: t.keys.noneWhy,
          next: create(app),
          example: html`<p class="hint">${t.keys.noneExample}</p>`,
        })
        : html`<p class="buttons">${create(app)}</p>`}
      ${keys.length > MANY ? finder(app) : nothing}
      ${keys.length > 0 && found.length === 0
        ? html`<p class="empty">${t.keys.noneFound}</p>`
        : nothing}
      ${rows(others, app)}
      ${ended.length === 0 ? nothing : html`<details class="ended" ?open=${wanted !== ""}>
        <summary>${t.keys.ended(ended.length)}</summary>${rows(ended, app)}</details>`}
    `;
  };

  const create = (app: App) =>
    html`<a class="button main" href=${app.href("keys/new")}>${app.t.keys.create}</a>`;

  const finder = (app: App) =>
    html`<p class="finder"><label for="find">${app.t.keys.find}</label>
      <input id="find" type="search" .value=${wanted} @input=${({ target }: Event) => {
      wanted = (target as HTMLInputElement).value;
      app.render();
    }}></p>`;

  const rows = (listed: ApiKey[], app: App) =>
    listed.length === 0
      ? nothing
      : html`<ul class="keys">${listed.map((key) => row(key, app))}</ul>`;

  const row = (key: ApiKey, app: App): TemplateResult => {
    const { t } = app;
    const successor = successorOf(key, keys);
    const isOld = successor !== undefined && stateOf(key) !== "expired";
    const lately = answers.find(({ key_id }) => key_id === key.id);
    const alarm = alarmOf(key, successor, lately);
    return html`<li class=${isOld ? "old" : ""}>
      <h2><a href=${app.href(`keys/${key.id}`)} dir="auto">${key.name}</a> ${
      alarm ? alarmBadge(alarm, key, app) : stateBadge(key, successor, app)
    }</h2>
      ${isOld ? html`<p class="pair">${t.keys.replacedBy} ${hintOf(successor)}</p>` : nothing}
      ${alarmText(alarm, lately, app)}
      <p class="what">${hintOf(key)} ${scopesOf(key, app)}</p>
      <dl>
        <div><dt>${t.keys.lastUse}</dt><dd>${lastUseOf(key, app)}</dd></div>
        <div><dt>${t.keys.expiry}</dt><dd>${expiryOf(key, app)}</dd></div>
        <div><dt>${t.keys.createdBy}</dt><dd>${makerOf(key, members, app)}</dd></div>
      </dl>
    </li>`;
  };

  return { title: (t) => t.keys.title, load, html: view };
}

/** The keys in display order. A replaced key comes directly after its successor. */
function inPairs(keys: ApiKey[]): ApiKey[] {
  const isThere = (id: string | null) => keys.some((key) => key.id === id);
  const behind = (key: ApiKey): ApiKey[] => {
    const replaced = keys.find(({ id }) => id === key.replaces);
    return replaced ? [replaced, ...behind(replaced)] : [];
  };
  const isReplaced = new Set(keys.map(({ replaces }) => replaces).filter(isThere));
  return keys.filter(({ id }) => !isReplaced.has(id)).flatMap((key) => [key, ...behind(key)]);
}
