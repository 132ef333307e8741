import { html, nothing, type TemplateResult } from "lit-html";
import type { App } from "../app.ts";
import { answered } from "../failure.ts";
import type { Part } from "../view.ts";
import { chartOf } from "./chart.ts";
import { countsTableOf } from "./counts_table.ts";
import { lastDays } from "./days.ts";
import { type KeyError, lastErrorsOf } from "./errors.ts";
import { type Figures, figuresIn } from "./figures.ts";
import { type Outcome, outcomeOf, OUTCOMES } from "./outcome.ts";
import { Reading } from "./reading.ts";
import { type Series, seriesOf } from "./series.ts";

/** How many requests of a key were answered with a status on one day. */
interface Usage {
  day: string;
  status: number;
  requests: number;
}

const FILLS = { succeeded: "plain", refused: "striped", failed: "barred" } as const;

/** How long the platform keeps the activity of a key. */
const DAYS = 30;

/** What programs did with a key: its requests of the last 30 days, and its last errors. */
export function keyActivity(keyId: string): Part {
  return new KeyActivity(keyId);
}

class KeyActivity implements Part {
  #usage: Usage[] = [];
  #errors: KeyError[] = [];
  #reading = new Reading();

  readonly #keyId: string;

  constructor(keyId: string) {
    this.#keyId = keyId;
  }

  async load({ project: { client }, company }: App): Promise<void> {
    const days = lastDays(DAYS);
    [this.#usage, this.#errors] = await Promise.all([
      answered<Usage[]>(
        client.from("api_key_usage").select("day,status,requests").eq("company_id", company.id)
          .eq("key_id", this.#keyId).gte("day", days[0]),
      ),
      answered<KeyError[]>(
        client.from("api_key_errors").select("id,at,status,code,method,operation,request_id")
          .eq("company_id", company.id).eq("key_id", this.#keyId)
          .order("at", { ascending: false }).order("id", { ascending: false }).limit(50),
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
      ${lastErrorsOf(this.#errors, app)}
    `;
  }
}

/**
 * A sentence with the most important number: failed requests, otherwise refused ones. If there are
 * none, it says that all succeeded.
 */
function titleOf(series: Series<Outcome>, { t: { activity: t } }: App, figures: Figures): string {
  if (series.total === 0) return t.noRequests;
  const requests = t.requests(series.total, figures.whole(series.total));
  const { failed, refused } = Object.fromEntries(series.totals) as Record<Outcome, number>;
  if (failed > 0) return t.someFailed(requests, figures.whole(failed));
  if (refused > 0) return t.someRefused(requests, figures.whole(refused));
  return t.allSucceeded(requests);
}
