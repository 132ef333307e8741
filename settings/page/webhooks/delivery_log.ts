import { html, nothing, type TemplateResult } from "lit-html";
import { Action } from "../action.ts";
import type { App } from "../app.ts";
import { exactly, fromNow, moment } from "../moments.ts";
import { badge } from "../pieces/badge.ts";
import { emptyState } from "../pieces/empty_state.ts";
import { filterBar } from "../pieces/filter_bar.ts";
import { timeline } from "../pieces/timeline.ts";
import { deliveriesOf, type Delivery, type Place, stateOf, STATES, stepsOf } from "./delivery.ts";
import { call, HAPPENINGS, RESOURCES, typeName, type Webhook } from "./webhook.ts";

/**
 * For each page, the database searches at most 5,000 deliveries, so a page may be empty before the
 * end of the log. The view reads at most this many pages until it finds a match.
 */
const PATIENCE = 4;

/** The deliveries of a webhook, done and waiting, with their attempts and with filters. */
export class DeliveryLog {
  #found: Delivery[] = [];
  #next: Place | null = null;
  readonly #reading = new Action();
  readonly #redelivering = new Action();
  /** The rows whose attempts are shown. They stay open when the log is read again. */
  readonly #open = new Set<string>();
  #turn = 0;

  constructor(private readonly webhook: () => Webhook) {}

  get #id(): string {
    return this.webhook().id;
  }

  async load(app: App): Promise<void> {
    const turn = ++this.#turn;
    const page = await this.#read(app, null);
    if (turn !== this.#turn) return;
    this.#found = page.data;
    this.#next = page.next;
  }

  async #read(app: App, after: Place | null) {
    const [state, type] = ["state", "type"].map((name) => app.query.get(name));
    let page = { data: [] as Delivery[], next: after };
    for (let looked = 0; looked < PATIENCE; looked++) {
      page = await deliveriesOf(app, this.#id, { state, type, after: page.next });
      if (page.data.length > 0 || page.next === null) break;
    }
    return page;
  }

  html(webhook: Webhook, app: App): TemplateResult {
    const { t: { deliveries: t }, query } = app;
    const isFiltered = query.size > 0;
    const refresh = () =>
      this.#reading.run(app, async () => {
        await this.load(app);
        app.say(t.refreshed);
      });
    return html`
      <section class="log deliveries" aria-labelledby="log">
        <div class="head">
          <h2 id="log">${t.log}</h2>
          <p class="buttons"><button type="button" ?disabled=${this.#reading.isBusy}
            @click=${refresh}>${t.refresh}</button></p>
        </div>
        ${isFiltered || this.#found.length > 0
          ? filterBar(`webhooks/${this.#id}`, this.#filters(app), app)
          : nothing}
        ${this.#redelivering.html(app.t)}
        ${this.#found.length > 0
          ? html`<ol class="card">${this.#found.map((each) => this.#row(each, webhook, app))}</ol>`
          : emptyState({
            title: isFiltered ? t.noneFound : t.none,
            why: isFiltered ? t.noneFoundWhy : t.noneWhy,
          })}
        ${this.#reading.html(app.t)}
        ${this.#next === null ? nothing : html`
          <p class="buttons"><button type="button" ?disabled=${this.#reading.isBusy}
            @click=${() => this.#older(app)}>${app.t.frame.older}</button></p>
        `}
      </section>
    `;
  }

  #filters({ t: { deliveries: t, webhooks } }: App) {
    const groups = RESOURCES.flatMap((resource): [string, string][] => [
      [`${resource}.*`, typeName(`${resource}.*`, webhooks)],
      ...HAPPENINGS[resource].map((each): [string, string] => {
        const type = `${resource}.${each}`;
        return [type, typeName(type, webhooks)];
      }),
    ]);
    return [
      {
        ...{ kind: "choice" as const, name: "state", label: t.state },
        choices: [["", t.any], ...STATES.map((each) => [each, t.states[each]])] as [
          string,
          string,
        ][],
      },
      {
        ...{ kind: "choice" as const, name: "type", label: t.type },
        choices: [["", t.any] as [string, string], ...groups],
      },
    ];
  }

  #row(delivery: Delivery, webhook: Webhook, app: App): TemplateResult {
    const { t: { deliveries: t, webhooks }, locale } = app;
    const { event_id, type, timestamp, ended_at, next_attempt_at, tries } = delivery;
    const { tone, words } = stateOf(delivery, t);
    const key = `${event_id} ${ended_at}`;
    const toggled = ({ target }: Event) => {
      if ((target as HTMLDetailsElement).open) this.#open.add(key);
      else this.#open.delete(key);
    };
    const mayRedeliver = webhook.state === "on" || webhook.state === "catching_up";
    return html`
      <li tabindex="-1">
        <details ?open=${this.#open.has(key)} @toggle=${toggled}>
          <summary>
            <span class="happened">${typeName(type, webhooks)}</span>
            ${badge(words, tone)}
            <time datetime=${timestamp}>${exactly(timestamp, locale)}</time>
          </summary>
          <dl class="asked">
            <div><dt>${t.type}</dt> <dd><code>${type}</code></dd></div>
            <div><dt>${t.eventId}</dt> <dd><code>${event_id}</code></dd></div>
            <div><dt>${t.recordId}</dt> <dd><code>${delivery.record_id}</code></dd></div>
          </dl>
          ${tries.length > 0 ? timeline(stepsOf(delivery, t), locale) : html`<p>${t.noTry}</p>`}
          ${next_attempt_at && tries.length > 0
            ? html`<p class="hint">${
              app.t.webhooks.nextAt(
                `${moment(next_attempt_at, locale)} (${fromNow(next_attempt_at, locale)})`,
              )
            }</p>`
            : nothing}
          ${mayRedeliver
            ? html`<p class="buttons"><button type="button" ?disabled=${this.#redelivering.isBusy}
              @click=${() => this.#redeliver(delivery, app)}>${
              delivery.state === "waiting" ? t.deliverNow : t.deliverAgain
            }</button></p>`
            : nothing}
        </details>
      </li>
    `;
  }

  #redeliver({ event_id }: Delivery, app: App) {
    return this.#redelivering.run(app, async () => {
      await call(app, "redeliver_event", { webhook_id: this.#id, event_id });
      await this.load(app);
      app.say(app.t.deliveries.queued);
      // The delivery that now waits has a row of its own.
      this.#focusRow(this.#found.findIndex((each) => each.event_id === event_id));
    });
  }

  #focusRow(place: number) {
    document.querySelectorAll<HTMLElement>(".deliveries ol.card > li")[place]?.focus();
  }

  #older(app: App) {
    return this.#reading.run(app, async () => {
      const [turn, known] = [this.#turn, this.#found.length];
      const page = await this.#read(app, this.#next);
      if (turn !== this.#turn) return;
      this.#found = [...this.#found, ...page.data];
      this.#next = page.next;
      app.say(app.t.frame.olderShown(page.data.length));
      this.#focusRow(known);
    });
  }
}
