import { html, nothing, svg, type TemplateResult } from "lit-html";
import { type Column, columnsOf } from "./columns.ts";
import type { Figures } from "./figures.ts";
import { scaleTo } from "./scale.ts";
import type { Series } from "./series.ts";

/** What fills a part of a column, in the kind's colour. Of all, `plain` and `barred` are the fullest. */
export type Pattern = "plain" | "striped" | "barred" | "dotted";

/** A chart of columns, a day each. */
export interface Chart<Kind extends string> {
  /** Unlike that of any other chart of the page. */
  id: string;
  /** Says the number that matters. */
  title: string;
  /** What the columns tell beyond the title, for who does not see them. */
  summary: string;
  series: Series<Kind>;
  names: Record<Kind, string>;
  /** What a kind means. */
  hints: Record<Kind, string>;
  patterns: Record<Kind, Pattern>;
  today: string;
}

/** In pixels: of the columns, of the place for a number above them, and of that for the days below. */
const HEIGHT = 150;
const ABOVE = 20;
const BELOW = 24;
/** How much of its place a column fills. */
const FILLED = 0.78;

/**
 * Draws a chart: a title, the legend with the number of each kind, and the columns. The highest column has its number.
 * Each kind has its colour and its pattern, and its place in the column, so that no kind is told by its colour alone.
 */
export function chartOf<Kind extends string>(
  chart: Chart<Kind>,
  figures: Figures,
): TemplateResult {
  const { id, title, summary, series } = chart;
  return html`
    <figure class="chart">
      <figcaption>
        <h2 id=${id}>${title}</h2>
        ${series.total === 0 ? nothing : legendOf(chart, figures)}
      </figcaption>
      ${series.total === 0 ? nothing : html`
        <div class="plot" role="img" aria-label="${title}. ${summary}">
          ${plotOf(chart, figures)}
        </div>
      `}
    </figure>
  `;
}

function legendOf<Kind extends string>(
  { id, series, names, hints, patterns }: Chart<Kind>,
  figures: Figures,
): TemplateResult {
  return html`
    <ul class="legend">
      ${series.kinds.map((kind) => {
        const count = series.totals.get(kind)!;
        return html`
          <li class=${count === 0 ? "empty" : ""}>
            <svg width="14" height="14" aria-hidden="true">
              <rect class=${kind} fill=${fillOf(id, kind, patterns)} width="14" height="14" rx="2"></rect>
            </svg>
            <span>
              <span class="kind">${names[kind]}</span>
              <strong>${figures.whole(count)}</strong>
              ${count === 0 ? nothing : html`<span class="share">${figures.share(count, series.total)}</span>`}
              <small>${hints[kind]}</small>
            </span>
          </li>
        `;
      })}
    </ul>
  `;
}

function plotOf<Kind extends string>(
  { id, series, names, patterns, today }: Chart<Kind>,
  figures: Figures,
): TemplateResult {
  const lines = scaleTo(series.peak?.total ?? 0);
  const top = lines.at(-1)!;
  const yOf = (count: number) => ABOVE + HEIGHT - count / top * HEIGHT;
  const columns = columnsOf(series, top, HEIGHT);
  const bottom = ABOVE + HEIGHT;
  const height = bottom + BELOW;
  const middle = Math.floor(columns.length / 2);
  return html`
    <svg class="axis" height=${height} aria-hidden="true">
      ${lines.map((count) => svg`<text x="100%" y=${yOf(count) + 4}>${figures.short(count)}</text>`)}
    </svg>
    <svg class="columns" height=${height} aria-hidden="true">
      <defs>
        ${series.kinds.map((kind) => patternOf(`${id}-${kind}`, kind, patterns[kind]))}
      </defs>
      ${lines.map((count) => svg`<line x1="0" x2="100%" y1=${yOf(count)} y2=${yOf(count)}></line>`)}
      ${columns.map(({ day, x, width, parts }, index) => {
        const { counts, total } = series.days[index];
        const told = series.kinds.filter((kind) => counts.get(kind)! > 0)
          .map((kind) => `${names[kind]}: ${figures.whole(counts.get(kind)!)}`);
        return svg`
          <g>
            <title>${[`${figures.longDay(day)} (UTC): ${figures.whole(total)}`, ...told].join("\n")}</title>
            <rect class="place" x="${x}%" y=${ABOVE} width="${width}%" height=${HEIGHT}></rect>
            ${parts.map(({ kind, y, height }) => svg`
              <rect class=${kind} fill=${fillOf(id, kind, patterns)} x="${x + width * (1 - FILLED) / 2}%" y=${ABOVE + y}
                width="${width * FILLED}%" height=${height}></rect>
            `)}
          </g>
        `;
      })}
      ${peakOf(series, columns, yOf, figures)}
      <text class="first" x="0" y=${bottom + 17}>${figures.day(columns[0].day)}</text>
      <text class="middle" x="${columns[middle].x + columns[middle].width / 2}%" y=${bottom + 17}>
        ${figures.day(columns[middle].day)}
      </text>
      <text class="last" x="100%" y=${bottom + 17}>${today}</text>
    </svg>
  `;
}

/** How a part is filled: plain ones by their class. It is an attribute, because a style would look in its own file. */
function fillOf<Kind extends string>(id: string, kind: Kind, patterns: Record<Kind, Pattern>) {
  return patterns[kind] === "plain" ? nothing : `url(#${id}-${kind})`;
}

const SIZE = 5;

function patternOf(id: string, kind: string, pattern: Pattern) {
  if (pattern === "plain") return nothing;
  const marks = {
    striped: svg`<rect width=${SIZE / 2} height=${SIZE}></rect>`,
    barred: svg`<rect width=${SIZE - 1} height=${SIZE}></rect>`,
    dotted: svg`<circle cx=${SIZE / 2} cy=${SIZE / 2} r="1.5"></circle>`,
  };
  return svg`
    <pattern id=${id} class=${kind} width=${SIZE} height=${SIZE} patternUnits="userSpaceOnUse"
      patternTransform="rotate(${pattern === "barred" ? -45 : 45})">${marks[pattern]}</pattern>
  `;
}

/** The number of the highest column, within the edges of the chart. */
function peakOf(
  { peak }: Series<unknown>,
  columns: Column<unknown>[],
  yOf: (count: number) => number,
  figures: Figures,
): TemplateResult | typeof nothing {
  if (!peak) return nothing;
  const { x, width } = columns.find(({ day }) => day === peak.day)!;
  const place = x < 10 ? "first" : x > 90 - width ? "last" : "middle";
  const at = place === "first" ? x : place === "last" ? x + width : x + width / 2;
  return svg`<text class="peak ${place}" x="${at}%" y=${yOf(peak.total) - 6}>${figures.short(peak.total)}</text>`;
}
