import { html, nothing, type TemplateResult } from "lit-html";
import type { App } from "../app.ts";
import { answered } from "../failure.ts";
import type { Part } from "../view.ts";
import { chartOf } from "./chart.ts";
import { countsTableOf } from "./counts_table.ts";
import { lastDays } from "./days.ts";
import { type Figures, figuresIn } from "./figures.ts";
import type { Fill } from "./plot.ts";
import { Reading } from "./reading.ts";
import { type Series, seriesOf } from "./series.ts";

/**
 * The states of sends, as `GET /sends` returns them. In a column, the first one is at the bottom.
 */
const STATES = ["sent", "pending", "released", "failed"] as const;
type State = typeof STATES[number];

const FILLS: Record<State, Fill> = {
  sent: "plain",
  pending: "dotted",
  released: "striped",
  failed: "barred",
};

interface Sends {
  day: string;
  state: State;
  sends: number;
}

const DAYS = 30;

/** The states of the company's sends of the last 30 days, for all its keys and numbers. */
export function sendsActivity(): Part {
  return new SendsActivity();
}

class SendsActivity implements Part {
  #sends: Sends[] = [];
  #reading = new Reading();

  async load(app: App): Promise<void> {
    this.#sends = await answered<Sends[]>(
      app.project.client.rpc("sends_by_state", { company_id: app.company.id, days: DAYS }),
    );
    this.#reading.at = new Date();
  }

  html(app: App): TemplateResult {
    const t = app.t.activity;
    const figures = figuresIn(app.locale);
    const series = seriesOf(
      this.#sends.map(({ day, state, sends }) => ({ day, kind: state, count: sends })),
      [...STATES],
      lastDays(DAYS, this.#reading.at),
    );
    return html`
      <section class="card" aria-labelledby="sends">
      ${chartOf({
        id: "sends",
        title: titleOf(series, app, figures),
        series,
        names: t.sendStates,
        hints: t.sendStateHints,
        fills: FILLS,
        words: t,
      }, figures)}
      ${series.total === 0 ? nothing : countsTableOf({
        ...{ title: t.sendsTable, series, day: t.day, all: t.all },
        name: (state) => t.sendStates[state],
      }, figures)}
      ${this.#reading.html(this, t.sendDays, app)}
      </section>
    `;
  }
}

/**
 * A sentence with the most important number: failed sends, otherwise sends that the channel did not
 * accept, otherwise sends in progress. If there are none, it says that all succeeded.
 */
function titleOf(series: Series<State>, { t: { activity: t } }: App, figures: Figures): string {
  if (series.total === 0) return t.noSends;
  const sends = t.sent(series.total, figures.whole(series.total));
  const { failed, released, pending } = Object.fromEntries(series.totals) as Record<State, number>;
  if (failed > 0) return t.someSendsFailed(sends, figures.whole(failed));
  if (released > 0) return t.someSendsReleased(sends, figures.whole(released));
  if (pending > 0) return t.someSendsPending(sends, figures.whole(pending));
  return t.allTaken(sends);
}
