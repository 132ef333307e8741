import { html, nothing, type TemplateResult } from "lit-html";
import type { App } from "../app.ts";
import { answered } from "../failure.ts";
import { COLUMNS, type ErrorKind } from "../requests/error_kind.ts";
import { errorsOf } from "../requests/errors.ts";
import type { Part } from "../view.ts";
import { chartOf } from "./chart.ts";
import { countsTableOf } from "./counts_table.ts";
import { lastDays, zoneOfDays } from "./days.ts";
import { type Figures, figuresIn } from "./figures.ts";
import { type Outcome, outcomeOf, OUTCOMES } from "./outcome.ts";
import { Reading } from "./reading.ts";
import { type Series, seriesOf } from "./series.ts";

/** The number of requests with the key that got this status on this day of the user's time zone. */
interface Usage {
  day: string;
  status: number;
  requests: number;
}

const FILLS = { succeeded: "plain", refused: "striped", failed: "barred" } as const;

/** The number of errors to show. The requests view shows all of them. */
const AT_A_GLANCE = 5;

/** The days that the chart shows, today included. */
const DAYS = 30;

/** A key's activity: the requests of the last 30 days, and the latest errors. */
export function keyActivity(keyId: string): Part {
  return new KeyActivity(keyId);
}

class KeyActivity implements Part {
  #usage: Usage[] = [];
  #errors: ErrorKind[] = [];
  #reading = new Reading();

  readonly #keyId: string;

  constructor(keyId: string) {
    this.#keyId = keyId;
  }

  async load({ project: { client }, company }: App): Promise<void> {
    [this.#usage, this.#errors] = await Promise.all([
      answered<Usage[]>(
        client.rpc("requests_by_status", {
          ...{ company_id: company.id, key_id: this.#keyId, days: DAYS, zone: zoneOfDays() },
        }),
      ),
      answered<ErrorKind[]>(
        client.from("api_key_errors").select(COLUMNS).eq("company_id", company.id)
          .eq("key_id", this.#keyId).order("last_at", { ascending: false })
          .order("id", { ascending: false }).limit(AT_A_GLANCE + 1),
      ),
    ]);
    this.#reading.at = new Date();
  }

  html(app: App): TemplateResult {
    const t = app.t.activity;
    const figures = figuresIn(app.locale);
    const days = lastDays(DAYS, this.#reading.at);
    const outcomes = seriesOf(
      this.#usage.map(({ day, status, requests }) => ({
        ...{ day, kind: outcomeOf(status), count: requests },
      })),
      [...OUTCOMES],
      days,
    );
    const statuses = [...new Set(this.#usage.map(({ status }) => status))].sort((a, b) => a - b);
    const byStatus = seriesOf(
      this.#usage.map(({ day, status, requests }) => ({ day, kind: status, count: requests })),
      statuses,
      days,
    );
    return html`
      <section class="card" aria-labelledby="requests">
        ${chartOf({
          id: "requests",
          title: titleOf(outcomes, app, figures),
          series: outcomes,
          names: t.outcomes,
          hints: t.outcomeHints,
          fills: FILLS,
          words: t,
        }, figures)}
        ${outcomes.total === 0 ? nothing : countsTableOf({
          ...{ title: t.requestsTable, series: byStatus, day: t.day, all: t.all },
          name: (status) => String(status),
        }, figures)}
        ${this.#reading.html(this, t.countedLate, app)}
      </section>
      ${this.#lastErrors(app)}
    `;
  }

  #lastErrors(app: App): TemplateResult {
    const { t: { requests: t } } = app;
    const list = app.href(`requests?key=${this.#keyId}`);
    return html`
      <section class="errors-of-key" aria-labelledby="errors">
        <h2 id="errors">${t.errorsOfKey}</h2>
        ${this.#errors.length === 0
          ? html`<p>${t.noErrorsOfKey}</p>`
          : errorsOf(this.#errors.slice(0, AT_A_GLANCE), null, app)}
        ${this.#errors.length > AT_A_GLANCE
          ? html`<p><a href=${list}>${t.allOfKey}</a></p>`
          : nothing}
      </section>
    `;
  }
}

/**
 * A sentence that says how many requests failed. If no request failed, the sentence says how many
 * were refused, or that all requests succeeded.
 */
function titleOf(series: Series<Outcome>, { t: { activity: t } }: App, figures: Figures): string {
  if (series.total === 0) return t.noRequests;
  const requests = t.requests(series.total, figures.whole(series.total));
  const { failed, refused } = Object.fromEntries(series.totals) as Record<Outcome, number>;
  if (failed > 0) return t.someFailed(requests, figures.whole(failed));
  if (refused > 0) return t.someRefused(requests, figures.whole(refused));
  return t.allSucceeded(requests);
}
