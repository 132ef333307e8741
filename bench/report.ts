import type { ColdStart } from "./cold_start.ts";
import type { Floor } from "./floors.ts";
import { FLOOR_TITLES } from "./floors.ts";
import type { Growth } from "./growth.ts";
import type { Machine } from "./machine.ts";
import { clientsInWords, type Measurement, type Pace } from "./measure.ts";
import type { Pressure } from "./pressure.ts";

/** Everything that a run found; what `--json` writes and `--compare` reads. */
export interface Report {
  format: 1;
  /** ISO 8601. */
  date: string;
  machine: Machine;
  /** How many contacts there are; a tenth of them is the measured company's. */
  rows: number;
  pace: Pace;
  /** Titles of the scenarios by their names. */
  titles: Record<string, string>;
  /** What databaseCalls counts. */
  databaseCallsAre: "statements" | "transactions";
  measurements: Measurement[];
  coldStarts: ColdStart[];
  growth?: Growth;
  pressure?: Pressure;
}

const FLOORS = Object.keys(FLOOR_TITLES) as Floor["name"][];

const MIB = 1024 * 1024;

/** The report as a person reads it; the same text in a terminal and in a README. */
export function inWords(report: Report, earlier: Report | null): string {
  return [
    ...heading(report),
    ...(earlier ? [comparison(earlier)] : []),
    ...report.pace.clients.flatMap((clients) => throughput(report, clients, earlier)),
    ...(report.growth ? growth(report, report.growth) : []),
    ...coldStarts(report, earlier),
    ...(report.pressure ? pressure(report.pressure) : []),
  ].join("\n");
}

function heading({ date, machine, rows, pace, databaseCallsAre }: Report): string[] {
  const { cpu, cores, memory, system, deno, postgres } = machine;
  const gib = (memory / MIB / 1024).toFixed(0);
  return [
    "",
    `${rows.toLocaleString("en")} contacts, ${
      date.slice(0, 10)
    }; ${cores} cores of ${cpu}, ${gib} GiB; ` +
    `${system}, Deno ${deno}, Postgres ${postgres}.`,
    `Medians of ${pace.rounds} rounds of ${pace.seconds} s. Latencies in ms; CPU in ms a request, of the ` +
    `function and of the REST layer; calls a request, of the REST layer and database ` +
    (databaseCallsAre === "statements"
      ? "statements, begin and commit among them."
      : "transactions."),
    `Floors, in % of whose requests a second a scenario is: ${
      Object.entries(FLOOR_TITLES).map(([name, title]) => `${name}, ${title}`).join("; ")
    }.`,
  ];
}

function comparison({ date, rows, machine }: Report): string {
  return `×: in multiples of ${date.slice(0, 10)}, ${rows.toLocaleString("en")} contacts, ` +
    `${machine.cores} cores of ${machine.cpu}.`;
}

function throughput(report: Report, clients: number, earlier: Report | null): string[] {
  const before = earlier &&
    byKey(earlier.measurements.filter((measurement) => measurement.clients === clients));
  const header = [
    clientsInWords(clients),
    ...["req/s", "p50", "p95", "p99", "CPU fn", "CPU REST", "MiB", "REST", "DB"],
    ...FLOORS.map((name) => `% ${name}`),
    ...(before ? ["req/s ×", "p50 ×"] : []),
  ];
  const rows = report.measurements
    .filter((measurement) => measurement.clients === clients)
    .map((found) => {
      const { scenario, target, ratios } = found;
      const old = before?.get(keyOf(found));
      const isFunction = target === "function";
      return [
        isFunction ? report.titles[scenario] : `  ${target}`,
        number(found.requestsPerSecond),
        number(found.p50),
        number(found.p95),
        number(found.p99),
        target === "rest" ? "" : number(found.functionCpu),
        target === "sql" || target === "hono" ? "" : number(found.restCpu),
        number(target === "rest" ? found.restRss : found.functionRss, MIB),
        isFunction ? found.restCalls.toFixed(2) : "",
        target === "hono" ? "" : found.databaseCalls.toFixed(2),
        ...FLOORS.map((name) => ratios[name] === undefined ? "" : (ratios[name] * 100).toFixed(0)),
        ...(before ? [times(old, found, "requestsPerSecond"), times(old, found, "p50")] : []),
      ];
    });
  return ["", ...table([header, ...rows])];
}

