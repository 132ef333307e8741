import { chunk } from "deno-std/collections/chunk.js";
import { BAR_OF_BARE, BAR_OF_SINGLES, type Batches } from "./batch.ts";
import type { ColdStart } from "./cold_start.ts";
import type { Events } from "./events.ts";
import { type FloorName, FLOORS } from "./scenarios.ts";
import type { Machine } from "../machine.ts";
import { inWords, type Measurement, type Pace } from "./measure.ts";
import type { Pressure } from "./pressure.ts";
import { type Column, digits, table, times } from "../table.ts";

/** All figures of a run. `--json` writes them to a file, and `--compare` reads such a file. */
export interface Report {
  /** ISO 8601. */
  date: string;
  machine: Machine;
  /** The number of contacts. The measured company has a tenth of them. */
  rows: number;
  pace: Pace;
  measurements: Measurement[];
  coldStarts: ColdStart[];
  growth?: { fewerRows: number; measurements: Measurement[] };
  pressure?: Pressure;
  events?: Events;
  batches?: Batches;
}

const KB = 1000;
const MIB = 1024 * 1024;

/** The report as Markdown. @param earlier a report to compare it with. */
export function markdown(report: Report, earlier?: Report): string {
  return [
    heading(report, earlier),
    ...report.pace.clients.map((clients) => throughputTable(report, clients, earlier)),
    ...growthTables(report),
    coldStartTable(report, earlier),
    ...(report.pressure ? [pressureText(report.pressure)] : []),
    ...(report.events ? [eventsText(report.events)] : []),
    ...(report.batches ? [batchesText(report.batches)] : []),
  ].join("\n\n");
}

function heading({ date, machine, rows, pace }: Report, earlier?: Report): string {
  const gib = (machine.memory / MIB / 1024).toFixed(0);
  const floors = Object.entries(FLOORS).map(([name, title]) => `${name}, ${title}`);
  const lines = [
    `\n${contacts(rows)}, ${date.slice(0, 10)}; ${cores(machine)}, ${gib} GiB; ` +
    `${machine.system}, Deno ${machine.deno}, Postgres ${machine.postgres}.`,
    `Medians of ${pace.rounds} rounds of ${pace.seconds} s. Latencies in ms; CPU in ms a ` +
    "request, of the function and of the REST layer; calls of the REST layer a request; database " +
    "statements a request, including begin and commit.",
    `Floors (a scenario's requests a second are given in % of the floor's): ${floors.join("; ")}.`,
  ];
  if (earlier) {
    const { date, rows, machine } = earlier;
    lines.push(`×: the ratio to ${date.slice(0, 10)}, ${contacts(rows)}, ${cores(machine)}.`);
  }
  return lines.join("\n");
}

function throughputTable(report: Report, clients: number, earlier?: Report): string {
  const before = (row: Measurement) =>
    earlier?.measurements.find((old) =>
      old.clients === clients && old.scenario === row.scenario && old.target === row.target
    );
  const isFunction = ({ target }: Measurement) => target === "function";
  return table(report.measurements.filter((row) => row.clients === clients), [
    [inWords(clients), (row) => isFunction(row) ? row.title : `  ${row.target}`],
    ["req/s", ({ requestsPerSecond }) => requestsPerSecond],
    ["p50", ({ p50 }) => p50],
    ["p95", ({ p95 }) => p95],
    ["p99", ({ p99 }) => p99],
    ["CPU fn", (row) => row.target === "rest" ? "" : row.functionCpu],
    ["CPU REST", (row) => row.restCalls === 0 ? "" : row.restCpu],
    ["MiB", (row) => (row.target === "rest" ? row.restRss : row.functionRss) / MIB],
    ["REST", (row) => isFunction(row) ? row.restCalls.toFixed(2) : ""],
    ["DB", ({ databaseCalls }) => databaseCalls === 0 ? "" : databaseCalls.toFixed(2)],
    ...(Object.keys(FLOORS) as FloorName[]).map((name): Column<Measurement> => [
      `% ${name}`,
      ({ ratios: { [name]: ratio } }) => ratio === undefined ? "" : (ratio * 100).toFixed(0),
    ]),
    ["req/s ×", (row) => times(before(row)?.requestsPerSecond, row.requestsPerSecond)],
    ["p50 ×", (row) => times(before(row)?.p50, row.p50)],
  ]);
}

