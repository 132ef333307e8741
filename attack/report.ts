import { digits, table, times } from "../bench/table.ts";
import type { Machine } from "../bench/machine.ts";
import type { Figures, PartResult, Row } from "./findings.ts";

/** All that a run has come to; `--json` writes it. */
export interface Report {
  /** ISO 8601. */
  date: string;
  machine: Machine;
  seed: number;
  /** The names of the checkouts, in the order of the columns of figures. */
  checkouts: string[];
  results: PartResult[];
}

/** What each part tries, and what is promised of it. */
export const PARTS = {
  fuzz:
    "no 500, nothing outside of the OpenAPI document, no row or id of another company, no log " +
    "line over 8 KiB, 401 without a valid key whatever else is wrong",
  keyless: "401 for each of the costliest requests; their cost is measured",
  neighbour:
    "no request of a company is refused because another one floods; its waits are measured",
  kills: "no message is at the channel twice, every send ends known, no row is written twice",
  faults: "no 500, every answer is one that the OpenAPI document declares, 503 with Retry-After",
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

/** Each finding with what is needed to see it again. */
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

/** A case of the fuzz needs no other before it, unless it depends on what they have written. */
function onlyCase(request: string): string {
  const [, number] = /^case (\d+):/.exec(request) ?? [];
  return number === undefined ? "" : ` --case ${number}`;
}
