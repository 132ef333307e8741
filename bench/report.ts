import { markdownTable } from "markdown-table";
import { cpus, totalmem } from "node:os";
import type { Sql } from "../local/postgres/database.ts";
import type { ColdStart } from "./cold_start.ts";
import { type FloorName, FLOORS } from "./floors.ts";
import { clientsInWords, type Measurement, type Pace } from "./measure.ts";
import type { Pressure } from "./pressure.ts";

/** All figures of a run; `--json` writes it and `--compare` reads it. */
export interface Report {
  format: 1;
  /** ISO 8601. */
  date: string;
  machine: Awaited<ReturnType<typeof describeMachine>>;
  /** The number of contacts; a tenth of them is the measured company's. */
  rows: number;
  pace: Pace;
  /** Titles of the scenarios by their names. */
  titles: Record<string, string>;
  measurements: Measurement[];
  coldStarts: ColdStart[];
  /** The functions again, in turn with functions before a database with fewer contacts. */
  growth?: { fewerRows: number; measurements: Measurement[] };
  pressure?: Pressure;
}

const KB = 1000;
const MIB = 1024 * 1024;
const FLOOR_NAMES = Object.keys(FLOORS) as FloorName[];

/** Figures mean nothing without the machine that they come from. */
export async function describeMachine(sql: Sql) {
  const [{ server_version }] = await sql`show server_version`;
  const { stdout } = await new Deno.Command("node", { args: ["--version"] }).output();
  return {
    cpu: cpus()[0]?.model.trim() || "unknown",
    cores: navigator.hardwareConcurrency,
    /** Bytes. */
    memory: totalmem(),
    system: `${Deno.build.os} ${Deno.build.arch}`,
    deno: Deno.version.deno,
    postgres: server_version as string,
    node: new TextDecoder().decode(stdout).trim().slice(1),
  };
}

/** The report as Markdown. @param earlier a report to compare it with. */
export function markdown(report: Report, earlier: Report | null): string {
  return [
    heading(report, earlier),
    ...report.pace.clients.map((clients) => throughputTable(report, clients, earlier)),
    ...growthTables(report),
    coldStartTable(report, earlier),
    ...(report.pressure ? [pressure(report.pressure)] : []),
  ].join("\n\n");
}

function heading(report: Report, earlier: Report | null): string {
  const { date, machine, rows, pace } = report;
  const gib = (machine.memory / MIB / 1024).toFixed(0);
  const floors = Object.entries(FLOORS).map(([name, title]) => `${name}, ${title}`);
  const lines = [
    `\n${contacts(rows)}, ${date.slice(0, 10)}; ${cores(machine)}, ${gib} GiB; ` +
    `${machine.system}, Deno ${machine.deno}, Postgres ${machine.postgres}.`,
    `Medians of ${pace.rounds} rounds of ${pace.seconds} s. Latencies in ms; CPU in ms a request, of the ` +
    `function and of the REST layer; calls a request, of the REST layer and database statements, begin and commit among them.`,
    `Floors, in % of whose requests a second a scenario is: ${floors.join("; ")}.`,
  ];
  if (earlier) {
    const { date, rows, machine } = earlier;
    lines.push(`×: in multiples of ${date.slice(0, 10)}, ${contacts(rows)}, ${cores(machine)}.`);
  }
  return lines.join("\n");
}

/** A column of a table: its title, and its cell in each row. */
type Column<Row> = [title: string, cell: (row: Row) => string];

/** The first column is text, the others are numbers. */
function table<Row>(rows: Row[], columns: Column<Row>[]): string {
  const cells = rows.map((row) => columns.map(([, cell]) => cell(row)));
  const align = columns.map((_, index) => index === 0 ? null : "right");
  return markdownTable([columns.map(([title]) => title), ...cells], { align });
}

function throughputTable(report: Report, clients: number, earlier: Report | null): string {
  const rows = report.measurements.filter((row) => row.clients === clients);
  const before = (row: Measurement) =>
    earlier?.measurements.find((old) =>
      old.clients === clients && old.scenario === row.scenario && old.target === row.target
    );
  /** A cell that is empty for some targets. */
  const except = (targets: string[], cell: (row: Measurement) => string) => (row: Measurement) =>
    targets.includes(row.target) ? "" : cell(row);
  return table(rows, [
    [
      clientsInWords(clients),
      (row) => row.target === "function" ? report.titles[row.scenario] : `  ${row.target}`,
    ],
    ["req/s", (row) => number(row.requestsPerSecond)],
    ...(["p50", "p95", "p99"] as const)
      .map((name): Column<Measurement> => [name, (row) => number(row[name])]),
    ["CPU fn", except(["rest"], (row) => number(row.functionCpu))],
    ["CPU REST", except(["sql", "hono"], (row) => number(row.restCpu))],
    ["MiB", (row) => number(row.target === "rest" ? row.restRss : row.functionRss, MIB)],
    ["REST", except(FLOOR_NAMES, (row) => row.restCalls.toFixed(2))],
    ["DB", except(["hono"], (row) => row.databaseCalls.toFixed(2))],
    ...FLOOR_NAMES.map((name): Column<Measurement> => [
      `% ${name}`,
      ({ ratios: { [name]: ratio } }) => ratio === undefined ? "" : (ratio * 100).toFixed(0),
    ]),
    ...(earlier
      ? [
        ["req/s ×", (row) => times(before(row)?.requestsPerSecond, row.requestsPerSecond)],
        ["p50 ×", (row) => times(before(row)?.p50, row.p50)],
      ] satisfies Column<Measurement>[]
      : []),
  ]);
}

