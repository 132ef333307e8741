import { digits, table, times } from "../table.ts";
import type { Machine } from "../machine.ts";
import type { Figures, PartResult, Row } from "./findings.ts";

/** All results of a run; `--json` writes them. */
export interface Report {
  /** ISO 8601. */
  date: string;
  machine: Machine;
  seed: number;
  /** The names of the checkouts, in the order of the columns of figures. */
  checkouts: string[];
  results: PartResult[];
}

/** The promises that each part of the attack tests, and what it measures. */
export const PARTS = {
  fuzz: "no 500, the OpenAPI document describes every answer, no row or id of another " +
    "company, no log line over 8 KiB, always a 401 without a valid key",
  keyless: "401 for the costliest requests without a valid key; their cost is measured",
  neighbour:
    "while one company floods the service, no request of another company is refused; the times of " +
    "the other company's requests are measured",
  kills:
    "the channel gets no message twice, the outcome of every send becomes known, no row is written twice",
  faults: "no 500, the OpenAPI document describes every answer, Retry-After on every 503",
  events:
    "a 200 for every signed event, even while slow bodies arrive for another app; the time is measured",
  webhooks:
    "no hostile address is accepted, no redirect is followed, no webhook of another company is " +
    "reached; while other receivers are hostile, a good receiver gets every event in order",
  media:
    "no file from a foreign host, no wrong file as a complete response, no file of another company; " +
    "slow files do not delay other companies",
};

export type PartName = keyof typeof PARTS;

/** The report as Markdown. */
export function markdown({ date, machine, seed, checkouts, results }: Report): string {
  const heading = `${date.slice(0, 10)}; ${machine.cores} cores of ${machine.cpu}; ` +
    `Deno ${machine.deno}, Postgres ${machine.postgres}; seed ${seed}.`;
  const summary = table(results, [
    ["part", ({ part }) => part],
    ["attempts", ({ attempts }) => attempts.toLocaleString("en")],
    ["findings", ({ findings }) => String(findings.length)],
    ["promised", ({ part }) => PARTS[part as PartName]],
  ]);
  const figures = results.flatMap((result) =>
    result.figures.map((each) => figuresTable(each, checkouts))
  );
  return [heading, summary, ...figures, ...findingLines(results, seed)].join("\n\n");
}

function figuresTable({ title, rows }: Figures, checkouts: string[]): string {
  return table(rows, [
    [title, ({ name }) => name],
    ...checkouts.map((checkout, at): [string, (row: Row) => string] => [
      checkouts.length === 1 ? "" : checkout,
      ({ values }) => Number.isInteger(values[at]) ? String(values[at]) : digits(values[at]),
    ]),
    ["×", ({ values: [before, after] }) => after === undefined ? "" : times(before, after)],
  ]);
}

/** Each finding, with the command that reproduces it. */
function findingLines(results: PartResult[], seed: number): string[] {
  return results.flatMap(({ part, findings }) =>
    findings.map(({ promise, found, request, times }) =>
      `${part}: it is promised that ${promise}.\n` +
      `  found: ${found}${times > 1 ? ` (${times} times)` : ""}\n` +
      `  request: ${request}\n` +
      `  again: npm run attack -- --only ${part} --seed ${seed}${onlyCase(request)}`
    )
  );
}

/**
 * The option that runs only the case of a finding. A case needs earlier cases only if it reads rows
 * that those cases wrote.
 */
function onlyCase(request: string): string {
  const [, number] = /^case (\d+):/.exec(request) ?? [];
  return number === undefined ? "" : ` --case ${number}`;
}
