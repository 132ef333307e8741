import type { Growth } from "./growth.ts";
import { clientsInWords, type Measurement } from "./measure.ts";
import type { Report } from "./report.ts";

// The chart is drawn as an SVG that needs nothing else: no script, no font and no style of a page.

interface Point {
  /** The place on the axis, counted from 0. */
  at: number;
  /** Milliseconds. */
  value: number;
}

interface Series {
  label: string;
  points: Point[];
}

interface Panel {
  title: string;
  /** What the places on the horizontal axis are. */
  places: string[];
  series: Series[];
}

const WIDTH = 860;
const PLOT = { left: 56, width: 380, top: 44, height: 300 };
const LABELS_X = PLOT.left + PLOT.width + 34;
const PANEL_HEIGHT = PLOT.top + PLOT.height + 56;
const LINE_HEIGHT = 16;

/** Colours that can be told apart, in daylight and at night, and by most who confuse some. */
const COLOURS = ["#0077bb", "#ee7733", "#009988", "#cc3311", "#aa5599", "#8a7a00", "#33aadd"];
const DASHES = ["", "6 3"];

/**
 * Draws median latency against clients; and against rows, where a run has measured growth.
 * @returns an SVG document.
 */
export function chart(report: Report): string {
  const { machine, date, growth } = report;
  const panels = [byClients(report), ...(growth ? [byRows(report, growth)] : [])];
  const height = panels.length * PANEL_HEIGHT + 24;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" ` +
    `height="${height}" role="img" aria-label="Median latency of the API" ` +
    'font-family="system-ui, sans-serif" font-size="12">',
    `<style>
  text { fill: #1f2328; }
  .soft { fill: #59636e; }
  .rule { stroke: #d1d9e0; }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc; }
    .soft { fill: #9198a1; }
    .rule { stroke: #3d444d; }
  }
</style>`,
    ...panels.map((panel, index) => draw(panel, index * PANEL_HEIGHT)),
    text(
      8,
      height - 8,
      `${date.slice(0, 10)}, ${machine.cores} cores of ${machine.cpu}, Deno ${machine.deno}, ` +
        `Postgres ${machine.postgres}`,
      'class="soft"',
    ),
    "</svg>",
    "",
  ].join("\n");
}

function byClients(report: Report): Panel {
  const { clients } = report.pace;
  return {
    title: `Median latency in ms by clients, ${report.rows.toLocaleString("en")} contacts`,
    places: clients.map(clientsInWords),
    series: series(report, (scenario) => clients.map((count) => medianOf(report, scenario, count))),
  };
}

/** With the most clients with which growth was measured. */
function byRows(report: Report, { fewerRows, found }: Growth): Panel {
  const clients = Math.max(...found.map((each) => each.clients));
  const places = [fewerRows, report.rows].map((rows) => `${rows.toLocaleString("en")} contacts`);
  return {
    title: `Median latency in ms by contacts, ${clientsInWords(clients)}`,
    places,
    series: series(
      report,
      (scenario) =>
        found.find((each) => each.scenario === scenario && each.clients === clients)?.p50 ?? [],
    ),
  };
}

function series(
  { titles }: Report,
  values: (scenario: string) => (number | undefined)[],
): Series[] {
  return Object.entries(titles)
    .map(([name, label]) => ({
      label,
      points: values(name).flatMap((value, at) => value === undefined ? [] : [{ at, value }]),
    }))
    .filter(({ points }) => points.length > 0);
}

function medianOf(report: Report, scenario: string, clients: number): number | undefined {
  const isIt = (found: Measurement) =>
    found.scenario === scenario && found.clients === clients && found.target === "function";
  return report.measurements.find(isIt)?.p50;
}