function growthTables({ growth, titles, rows }: Report): string[] {
  const { fewerRows = 0, measurements = [] } = growth ?? {};
  const byClients = Map.groupBy(measurements, ({ clients }) => clients);
  return Array.from(byClients, ([clients, measured]) => {
    const [functions, fewer] = ["function", "fewer rows"].map((target) =>
      measured.filter((row) => row.target === target)
    );
    return table(functions, [
      [`Growth, ${clientsInWords(clients)}`, ({ scenario }) => titles[scenario]],
      [
        `p50, ${contacts(fewerRows)}`,
        ({ scenario }) => number(fewer.find((row) => row.scenario === scenario)!.p50),
      ],
      [`p50, ${contacts(rows)}`, ({ p50 }) => number(p50)],
      ["p50 ×", ({ p50Ratios }) => p50Ratios["fewer rows"]!.toFixed(2)],
      ["req/s ×", ({ ratios }) => ratios["fewer rows"]!.toFixed(2)],
    ]);
  });
}

function coldStartTable({ coldStarts }: Report, earlier: Report | null): string {
  const [bare] = coldStarts;
  const before = (row: ColdStart) => earlier?.coldStarts.find(({ name }) => name === row.name);
  const kb = (bytes: number) => (bytes / KB).toFixed(1);
  return table(coldStarts, [
    ["Cold start", ({ name }) => name],
    ["ms", ({ firstAnswer }) => number(firstAnswer.median)],
    ["from–to", ({ firstAnswer: { min, max } }) => `${number(min)}–${number(max)}`],
    ["× Deno", ({ firstAnswer }) => times(bare.firstAnswer.median, firstAnswer.median)],
    ["minified kB", ({ bundle }) => kb(bundle)],
    ["gzipped kB", ({ gzipped }) => kb(gzipped)],
    ["JSON kB", ({ json }) => kb(json)],
    ["gzipped JSON kB", ({ jsonGzipped }) => kb(jsonGzipped)],
    ...(earlier
      ? [
        ["ms ×", (row) => times(before(row)?.firstAnswer.median, row.firstAnswer.median)],
        ["gzipped ×", (row) => times(before(row)?.gzipped, row.gzipped)],
      ] satisfies Column<ColdStart>[]
      : []),
  ]);
}

function pressure(found: Pressure): string {
  const { clients, seconds, requests, failed, p50, p99, rss, outage } = found;
  return [
    `Under pressure: ${clients} clients for ${seconds.toFixed(0)} s, lists and creates in turn.`,
    `  ${requests} answers, ${failed} of them not 2xx; ` +
    `p50 ${number(p50)} ms, p99 ${number(p99)} ms (${(p99 / p50).toFixed(1)} times).`,
    ...rss.map(({ process, after10Seconds, atEnd }) =>
      `  ${process}: ${number(after10Seconds, MIB)} MiB after 10 s, ` +
      `${number(atEnd, MIB)} MiB at the end.`
    ),
    `The database away for ${outage.seconds.toFixed(1)} s: ` +
    `${outage.requests} answers, ${outage.unavailable} of them ` +
    `503 with Retry-After, all others good; the slowest after ${number(outage.slowest)} ms.`,
    `  After its return: the first good answer after ${outage.firstSuccessAfter} ms, ` +
    `the last 503 after ${outage.lastFailureAfter} ms.`,
  ].join("\n");
}

function contacts(count: number): string {
  return `${count.toLocaleString("en")} contacts`;
}

function cores({ cores, cpu }: Report["machine"]): string {
  return `${cores} cores of ${cpu}`;
}

/** A figure as a multiple of an earlier one; a dash when there is none. */
function times(before: number | undefined, now: number): string {
  return before ? (now / before).toFixed(2) : "–";
}

/** Three digits of a figure, in units; a dash when the system does not tell it. */
function number(value: number, unit = 1): string {
  const scaled = value / unit;
  if (Number.isNaN(scaled)) return "–";
  return scaled.toFixed(scaled >= 100 ? 0 : scaled >= 10 ? 1 : 2);
}