function growthTables({ growth, rows }: Report): string[] {
  const byClients = Map.groupBy(growth?.measurements ?? [], ({ clients }) => clients);
  return Array.from(byClients, ([clients, measured]) => {
    // `measured` has pairs: a function on the database with fewer rows, then the same function on
    // the database with all rows.
    const pairs = chunk(measured, 2) as [fewer: Measurement, all: Measurement][];
    return table(pairs, [
      [`Growth, ${inWords(clients)}`, ([, { title }]) => title],
      [`p50, ${contacts(growth!.fewerRows)}`, ([{ p50 }]) => p50],
      [`p50, ${contacts(rows)}`, ([, { p50 }]) => p50],
      ["p50 ×", ([, { p50Ratios }]) => p50Ratios["fewer rows"]!.toFixed(2)],
      ["req/s ×", ([, { ratios }]) => ratios["fewer rows"]!.toFixed(2)],
    ]);
  });
}

function coldStartTable({ coldStarts }: Report, earlier?: Report): string {
  const bare = coldStarts[0].firstAnswer.median;
  const before = ({ name }: ColdStart) => earlier?.coldStarts.find((old) => old.name === name);
  const kb = (bytes: number) => (bytes / KB).toFixed(1);
  return table(coldStarts, [
    ["Cold start", ({ name }) => name],
    ["ms", ({ firstAnswer }) => firstAnswer.median],
    ["from–to", ({ firstAnswer: { min, max } }) => `${digits(min)}–${digits(max)}`],
    ["× Deno", ({ firstAnswer }) => times(bare, firstAnswer.median)],
    ["minified kB", ({ bundle }) => kb(bundle)],
    ["gzipped kB", ({ gzipped }) => kb(gzipped)],
    ["JSON kB", ({ json }) => kb(json)],
    ["gzipped JSON kB", ({ jsonGzipped }) => kb(jsonGzipped)],
    ["ms ×", (row) => times(before(row)?.firstAnswer.median, row.firstAnswer.median)],
    ["gzipped ×", (row) => times(before(row)?.gzipped, row.gzipped)],
  ]);
}

function pressureText(pressure: Pressure): string {
  const { clients, seconds, requests, failed, p50, p99, memory, outage } = pressure;
  return [
    `Under pressure: ${clients} clients for ${seconds.toFixed(0)} s, lists and creates in turn.`,
    `  ${requests} answers, ${failed} of them not 2xx; ` +
    `p50 ${digits(p50)} ms, p99 ${digits(p99)} ms (${(p99 / p50).toFixed(1)} times).`,
    ...(["gateway", "REST"] as const).map((process) =>
      `  ${process}: ${digits(memory.after10Seconds[process] / MIB)} MiB after 10 s, ` +
      `${digits(memory.atEnd[process] / MIB)} MiB at the end.`
    ),
    `The database down for ${outage.seconds.toFixed(1)} s: ${outage.requests} answers, ` +
    `${outage.unavailable} of them 503 with Retry-After, all others good; the slowest after ` +
    `${digits(outage.slowest)} ms.`,
    `  After its return: the first good answer after ${outage.firstSuccessAfter} ms, ` +
    `the last 503 after ${outage.lastFailureAfter} ms.`,
  ].join("\n");
}

function eventsText({ inbound, statuses, sendsBeside }: Events): string {
  return [
    `An event of one inbound message of a new person: p50 ${digits(inbound.p50)} ms, ` +
    `p95 ${digits(inbound.p95)} ms.`,
    `${statuses.count.toLocaleString("en")} statuses of ${
      statuses.sends.toLocaleString("en")
    } sends in ` +
    `batches of ${statuses.batch}: ${digits(statuses.perSecond)} statuses a second, a batch in ` +
    `${digits(statuses.p50)} ms (p95 ${digits(statuses.p95)} ms), none lost, no deadlock.`,
    `  Meanwhile, ${sendsBeside.count} templates were sent, p50 ${digits(sendsBeside.p50)} ms.`,
  ].join("\n");
}

function batchesText({ rows, batch, single, ...kinds }: Batches): string {
  return [
    `Contacts in batches of ${batch}, by one client, in rows a second; a single create writes ${
      digits(single)
    }.`,
    ...(["new", "known"] as const).map((kind) => {
      const { batch, bare, ofSingles, ofBare } = kinds[kind];
      return `  ${rows.toLocaleString("en")} ${kind} ones: ${digits(batch)}, ` +
        `${digits(ofSingles)} times single creates (bar: ${BAR_OF_SINGLES}), ` +
        `${(ofBare * 100).toFixed(0)} % of a bare upsert's ${digits(bare)} (bar: ${
          BAR_OF_BARE * 100
        } %).`;
    }),
  ].join("\n");
}

function contacts(count: number): string {
  return `${count.toLocaleString("en")} contacts`;
}

function cores({ cores, cpu }: Report["machine"]): string {
  return `${cores} cores of ${cpu}`;
}
