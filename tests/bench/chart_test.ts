import assert from "node:assert/strict";
import { chart } from "../../bench/chart.ts";
import type { Measurement } from "../../bench/measure.ts";
import type { Report } from "../../bench/report.ts";

/** What a run over so many contacts found, with a latency of so many ms for each client. */
function report(rows: number, msPerClient: number): Report {
  const clients = [1, 16, 64];
  const measured = (scenario: string, count: number): Measurement => ({
    scenario,
    target: "function",
    clients: count,
    requests: 1000,
    requestsPerSecond: 1000,
    p50: msPerClient * count,
    p95: msPerClient * count,
    p99: msPerClient * count,
    functionCpu: null,
    restCpu: null,
    functionRss: null,
    restRss: null,
    restCalls: 1,
    databaseCalls: 4,
    ratios: {},
  });
  return {
    format: 1,
    date: "2026-11-21T00:00:00.000Z",
    machine: {
      cpu: "A & B <C>",
      cores: 2,
      memory: 2 ** 34,
      system: "linux",
      deno: "2",
      postgres: "17",
      node: "20",
    },
    rows,
    pace: { clients, rounds: 5, seconds: 2, warmUpSeconds: 1 },
    titles: { list: "List", create: "Create" },
    databaseCallsAre: "statements",
    measurements: clients.flatMap((count) => [measured("list", count), measured("create", count)]),
    coldStarts: [],
  };
}

function lines(svg: string): number {
  return svg.match(/<polyline /g)?.length ?? 0;
}

Deno.test("there is a line for each scenario, named with what it ends at", () => {
  const svg = chart(report(50_000, 2));
  assert.equal(lines(svg), 2);
  for (const label of ["List: 128 ms", "Create: 128 ms", "64 clients", "50,000 contacts"]) {
    assert.ok(svg.includes(label), label);
  }
});

Deno.test("where growth was measured, there are lines by rows as well", () => {
  const found = ["list", "create"].map((scenario) => ({
    scenario,
    clients: 16,
    p50: [32, 48] as [number, number],
    requestsRatio: 0.7,
    p50Ratio: 1.5,
  }));
  const svg = chart({ ...report(1_000_000, 3), growth: { fewerRows: 50_000, found } });
  assert.equal(lines(svg), 4);
  for (const label of ["List: 48.0 ms", "1,000,000 contacts", "50,000 contacts"]) {
    assert.ok(svg.includes(label), label);
  }
});

Deno.test("what is written in the chart can not end its text", () => {
  const svg = chart(report(50_000, 2));
  assert.ok(svg.includes("A &amp; B &lt;C>") && !svg.includes("A & B"));
});