/** Both the clients and what they wait for grow by factors, so the vertical axis is logarithmic. */
function draw({ title, places, series }: Panel, y: number): string {
  const values = series.flatMap(({ points }) => points.map(({ value }) => value));
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const ticks = ticksAround(low, high);
  const [bottom, top] = [Math.log(ticks[0]), Math.log(ticks.at(-1)!)];
  const toX = (at: number) =>
    PLOT.left + 30 + at * (PLOT.width - 60) / Math.max(1, places.length - 1);
  const toY = (value: number) =>
    y + PLOT.top + PLOT.height * (1 - (Math.log(value) - bottom) / (top - bottom));

  const labels = apart(
    series.map(({ points }) => toY(points.at(-1)!.value)),
    y + PLOT.top,
    y + PLOT.top + PLOT.height,
  );
  return [
    text(8, y + 24, title, 'font-size="15" font-weight="600"'),
    ...ticks.flatMap((tick) => [
      `<line class="rule" x1="${PLOT.left}" x2="${PLOT.left + PLOT.width}" y1="${
        round(toY(tick))
      }" y2="${round(toY(tick))}"/>`,
      text(PLOT.left - 8, toY(tick) + 4, String(tick), 'class="soft" text-anchor="end"'),
    ]),
    ...places.map((place, at) =>
      text(toX(at), y + PLOT.top + PLOT.height + 22, place, 'class="soft" text-anchor="middle"')
    ),
    ...series.map(({ label, points }, index) => {
      const colour = COLOURS[index % COLOURS.length];
      const dash = DASHES[Math.floor(index / COLOURS.length) % DASHES.length];
      const drawn = points.map(({ at, value }) => `${round(toX(at))},${round(toY(value))}`);
      const last = points.at(-1)!;
      return [
        `<polyline points="${drawn.join(" ")}" fill="none" stroke="${colour}" stroke-width="2" ` +
        `stroke-dasharray="${dash}"/>`,
        ...drawn.map((place) => {
          const [x, y] = place.split(",");
          return `<circle cx="${x}" cy="${y}" r="3" fill="${colour}"/>`;
        }),
        `<line x1="${round(toX(last.at) + 5)}" y1="${round(toY(last.value))}" x2="${
          LABELS_X - 5
        }" y2="${round(labels[index] - 4)}" stroke="${colour}" stroke-width="1" opacity="0.5"/>`,
        text(LABELS_X, labels[index], `${label}: ${short(last.value)}`),
      ].join("\n");
    }),
  ].join("\n");
}

/** 1, 2 and 5 times powers of ten, from the last one below to the first one above. */
function ticksAround(low: number, high: number): number[] {
  const all = [-2, -1, 0, 1, 2, 3, 4, 5].flatMap((power) =>
    [1, 2, 5].map((digit) => Number(`${digit}e${power}`))
  );
  const first = all.findLastIndex((tick) => tick <= low);
  const last = all.findIndex((tick) => tick >= high);
  return all.slice(Math.max(0, first), Math.max(last, first + 1) + 1);
}

/** Moves the lines of text apart, in the order in which they are from above, and keeps them in the plot. */
function apart(wanted: number[], top: number, bottom: number): number[] {
  const order = wanted.map((_, index) => index).sort((a, b) => wanted[a] - wanted[b]);
  const placed = [...wanted];
  let next = top;
  for (const index of order) {
    placed[index] = Math.max(wanted[index], next);
    next = placed[index] + LINE_HEIGHT;
  }
  let limit = bottom + LINE_HEIGHT;
  for (const index of order.toReversed()) {
    placed[index] = Math.min(placed[index], limit);
    limit = placed[index] - LINE_HEIGHT;
  }
  return placed.map((y) => y + 4);
}

function text(x: number, y: number, content: string, attributes = ""): string {
  const escaped = content.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  return `<text x="${round(x)}" y="${round(y)}" ${attributes}>${escaped}</text>`;
}

function round(value: number): string {
  return value.toFixed(1);
}

function short(value: number): string {
  return `${value >= 100 ? value.toFixed(0) : value.toFixed(1)} ms`;
}
