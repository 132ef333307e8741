// The dialogs that ask for confirmation before a webhook is changed.
import { html, nothing, type TemplateResult } from "lit-html";
import { Action } from "../action.ts";
import type { App } from "../app.ts";
import { closeDialog, dialog } from "../dialog.ts";
import { Failure } from "../failure.ts";
import { moment } from "../moments.ts";
import { keepSecret } from "./secret_once.ts";
import { call, changeWebhook, rotateSecret, type Webhook } from "./webhook.ts";

/** A change that is made only after the user has confirmed it. */
export type AskedChange = "rotate" | "pause" | "switchOn" | "replay" | "delete";

/** An open question. */
export interface Asked {
  change: AskedChange;
  action: Action;
}

/** The number of hours for which the previous secret also signs deliveries. */
const OVERLAPS = [0, 24, 168] as const;
const USUAL_OVERLAP = 24;

/** How far back a replay may begin, in hours. The log keeps events for 30 days. */
const REPLAYS = [1, 24, 168, 719] as const;

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/**
 * The dialog that asks about a change, with its fields. @param closed is called after the dialog
 * was closed.
 */
export function questionOf(
  webhook: Webhook,
  { change, action }: Asked,
  app: App,
  closed: () => void,
): TemplateResult {
  const { t } = app;
  const { webhook: { changes } } = t;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const fields = new FormData(event.target as HTMLFormElement);
    return action.run(app, () => DOES[change](webhook, fields, app));
  };
  return dialog(
    action,
    changes[change].title,
    html`
      <form novalidate @submit=${submit}>
        <p>${changes[change].text}</p>
        ${FIELDS[change](webhook, app)}
        ${action.html(t)}
        <p class="buttons">
          <button class=${change === "delete" ? "main danger" : "main"}
            ?disabled=${action.isBusy}>${changes[change].submit}</button>
          <button type="button" ?autofocus=${change === "delete"}
            @click=${closeDialog}>${t.frame.cancel}</button>
        </p>
      </form>
    `,
    closed,
  );
}

const FIELDS: Record<AskedChange, (webhook: Webhook, app: App) => unknown> = {
  rotate: (_webhook, { t: { webhook: t } }) =>
    choices("overlap", t.overlap, OVERLAPS, USUAL_OVERLAP, (hours) => t.overlaps[hours]),
  pause: () => nothing,
  switchOn: (webhook, app) => {
    const { t: { webhook: t }, locale } = app;
    return webhook.switched_off_at
      ? html`
        <label class="check">
          <input type="checkbox" name="missed" checked>
          <span>${t.alsoMissed(moment(webhook.switched_off_at, locale))}</span>
        </label>
      `
      : nothing;
  },
  replay: (webhook, { t: { webhook: t, webhooks } }) =>
    html`
      ${choices("hours", t.since, REPLAYS, 24, (hours) => t.periods[hours])}
      <label for="replay-type">${t.replayTypes}</label>
      <select id="replay-type" name="type">
        <option value="">${t.allItsTypes}</option>
        ${webhook.types.map((type) =>
          html`<option value=${type}>${type === "*" ? webhooks.everything : type}</option>`
        )}
      </select>
    `,
  delete: () => nothing,
};

function choices<Value extends number>(
  name: string,
  legend: string,
  values: readonly Value[],
  usual: Value,
  words: (value: Value) => string,
): TemplateResult {
  return html`
    <fieldset>
      <legend>${legend}</legend>
      ${values.map((value) =>
        html`
          <label class="choice">
            <input type="radio" name=${name} value=${value} ?checked=${value === usual}
              ?autofocus=${value === usual}>
            <span><b>${words(value)}</b></span>
          </label>
        `
      )}
    </fieldset>
  `;
}

const DOES: Record<
  AskedChange,
  (webhook: Webhook, fields: FormData, app: App) => Promise<void>
> = {
  async rotate(webhook, fields, app) {
    const itsPage = app.href(`webhooks/${webhook.id}`);
    const made = await rotateSecret(app, webhook, Number(fields.get("overlap"))).catch(
      (error) => {
        if (!(error instanceof Failure) || error.kind !== "unanswered") throw error;
        throw new Failure("unanswered", "", (t) => t.webhook.maybeRotated);
      },
    );
    keepSecret(made);
    closeDialog();
    // The webhook's page shows the secret when the page is loaded. The user may be on another page.
    if (location.hash.split("?", 1)[0] === itsPage) app.reload();
    else app.go(itsPage);
  },

  async pause(webhook, _fields, app) {
    await changeWebhook(app, webhook, { state: "paused" });
    done(app.t.webhook.changes.pause.done, app);
  },

  async switchOn(webhook, fields, app) {
    await changeWebhook(app, webhook, { state: "on" });
    if (fields.get("missed")) {
      await call(app, "replay_webhook", { webhook_id: webhook.id, since: sinceOf(webhook) });
    }
    done(app.t.webhook.changes.switchOn.done, app);
  },

  async replay(webhook, fields, app) {
    const type = String(fields.get("type"));
    await call(app, "replay_webhook", {
      webhook_id: webhook.id,
      since: new Date(Date.now() - Number(fields.get("hours")) * HOUR_MS).toISOString(),
      types: type === "" ? null : [type],
    });
    done(app.t.webhook.changes.replay.done, app);
  },

  async delete(webhook, _fields, app) {
    const list = app.href("webhooks");
    await call(app, "delete_webhook", { webhook_id: webhook.id });
    closeDialog();
    app.go(list, true);
    app.say(app.t.webhook.changes.delete.done);
  },
};

/**
 * A time before all events that a webhook has missed. While a webhook is off, `failing_since` is
 * not later than the oldest event that was waiting. A change that was being saved when the webhook
 * was switched off may have happened up to a minute earlier. The returned time is always less than
 * 30 days ago, because the log has no older events.
 */
function sinceOf({ switched_off_at, failing_since }: Webhook): string {
  const missed = Date.parse(failing_since ?? switched_off_at!) - MINUTE_MS;
  return new Date(Math.max(missed, Date.now() - 719 * HOUR_MS)).toISOString();
}

function done(said: string, app: App) {
  closeDialog();
  app.reload();
  app.say(said);
}
