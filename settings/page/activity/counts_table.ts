import { html, nothing, type TemplateResult } from "lit-html";
import type { Figures } from "./figures.ts";
import type { Series } from "./series.ts";

/** A table of a series. */
export interface CountsTable<Kind> {
  /** The title of the table. Pressing it opens the table. */
  title: string;
  series: Series<Kind>;
  /** The heading of a column. */
  name(kind: Kind): string;
  day: string;
  all: string;
  /**
   * The URL of the list behind a number. A null kind means all kinds, and a null day means all
   * days.
   */
  href?(kind: Kind | null, day: string | null): string;
}

/**
 * The numbers behind a chart, the newest day first. The table is collapsed at first, and screen
 * readers can read it.
 */
export function countsTableOf<Kind>(
  { title, series, name, day, all, href }: CountsTable<Kind>,
  figures: Figures,
): TemplateResult {
  const { kinds, days, totals, total } = series;
  const cells = (counts: Map<Kind, number>, sum: number, day: string | null) =>
    [null, ...kinds].map((kind) => {
      const count = kind === null ? sum : counts.get(kind)!;
      const shown = figures.whole(count);
      return html`<td class=${count === 0 ? "zero" : nothing}>${
        href && count > 0 ? html`<a href=${href(kind, day)}>${shown}</a>` : shown
      }</td>`;
    });
  return html`
    <details class="counts">
      <summary>${title}</summary>
      <div role="region" aria-label=${title} tabindex="0">
        <table>
          <thead>
            <tr>
              <th scope="col">${day}</th>
              <th scope="col">${all}</th>
              ${kinds.map((kind) => html`<th scope="col">${name(kind)}</th>`)}
            </tr>
          </thead>
          <tbody>
            ${days.toReversed().map((row) =>
              html`
                <tr>
                  <th scope="row">${figures.day(row.day)}</th>
                  ${cells(row.counts, row.total, row.day)}
                </tr>
              `
            )}
          </tbody>
          <tfoot>
            <tr><th scope="row">${all}</th>${cells(totals, total, null)}</tr>
          </tfoot>
        </table>
      </div>
    </details>
  `;
}
