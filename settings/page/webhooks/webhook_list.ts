import { html, nothing, type TemplateResult } from "lit-html";
import { type App, isManager } from "../app.ts";
import { fromNow, moment } from "../moments.ts";
import { badge } from "../pieces/badge.ts";
import { emptyState } from "../pieces/empty_state.ts";
import type { Part } from "../view.ts";
import {
  addressOf,
  isFailing,
  nameOf,
  stateOf,
  typeName,
  type Webhook,
  webhooksOf,
} from "./webhook.ts";
import { sentenceOfState } from "./webhook_state.ts";

/** The list shows at most this many types of a webhook. */
const NAMED = 3;

/** Every webhook of the company with its state. */
export function webhookList(): Part {
  let webhooks: Webhook[] = [];

  async function load(app: App): Promise<void> {
    if (isManager(app.company)) webhooks = await webhooksOf(app);
  }

  function view(app: App): TemplateResult {
    const { t: { webhooks: t } } = app;
    if (!isManager(app.company)) return html`<p>${t.onlyManagers}</p>`;
    const create = html`<a class="button main" href=${app.href("webhooks/new")}>${t.create}</a>`;
    if (webhooks.length === 0) {
      return emptyState({
        title: t.none,
        why: t.noneWhy,
        next: create,
        example: html`
          <p class="hint">${t.example}</p>
          <pre lang="en" tabindex="0">${EXAMPLE}</pre>
        `,
      });
    }
    return html`
      <p class="lead">${t.lead}</p>
      <p class="buttons">${create}</p>
      <ul class="keys webhooks">${webhooks.map((each) => row(each, app))}</ul>
    `;
  }

  return { load, html: view };
}

function row(webhook: Webhook, app: App): TemplateResult {
  const { t: { webhooks: t }, locale } = app;
  const { tone, words } = stateOf(webhook, t);
  const { description, types, last_success_at, open_deliveries } = webhook;
  const more = types.length - NAMED;
  const says = sentenceOfState(webhook, (at) => moment(at, locale), t);
  return html`
    <li>
      <h2><a href=${app.href(`webhooks/${webhook.id}`)} dir="auto">${nameOf(webhook)}</a>
        ${badge(words, tone)}</h2>
      ${says && (webhook.state === "off" || isFailing(webhook))
        ? html`<p class="todo">${says}</p>`
        : nothing}
      ${description ? html`<p class="what"><code>${addressOf(webhook)}</code></p>` : nothing}
      <ul class="scopes">
        ${types.slice(0, NAMED).map((type) => html`<li>${typeName(type, t)}</li>`)}
        ${more > 0 ? html`<li>${t.moreTypes(more)}</li>` : nothing}
      </ul>
      <dl>
        <div><dt>${t.lastSuccess}</dt><dd>${last_success_at
          ? fromNow(last_success_at, locale)
          : t.never}</dd></div>
        ${open_deliveries > 0
          ? html`
            <div>
              <dt>${t.waiting}</dt>
              <dd>${countOf(open_deliveries, locale)}</dd>
            </div>
          `
          : nothing}
      </dl>
    </li>
  `;
}

/** The number of open deliveries in words. The service counts at most 10,000 of them. */
export function countOf(open: number, locale: string): string {
  return `${new Intl.NumberFormat(locale).format(open)}${open >= 10_000 ? "+" : ""}`;
}

const EXAMPLE = JSON.stringify(
  {
    id: "evt_0193…",
    type: "deal.won",
    timestamp: "2026-11-23T14:05:00+00:00",
    changes: { status: { from: "open", to: "won" } },
    data: { id: "…", title: "Two bicycles", status: "won" },
  },
  null,
  2,
);
