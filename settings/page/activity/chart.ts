import { html, nothing, type TemplateResult } from "lit-html";
import type { Figures } from "./figures.ts";
import { type Chart, fillOf, plotOf } from "./plot.ts";

/**
 * Draws a chart: a title, the legend with the number of each kind, and the columns. The highest
 * column shows its number. Each kind has its own colour, pattern and place in the column, so that
 * colour is never the only difference.
 */
export function chartOf<Kind extends string>(
  chart: Chart<Kind>,
  figures: Figures,
): TemplateResult {
  const { id, title, series: { kinds, peak }, words } = chart;
  if (!peak) return html`<h2 id=${id}>${title}</h2>`;
  const most = words.most(figures.longDay(peak.day), figures.whole(peak.total));
  return html`
    <figure class="chart">
      <figcaption>
        <h2 id=${id}>${title}</h2>
        <ul class="legend">${kinds.map((kind) => legendOf(kind, chart, figures))}</ul>
      </figcaption>
      <div class="plot" role="img" aria-label="${title}. ${most}">${plotOf(chart, figures)}</div>
    </figure>
  `;
}

function legendOf<Kind extends string>(
  kind: Kind,
  { id, series, names, hints, fills, href }: Chart<Kind>,
  figures: Figures,
): TemplateResult {
  const count = series.totals.get(kind)!;
  const shown = html`<strong>${figures.whole(count)}</strong>`;
  const fill = fillOf(id, kind, fills);
  return html`
    <li>
      <svg width="14" height="14" aria-hidden="true">
        <rect class=${kind} fill=${fill} width="14" height="14" rx="2"></rect>
      </svg>
      <span>
        ${names[kind]}
        ${href
          ? html`<a href=${href(kind, null)} aria-label="${names[kind]}: ${
            figures.whole(count)
          }">${shown}</a>`
          : shown}
        ${count === 0 ? nothing : html`<span>${figures.share(count, series.total)}</span>`}
        <small>${hints[kind]}</small>
      </span>
    </li>
  `;
}
