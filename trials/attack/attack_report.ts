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
  fuzz:
    "no 500, nothing outside of the OpenAPI document, no row or id of another company, no log " +
    "line over 8 KiB, 401 without a valid key whatever else is wrong",
  keyless: "401 for the costliest requests without a valid key; their cost is measured",
  neighbour:
    "no request of a company is refused while another company floods the service; the time that its " +
    "requests take is measured",
  kills:
    "the channel gets no message twice, the outcome of every send becomes known, no row is written twice",
  faults: "no 500, every answer is one that the OpenAPI document declares, 503 with Retry-After",
  events:
    "200 for signed events, whatever they contain, even if another app's path is slow; the time is measured",
  webhooks:
    "no hostile address is accepted, no redirect followed, no webhook of another company reached; while " +
    "other receivers are hostile, a good receiver gets every event in order",
  media:
    "no file from a foreign host, no wrong file as a complete response, no file of another company; " +
    "slow files hold up no other company",
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
