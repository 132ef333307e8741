import { html, nothing, type TemplateResult } from "lit-html";
import { chartOf } from "../activity/chart.ts";
import { countsTableOf } from "../activity/counts_table.ts";
import { lastDays, zoneOfDays } from "../activity/days.ts";
import { type Figures, figuresIn } from "../activity/figures.ts";
import { Reading } from "../activity/reading.ts";
import { seriesOf } from "../activity/series.ts";
import type { App } from "../app.ts";
import { answered } from "../failure.ts";
import type { Part } from "../view.ts";
import { FILLS, type Outcome, OUTCOMES, WITH_REASON } from "./outcomes.ts";
import { reasonName } from "./reasons.ts";

interface Counted {
  day: string;
  outcome: Outcome;
  reason: string | null;
  sends: number;
}

/** One of the periods in the filter, so that a link can select it. */
const DAYS = 30;

/** The chart counts at most this many sends, the newest ones. The database counts no more. */
const MOST = 100_000;

/**
 * What happened to the company's sends of the last 30 days. Each number links to the sends that it
 * counts.
 */
export class SendsChart implements Part {
  #counted: Counted[] = [];
  #reading = new Reading();

  readonly #view: Part;

  /** @param view the view that the chart's button loads again. */
  constructor(view: Part) {
    this.#view = view;
  }

  async load(app: App): Promise<void> {
    this.#counted = await answered<Counted[]>(
      app.project.client.rpc("sends_by_outcome", {
        ...{ company_id: app.company.id, days: DAYS, zone: zoneOfDays(), most: MOST },
      }),
    );
    this.#reading.at = new Date();
  }

  html(app: App): TemplateResult {
    const { sends: t, activity } = app.t;
    const figures = figuresIn(app.locale);
    const sums = sumsOf(this.#counted, ({ outcome }) => outcome);
    const series = seriesOf(
      this.#counted.map(({ day, outcome, sends }) => ({ day, kind: outcome, count: sends })),
      OUTCOMES.filter((outcome) => sums.has(outcome)),
      lastDays(DAYS, this.#reading.at),
    );
    const href = (outcome: Outcome | null, day: string | null, reason?: string) =>
      app.href(`sends?${new URLSearchParams({
        ...(outcome && { outcome }),
        ...(reason && { reason }),
        ...(day ? { day } : { days: String(DAYS) }),
      })}`);
    const textsOf = (text: "name" | "hint") =>
      Object.fromEntries(OUTCOMES.map((outcome) => [outcome, t.outcomes[outcome][text]])) as Record<
        Outcome,
        string
      >;
    return html`
      <section class="card" aria-labelledby="sends-chart">
        ${chartOf({
          id: "sends-chart",
          title: titleOf(sums, app, figures),
          series,
          names: textsOf("name"),
          hints: textsOf("hint"),
          fills: FILLS,
          words: activity,
          href,
        }, figures)}
        ${this.#reasons(app, figures, href)}
        ${series.total === 0 ? nothing : countsTableOf({
          ...{ title: t.table, series, day: activity.day, all: activity.all },
          name: (outcome) => t.outcomes[outcome].name,
          href,
        }, figures)}
        ${this.#reading.html(this.#view, this.#note(app, figures), app)}
      </section>
    `;
  }

  /** Which sends the numbers count. */
  #note({ t: { sends: t } }: App, figures: Figures): string {
    const all = this.#counted.reduce((sum, { sends }) => sum + sends, 0);
    if (all < MOST) return t.days;
    // The database returns the oldest day first.
    const [{ day }] = this.#counted;
    return `${t.newestOnly(figures.whole(all), figures.longDay(day))} ${t.days}`;
  }

  /** Why sends did not arrive, the most frequent reason first. */
  #reasons(
    { t: { sends: t } }: App,
    figures: Figures,
    href: (outcome: Outcome, day: null, reason: string) => string,
  ) {
    const lost = this.#counted.filter(({ outcome }) => WITH_REASON.includes(outcome));
    const sums = sumsOf(lost, ({ outcome, reason }) => `${outcome} ${reason}`);
    if (sums.size === 0) return nothing;
    const rows = [...sums].sort(([, one], [, other]) => other - one).map(([key, sends]) => {
      const [outcome, reason] = key.split(" ") as [Outcome, string];
      return html`
        <li>
          <a href=${href(outcome, null, reason)}>${figures.whole(sends)}</a>
          <span>${reasonName(reason, null, t)} <small>${t.outcomes[outcome].name}</small></span>
        </li>
      `;
    });
    return html`
      <div class="reasons">
        <h3>${t.why}</h3>
        <ul class="why-list">${rows}</ul>
      </div>
    `;
  }
}

/** The number of sends of each kind. */
function sumsOf<Kind>(counted: Counted[], kindOf: (each: Counted) => Kind): Map<Kind, number> {
  const sums = new Map<Kind, number>();
  for (const each of counted) {
    sums.set(kindOf(each), (sums.get(kindOf(each)) ?? 0) + each.sends);
  }
  return sums;
}

/**
 * A sentence with the most important number: how many sends did not arrive, or else how many
 * WhatsApp did not accept, or else how many are still on their way.
 */
function titleOf(sums: Map<Outcome, number>, { t: { sends: t } }: App, figures: Figures): string {
  const sum = (...outcomes: Outcome[]) =>
    outcomes.reduce((total, outcome) => total + (sums.get(outcome) ?? 0), 0);
  const all = sum(...OUTCOMES);
  if (all === 0) return t.none30;
  const sends = all < MOST ? t.sent(all, figures.whole(all)) : t.newest(figures.whole(all));
  const lost = sum("failed", "refused", "expired");
  if (lost > 0) return t.someLost(sends, figures.whole(lost));
  if (sum("released") > 0) return t.someReleased(sends, figures.whole(sum("released")));
  const open = sum("accepted", "pending");
  return open > 0 ? t.someOpen(sends, figures.whole(open)) : t.allArrived(sends);
}
