import { html, nothing, type TemplateResult } from "lit-html";
import { Action } from "../action.ts";
import type { App } from "../app.ts";
import { moment } from "../moments.ts";
import { type Step, timeline } from "../pieces/timeline.ts";
import { deliveriesOf, type Delivery, stepsOf } from "./delivery.ts";
import { call, type Webhook } from "./webhook.ts";

/** How long the page looks for the result, and how often. */
const WATCH_MS = 2 * 60_000;
const OFTEN_MS = 1_000;

/**
 * A button that delivers a test event. Below the button, the view shows the progress and the
 * receiver's response.
 */
export class TestEvent {
  readonly #sending = new Action();
  #eventId: string | null = null;
  #delivery: Delivery | null = null;
  #hasWaitedLong = false;

  html(webhook: Webhook, app: App): TemplateResult {
    const { t: { deliveries: { test: t } } } = app;
    const isOff = webhook.state === "off" || webhook.state === "paused";
    return html`
      <section class="card" aria-labelledby="test">
        <h2 id="test">${t.title}</h2>
        <p>${isOff ? t.notNow : t.lead}</p>
        ${isOff ? nothing : html`
          <p class="buttons">
            <button type="button" ?disabled=${this.#sending.isBusy}
              @click=${() => this.#press(webhook, app)}>${t.button}</button>
          </p>
        `}
        ${this.#sending.html(app.t)}
        ${this.#eventId === null ? nothing : this.#shown(app)}
      </section>
    `;
  }

  #shown(app: App): TemplateResult {
    const { t: { deliveries: t }, locale } = app;
    const found = this.#delivery;
    const tries = found ? stepsOf(found, t) : [];
    const last: Step[] = found?.state === "delivered" ? [] : [{
      title: this.#hasWaitedLong ? t.test.late : t.test.waiting,
      at: null,
      tone: "quiet",
      more: found?.next_attempt_at && tries.length > 0
        ? app.t.webhooks.nextAt(moment(found.next_attempt_at, locale))
        : nothing,
    }];
    return html`
      <div id="test-result" tabindex="-1" role="group" aria-label=${t.test.result}>
        ${timeline([...tries, ...last], locale)}
      </div>
    `;
  }

  #press(webhook: Webhook, app: App) {
    void this.#sending.run(app, async () => {
      this.#delivery = null;
      this.#hasWaitedLong = false;
      const { event_id } = await call<{ event_id: string }>(app, "test_webhook", {
        webhook_id: webhook.id,
      });
      this.#eventId = event_id;
      app.render();
      document.getElementById("test-result")?.focus();
      this.#watch(webhook, event_id, Date.now(), app);
    });
  }

  /** Checks for the result while the page is visible. */
  #watch(webhook: Webhook, eventId: string, began: number, app: App) {
    const look = async () => {
      const isShown = document.getElementById("test-result") !== null;
      if (!isShown || this.#eventId !== eventId) return;
      const attempts = this.#delivery?.attempts ?? 0;
      // A check that fails is not shown, because the next check follows soon.
      if (!document.hidden) {
        const found = await deliveriesOf(app, webhook.id, { type: "webhook.test", most: 10 })
          .catch(() => null);
        const own = found?.data.filter(({ event_id }) => event_id === eventId) ?? [];
        // An event that was delivered again has several entries.
        this.#delivery = own.find(({ state }) => state === "delivered") ?? own[0] ??
          this.#delivery;
      }
      const waited = Date.now() - began;
      this.#hasWaitedLong = waited > 20_000;
      if ((this.#delivery?.attempts ?? 0) !== attempts) {
        const { state } = this.#delivery!;
        // The state and the log of the webhook have changed too.
        app.reload();
        app.say(
          state === "delivered" ? app.t.deliveries.test.arrived : app.t.deliveries.test.failed,
        );
      }
      app.render();
      if (this.#delivery?.state === "delivered" || waited > WATCH_MS) return;
      setTimeout(look, OFTEN_MS);
    };
    setTimeout(look, OFTEN_MS / 2);
  }
}
