import { html, nothing, type TemplateResult } from "lit-html";
import { Action } from "../action.ts";
import { type App, isManager } from "../app.ts";
import { answered } from "../failure.ts";
import { HeldPart } from "../held_part.ts";
import { later } from "../later.ts";
import { ago, moment } from "../moments.ts";
import { badge } from "../pieces/badge.ts";
import { facts } from "../pieces/facts.ts";
import { type Member, membersOf } from "../project.ts";
import type { View } from "../view.ts";
import { type Asked, type AskedChange, questionOf } from "./questions.ts";
import { SecretOnce, takeSecret } from "./secret_once.ts";
import { isFailing, nameOf, stateOf, typeName, type Webhook, webhookOf } from "./webhook.ts";
import { countOf } from "./webhook_list.ts";
import { sentenceOfState } from "./webhook_state.ts";

/** The view of one webhook: its state, the possible actions, a test event, and its deliveries. */
export function webhookPage(id: string): View {
  let webhook: Webhook | null = null;
  let members: Member[] = [];
  let keyName: string | null = null;
  let asked: Asked | null = null;
  const received = new HeldPart(
    later(async () => (await import("./deliveries.ts")).deliveries(() => webhook!), {
      texts: ["deliveries"],
      styles: ["sends"],
    }),
  );
  let secretOnce: SecretOnce | null = null;

  async function load(app: App): Promise<void> {
    const made = takeSecret(id);
    if (made !== null) secretOnce = new SecretOnce(made, () => secretOnce = null);
    if (!isManager(app.company)) return;
    [webhook, members] = await Promise.all([
      webhookOf(app, id),
      membersOf(app.project, app.company),
    ]);
    void received.load(app);
    const { created_by_key_id } = webhook;
    if (created_by_key_id === null) return;
    const [key] = await answered<{ name: string }[]>(
      app.project.client.from("api_keys").select("name").eq("id", created_by_key_id),
    );
    keyName = key?.name ?? null;
  }

  const ask = (change: AskedChange, app: App) => {
    asked = { change, action: new Action() };
    app.render();
  };

  function view(app: App): TemplateResult {
    const { t } = app;
    if (!webhook) return html`<p>${t.webhooks.onlyManagers}</p>`;
    const { tone, words } = stateOf(webhook, t.webhooks);
    return html`
      <p class="what">
        ${badge(words, tone)}
        <a class="back" href=${app.href("webhooks")}>${t.webhook.back}</a>
      </p>
      ${secretOnce?.html(app) ?? nothing}
      ${stateBox(webhook, app)}
      <section class="card" aria-labelledby="facts">
        <h2 id="facts">${t.webhook.facts}</h2>
        ${factsOf(webhook, app)}
      </section>
      <section class="card" aria-labelledby="changes">
        <h2 id="changes">${t.webhook.changesTitle}</h2>
        <p class="buttons">${buttons(webhook, app)}</p>
      </section>
      ${received.html(app)}
      ${asked ? questionOf(webhook, asked, app, () => (asked = null, app.render())) : nothing}
    `;
  }

  /** Explains the webhook's state, and offers to switch the webhook on if it is off or paused. */
  function stateBox(webhook: Webhook, app: App): TemplateResult | typeof nothing {
    const { t, locale } = app;
    const says = sentenceOfState(webhook, (at) => moment(at, locale), t.webhooks);
    if (says === null) return nothing;
    const { state, why, paused_until } = webhook;
    const isBad = state === "off" || isFailing(webhook);
    return html`
      <div class=${isBad ? "failure" : "note"}>
        <p>${says}</p>
        ${isBad && state !== "paused" ? html`<p>${todoOf(why, state, app)}</p>` : nothing}
        ${state !== "off" && paused_until && Date.parse(paused_until) > Date.now()
          ? html`<p>${t.webhooks.nextAt(moment(paused_until, locale))}</p>`
          : nothing}
        ${state === "off" || state === "paused"
          ? html`<p class="buttons"><button type="button" class="main" @click=${() =>
            ask("switchOn", app)}>${t.webhook.switchOn}</button></p>`
          : nothing}
      </div>
    `;
  }

  function factsOf(webhook: Webhook, app: App): TemplateResult {
    const { t: { webhook: t, webhooks }, locale } = app;
    const { url, types, payload, last_success_at, open_deliveries } = webhook;
    const { previous_secret_ends_at } = webhook;
    return facts([
      [webhooks.url, html`<code>${url}</code>`],
      [
        webhooks.types,
        html`<ul class="scopes">${
          types.map((type) => html`<li title=${type}>${typeName(type, webhooks)}</li>`)
        }</ul>`,
      ],
      [webhooks.payload, webhooks.payloads[payload]],
      [
        webhooks.lastSuccess,
        last_success_at ? ago(last_success_at, locale) : webhooks.never,
      ],
      [webhooks.waiting, open_deliveries > 0 ? countOf(open_deliveries, locale) : null],
      [
        t.previousSecret,
        previous_secret_ends_at ? t.worksUntil(moment(previous_secret_ends_at, locale)) : null,
      ],
      [t.belongsTo, ownerOf(webhook, app)],
      [t.createdAt, moment(webhook.created_at, locale)],
    ]);
  }

  function ownerOf({ created_by_key_id, created_by }: Webhook, app: App) {
    const { t: { webhook: t } } = app;
    if (created_by_key_id !== null) {
      return html`${t.key} <a href=${app.href(`keys/${created_by_key_id}`)}><bdi>${
        keyName ??
          created_by_key_id.slice(0, 8)
      }</bdi></a>. ${t.endsWithKey}`;
    }
    const maker = members.find(({ user_id }) => user_id === created_by)?.name;
    return maker ? html`${t.company} <bdi>${t.madeBy(maker)}</bdi>` : t.company;
  }

  function buttons({ state }: Webhook, app: App): TemplateResult {
    const { t: { webhook: t, webhooks } } = app;
    const button = (change: AskedChange, words: string, kind = "") =>
      html`<button type="button" class=${kind} @click=${() => ask(change, app)}>${words}</button>`;
    const isDelivering = state === "on" || state === "catching_up";
    return html`
      <a class="button" href=${app.href(`webhooks/${id}/change`)}>${webhooks.change}</a>
      ${button("rotate", t.rotate)}
      ${isDelivering ? button("replay", t.replay) : nothing}
      ${isDelivering ? button("pause", t.pause) : nothing}
      ${button("delete", t.delete, "danger")}
    `;
  }

  return {
    title: (t) => webhook ? nameOf(webhook) : t.menu.webhooks,
    load,
    html: view,
    holds: {
      isThere: () => secretOnce !== null,
      ask: (app, leave) => secretOnce?.ask(app, leave),
    },
  };
}

/** What the user should do about a webhook that is off or fails. */
function todoOf(why: string | null, state: string, { t: { webhook: { todo: t } } }: App): string {
  if (state !== "off") return t.trying;
  return why === "gone" || why === "key_ended" || why === "failing" ? t[why] : t.off;
}
