import { html, nothing, svg, type TemplateResult } from "lit-html";
import { type Column, columnsOf } from "./columns.ts";
import type { Figures } from "./figures.ts";
import { scaleTo } from "./scale.ts";
import type { DayCounts, Series } from "./series.ts";

/** How the parts of a kind are filled, in the colour of the kind. */
export type Fill = "plain" | "striped" | "barred" | "dotted";

/** A chart of columns, one for each day. */
export interface Chart<Kind extends string> {
  /** An id that no other element of the page has. */
  id: string;
  /** A sentence with the most important number. */
  title: string;
  series: Series<Kind>;
  names: Record<Kind, string>;
  /** What a kind means. */
  hints: Record<Kind, string>;
  fills: Record<Kind, Fill>;
  words: {
    today: string;
    /** Names the day with the highest number, for people who do not see the columns. */
    most(day: string, shown: string): string;
  };
  /**
   * The URL of the list behind a number. A null kind means all kinds, and a null day means all
   * days.
   */
  href?(kind: Kind | null, day: string | null): string;
}

/**
 * Heights in pixels: the columns, the room above them for a number, and the room below them for the
 * days.
 */
const HEIGHT = 150;
const ABOVE = 20;
const BELOW = 24;
const BOTTOM = ABOVE + HEIGHT;
const WHOLE = BOTTOM + BELOW;
/** The share of a day's width that its column fills. */
const FILLED = 0.78;
/** The size of a pattern, in pixels. */
const SIZE = 5;

/**
 * The columns of a chart, with the numbers at the side. The first day, a middle day and the last
 * day are named below the columns.
 */
export function plotOf<Kind extends string>(
  chart: Chart<Kind>,
  figures: Figures,
): TemplateResult {
  const { id, series, fills, words } = chart;
  const lines = scaleTo(series.peak?.total ?? 0);
  const top = lines.at(-1)!;
  const yOf = (count: number) => BOTTOM - count / top * HEIGHT;
  const columns = columnsOf(series, top, HEIGHT);
  const middle = columns[Math.floor(columns.length / 2)];
  const middleDay = figures.day(middle.day);
  return html`
    <svg class="axis" height=${WHOLE} aria-hidden="true">
      ${lines.map((count) =>
        svg`<text x="100%" y=${yOf(count) + 4}>${figures.short(count)}</text>`
      )}
    </svg>
    <svg class="columns" height=${WHOLE} aria-hidden="true">
      <defs>${series.kinds.map((kind) => patternOf(id, kind, fills[kind]))}</defs>
      ${lines.map((count) => svg`<line x1="0" x2="100%" y1=${yOf(count)} y2=${yOf(count)}></line>`)}
      ${columns.map((column, place) => columnOf(column, series.days[place], chart, figures))}
      ${peakOf(chart, columns, yOf, figures)}
      <text x="0" y=${BOTTOM + 17}>${figures.day(columns[0].day)}</text>
      <text class="middle" x="${middle.x + middle.width / 2}%" y=${BOTTOM + 17}>${middleDay}</text>
      <text class="last" x="100%" y=${BOTTOM + 17}>${words.today}</text>
    </svg>
  `;
}

/** The column of a day. If the pointer is on the column, the numbers of the day are shown. */
function columnOf<Kind extends string>(
  { day, x, width, parts }: Column<Kind>,
  { counts, total }: DayCounts<Kind>,
  { id, names, fills }: Chart<Kind>,
  figures: Figures,
): TemplateResult {
  const told = [`${figures.longDay(day)}: ${figures.whole(total)}`];
  for (const { kind } of parts) told.push(`${names[kind]}: ${figures.whole(counts.get(kind)!)}`);
  const left = x + width * (1 - FILLED) / 2;
  return svg`
    <g>
      <title>${told.join("\n")}</title>
      <rect class="place" x="${x}%" y=${ABOVE} width="${width}%" height=${HEIGHT}></rect>
      ${parts.map(({ kind, y, height }) =>
        svg`
          <rect class=${kind} fill=${fillOf(id, kind, fills)}
            x="${left}%" y=${ABOVE + y} width="${width * FILLED}%" height=${height}></rect>
        `
      )}
    </g>
  `;
}

/** The number of the highest column, placed within the edges of the chart. */
function peakOf<Kind extends string>(
  { series: { peak } }: Chart<Kind>,
  columns: Column<Kind>[],
  yOf: (count: number) => number,
  { whole, short }: Figures,
): TemplateResult | typeof nothing {
  if (!peak) return nothing;
  const { x, width } = columns.find(({ day }) => day === peak.day)!;
  const [place, at] = x < 10
    ? ["first", x]
    : x + width > 90
    ? ["last", x + width]
    : ["middle", x + width / 2];
  const number = peak.total < 100_000 ? whole(peak.total) : short(peak.total);
  return svg`<text class="peak ${place}" x="${at}%" y=${yOf(peak.total) - 6}>${number}</text>`;
}

/**
 * The `fill` attribute of a part. A plain part needs no such attribute, because its class fills it.
 * A style sheet cannot refer to a pattern of the page, because `url(#…)` in a style sheet refers to
 * the style sheet itself.
 */
export function fillOf<Kind extends string>(id: string, kind: Kind, fills: Record<Kind, Fill>) {
  return fills[kind] === "plain" ? nothing : `url(#${id}-${kind})`;
}

function patternOf(id: string, kind: string, fill: Fill) {
  if (fill === "plain") return nothing;
  const marks = {
    striped: svg`<rect width=${SIZE / 2} height=${SIZE}></rect>`,
    barred: svg`<rect width=${SIZE - 1} height=${SIZE}></rect>`,
    dotted: svg`<circle cx=${SIZE / 2} cy=${SIZE / 2} r="1.5"></circle>`,
  };
  const turn = `rotate(${fill === "barred" ? -45 : 45})`;
  return svg`
    <pattern id="${id}-${kind}" class=${kind} width=${SIZE} height=${SIZE}
      patternUnits="userSpaceOnUse" patternTransform=${turn}>${marks[fill]}</pattern>
  `;
}
