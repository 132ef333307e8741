// Tests invariants while two clients change a company's pipelines simultaneously. Positions have no
// gaps, one pipeline is the default, no archived stage has a deal, and every deal's history is
// complete.

import assert from "node:assert/strict";
import * as fc from "fast-check";
import { type Company, newCompany } from "../support/company.ts";
import { call } from "../support/calls.ts";
import { assertInOrder } from "../support/pipelines.ts";
import { personToken, rest } from "../support/rest.ts";
import { runs } from "../support/runs.ts";
import { statement } from "../support/test_stack.ts";

interface Step {
  kind: number;
  one: number;
  other: number;
  position: number;
  isPerson: boolean;
}

const anyStep: fc.Arbitrary<Step> = fc.record({
  kind: fc.nat(11),
  one: fc.nat(20),
  other: fc.nat(20),
  position: fc.nat(7),
  isPerson: fc.boolean(),
});

const EXPECTED = [200, 201, 204, 404, 409, 422, 429, 503];

/** Performs one step of a client, either with an API key or as a user through the Data API. */
async function make(company: Company, person: string, step: Step): Promise<void> {
  const ids = await statement`
    select
      (select array_agg(id order by id) from pipelines where company_id = ${company.id}) as pipelines,
      (select array_agg(id order by id) from stages where company_id = ${company.id}) as stages,
      (select array_agg(id order by id) from deals where company_id = ${company.id}) as deals
  `;
  const pick = (kind: "pipelines" | "stages" | "deals", at: number): string =>
    ids[0][kind][at % ids[0][kind].length];
  const { kind, one, other, position, isPerson } = step;
  const [pipeline, stage, deal] = [pick("pipelines", one), pick("stages", one), pick("deals", one)];
  const [target, elsewhere] = [pick("stages", other), pick("pipelines", other)];
  const company_id = company.id;
  const steps: [method: string, path: string, json?: unknown][] = [
    ["POST", "/pipelines", { name: "Pipeline", position, is_default: other % 3 === 0 }],
    ["PATCH", `/pipelines/${pipeline}`, { position }],
    ["PATCH", `/pipelines/${pipeline}`, { is_default: other % 2 === 0 }],
    ["DELETE", `/pipelines/${pipeline}`],
    ["POST", "/stages", { pipeline_id: pipeline, name: "Stage", position }],
    ["PATCH", `/stages/${stage}`, { position }],
    ["PATCH", `/stages/${stage}`, { pipeline_id: elsewhere, position }],
    ["DELETE", `/stages/${stage}?move_deals_to=${target}`],
    ["DELETE", `/stages/${stage}`],
    ["PATCH", `/deals/${deal}`, { stage_id: target }],
    ["PATCH", `/deals/${deal}`, { status: ["open", "won", "lost"][other % 3] }],
    ["POST", "/deals", { title: "Deal", contact_id: company.contact_id, stage_id: stage }],
  ];
  const [method, path, json] = steps[kind];
  if (!isPerson) {
    const { status, body } = await call(company.keys.all, method, path, { json });
    assert.ok(EXPECTED.includes(status), `${method} ${path}: ${status} ${JSON.stringify(body)}`);
    return;
  }
  const [, table, id] = path.split(/[/?]/);
  const [found, archived] = [`/${table}?id=eq.${id}`, { archived_at: "2026-01-01T00:00:00Z" }];
  const answer = method === "POST"
    ? await rest(person, "POST", `/${table}`, { json: { company_id, ...json as object } })
    : method === "DELETE" && other % 2 === 0
    ? await rest(person, "DELETE", found)
    : await rest(person, "PATCH", found, { json: method === "DELETE" ? archived : json });
  // A deadlock or a lock timeout rolls the statement back.
  const isExpected = EXPECTED.includes(answer.status) || /^(40P01|55P03)$/.test(answer.body.code);
  assert.ok(isExpected, `${method} ${path} of a person: ${JSON.stringify(answer.body)}`);
}

Deno.test("after random requests by two clients, positions have no gaps and histories are complete", async () => {
  const property = fc.asyncProperty(
    fc.array(anyStep, { minLength: 6, maxLength: 14 }),
    fc.array(anyStep, { minLength: 6, maxLength: 14 }),
    async (...clients) => {
      const company = await newCompany();
      const person = await personToken(company.member_id);
      await Promise.all(clients.map(async (steps) => {
        for (const step of steps) await make(company, person, step);
      }));
      await assertInOrder(company.id);
    },
  );
  await fc.assert(property, { numRuns: runs(8), endOnFailure: true });
});
