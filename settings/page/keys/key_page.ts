import { html, nothing, type TemplateResult } from "lit-html";
import { Action } from "../action.ts";
import { type App, isManager } from "../app.ts";
import { HeldPart } from "../held_part.ts";
import { later } from "../later.ts";
import { when } from "../moments.ts";
import { loading } from "../pieces/loading.ts";
import { type Member, membersOf } from "../project.ts";
import type { View } from "../view.ts";
import {
  type ApiKey,
  goneKey,
  keysOf,
  predecessorOf,
  SCOPES,
  stateOf,
  successorOf,
  updateKey,
} from "./api_key.ts";
import { type Asked, type AskedChange, newQuestion, questionOf } from "./key_changes.ts";
import { expiryOf, hintOf, lastUseOf, makerOf, stateBadge, whoMay } from "./key_words.ts";
import { takeMade } from "./made_key.ts";
import { ShownOnce } from "./shown_once.ts";

/**
 * The view of one key: what the key may do, its state, its possible changes, and the requests that
 * programs made with it.
 */
export function keyPage(id: string): View {
  let keys: ApiKey[] = [];
  let members: Member[] = [];
  /** The change that the open dialog asks about. */
  let asked: Asked | null = null;
  const switching = new Action();
  const activity = new HeldPart(
    later(async () => (await import("../activity/key_activity.ts")).keyActivity(id), {
      texts: ["activity", "requests"],
      styles: ["activity", "requests"],
    }),
  );
  const handing = new HeldPart(
    later(async () => (await import("./hand_over.ts")).handOver(() => keyIn(keys)), {
      texts: ["handOver"],
    }),
  );
  const made = takeMade(id);
  let once = made && new ShownOnce(made, () => once = null);

  const keyIn = (keys: ApiKey[]) => keys.find((key) => key.id === id)!;

  const load = async (app: App) => {
    // A new key is shown before any request that could fail, because the key is not stored anywhere
    // else.
    if (once) return void once.load(app).then(() => app.render());
    const mayManage = isManager(app.company);
    [members, keys] = await Promise.all([
      membersOf(app.project, app.company),
      mayManage ? keysOf(app) : [],
    ]);
    if (!mayManage) return;
    if (!keys.some((key) => key.id === id)) throw goneKey();
    activity.load(app);
    handing.load(app);
  };

  const view = (app: App): TemplateResult => {
    const { t } = app;
    if (once) return once.html(app);
    if (!isManager(app.company)) return whoMay(members, app);
    // The user has stored the new key, and the page has not loaded the company's keys yet.
    if (keys.length === 0) return loading(t);
    const key = keyIn(keys);
    return html`
      <p class="what">
        ${stateBadge(key, successorOf(key, keys), app)} ${hintOf(key)}
        <a class="back" href=${app.href("keys")}>${t.keys.back}</a>
      </p>
      <section class="card" aria-labelledby="facts">
        <h2 id="facts">${t.keys.facts}</h2>
        ${pair(key, app)}
        ${facts(key, app)}
      </section>
      <section class="card" aria-labelledby="changes">
        <h2 id="changes">${t.keys.changes}</h2>
        ${changes(key, app)}
        ${switching.html(t)}
      </section>
      ${activity.html(app)}
      ${handing.html(app)}
      ${asked ? questionOf(key, keys, asked, app, () => (asked = null, app.render())) : nothing}
    `;
  };

  /** The key's predecessor and successor. */
  const pair = (key: ApiKey, app: App) => {
    const { t } = app;
    const successor = successorOf(key, keys);
    const predecessor = predecessorOf(key, keys);
    const to = (other: ApiKey) =>
      html`<a href=${app.href(`keys/${other.id}`)}><bdi>${other.name}</bdi> ${hintOf(other)}</a>`;
    return html`
      ${successor ? html`<p class="note">${t.keys.replacedBy} ${to(successor)}</p>` : nothing}
      ${predecessor ? html`<p class="note">${t.keys.replacing} ${to(predecessor)}</p>` : nothing}
    `;
  };

  const facts = (key: ApiKey, app: App) => {
    const { t, locale } = app;
    return html`
      <dl>
        <div>
          <dt>${t.keys.key}</dt>
          <dd>${hintOf(key)} <small>${t.keys.keyHint}</small></dd>
        </div>
        <div>
          <dt>${t.keys.scopes}</dt>
          <dd>
            <ul class="allowed">${SCOPES.filter((scope) => key.scopes.includes(scope)).map((
              scope,
            ) =>
              html`<li><b>${t.scopes[scope].name}</b> <span>${t.scopes[scope].allows}</span></li>`
            )}</ul>
          </dd>
        </div>
        <div>
          <dt>${t.keys.createdBy}</dt>
          <dd>${makerOf(key, members, app)}, ${when(key.created_at, locale)}</dd>
        </div>
        <div>
          <dt>${t.keys.lastUse}</dt>
          <dd>${lastUseOf(key, app)}</dd>
        </div>
        <div>
          <dt>${t.keys.expiry}</dt>
          <dd>${expiryOf(key, app)}${key.expires_at
            ? html`
              (${when(key.expires_at, locale)})
            `
            : nothing}</dd>
        </div>
      </dl>
    `;
  };

  const changes = (key: ApiKey, app: App) => {
    const { t } = app;
    const ask = (change: AskedChange) => () => {
      asked = newQuestion(change, key, keys);
      asked.webhooks?.load(app);
      app.render();
    };
    const switchOn = () =>
      switching.run(app, async () => {
        await updateKey(app, key, { is_active: true });
        app.reload();
        app.say(t.keys.switchedOn);
      });
    const button = (words: string, click: () => void, kind = "") =>
      html`
        <button type="button" class=${kind} ?disabled=${switching.isBusy}
          @click=${click}>${words}</button>
      `;
    return html`<div class="buttons">
      ${button(t.change.rename.button, ask("rename"))}
      ${successorOf(key, keys) ? nothing : button(t.change.rotate.button, ask("rotate"))}
      ${stateOf(key) === "expired" ? nothing : button(t.change.expiry.button, ask("expiry"))}
      ${
      stateOf(key) === "expired"
        ? nothing
        : key.is_active
        ? button(t.change.switchOff.button, ask("switchOff"))
        : button(t.keys.switchOn, switchOn)
    }
      ${button(t.change.delete.button, ask("delete"), "danger")}
    </div>`;
  };

  return {
    title: (t) => (once ? made : keys.find((key) => key.id === id))?.name ?? t.keys.one,
    load,
    html: view,
    holds: { isThere: () => once !== null, ask: (app, leave) => once?.ask(app, leave) },
  };
}