function keyOf({ scenario, target }: Measurement): string {
  return `${scenario} ${target}`;
}

function byKey(measurements: Measurement[]): Map<string, Measurement> {
  return new Map(measurements.map((measurement) => [keyOf(measurement), measurement]));
}

function times(
  old: Measurement | undefined,
  now: Measurement,
  name: "requestsPerSecond" | "p50",
): string {
  return old ? (now[name] / old[name]).toFixed(2) : "–";
}

function growth({ titles, rows }: Report, { fewerRows, found }: Growth): string[] {
  const [few, many] = [fewerRows, rows].map((count) => count.toLocaleString("en"));
  return [...new Set(found.map(({ clients }) => clients))].flatMap((clients) => {
    const header = [
      `Growth, ${clientsInWords(clients)}`,
      ...[`p50, ${few} contacts`, `p50, ${many} contacts`, "p50 ×", "req/s ×"],
    ];
    const lines = found
      .filter((each) => each.clients === clients)
      .map(({ scenario, p50, p50Ratio, requestsRatio }) => [
        titles[scenario],
        ...p50.map((ms) => number(ms)),
        p50Ratio.toFixed(2),
        requestsRatio.toFixed(2),
      ]);
    return ["", ...table([header, ...lines])];
  });
}

function coldStarts({ coldStarts }: Report, earlier: Report | null): string[] {
  const [bare] = coldStarts;
  const rows = coldStarts.map(({ name, firstAnswer, bundle, gzipped }) => {
    const old = earlier?.coldStarts.find((other) => other.name === name);
    return [
      name,
      number(firstAnswer.median),
      `${number(firstAnswer.min)}–${number(firstAnswer.max)}`,
      (firstAnswer.median / bare.firstAnswer.median).toFixed(2),
      (bundle / 1000).toFixed(1),
      (gzipped / 1000).toFixed(1),
      ...(earlier
        ? [
          old ? (firstAnswer.median / old.firstAnswer.median).toFixed(2) : "–",
          old ? (gzipped / old.gzipped).toFixed(2) : "–",
        ]
        : []),
    ];
  });
  const header = ["Cold start", "ms", "from–to", "× Deno", "minified kB", "gzipped kB"];
  return ["", ...table([[...header, ...(earlier ? ["ms ×", "gzipped ×"] : [])], ...rows])];
}

function pressure({ clients, seconds, requests, failed, p50, p99, rss, outage }: Pressure) {
  return [
    "",
    `Under pressure: ${clients} clients for ${seconds.toFixed(0)} s, lists and creates in turn.`,
    `  ${requests} answers, ${failed} of them not 2xx; p50 ${number(p50)} ms, p99 ${
      number(p99)
    } ms (${(p99 / p50).toFixed(1)} times).`,
    ...rss.map(({ process, after10Seconds, atEnd }) =>
      `  ${process}: ${number(after10Seconds, MIB)} MiB after 10 s, ${
        number(atEnd, MIB)
      } MiB at the end.`
    ),
    `The database away for ${
      outage.seconds.toFixed(1)
    } s: ${outage.requests} answers, ${outage.unavailable} of them ` +
    `503 with Retry-After, all others good; the slowest after ${number(outage.slowest)} ms.`,
    `  After its return: the first good answer after ${outage.firstSuccessAfter} ms, ` +
    `the last that was none after ${outage.lastFailureAfter} ms.`,
  ];
}

/** Three digits of a number, in units; a dash where nobody knows it. */
function number(value: number | null, unit = 1): string {
  if (value === null) return "–";
  const scaled = value / unit;
  return scaled >= 100 ? scaled.toFixed(0) : scaled >= 10 ? scaled.toFixed(1) : scaled.toFixed(2);
}

/** Rows as a Markdown table whose columns line up; the first one is text, the others are numbers. */
function table([header, ...rows]: string[][]): string[] {
  const widths = header.map((_, column) =>
    Math.max(...[header, ...rows].map((row) => row[column].length))
  );
  const line = (row: string[]) =>
    `| ${
      row.map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column])
      ).join(" | ")
    } |`;
  const rule = widths.map((width, column) =>
    "-".repeat(column === 0 ? width : width - 1) + (column === 0 ? "" : ":")
  );
  return [line(header), `| ${rule.join(" | ")} |`, ...rows.map(line)];
}
