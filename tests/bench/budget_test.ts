import assert from "node:assert/strict";
import budget from "../../trials/bench/budget.json" with { type: "json" };
import { type Budget, countCosts } from "../../trials/bench/budget.ts";

/**
 * Byte counts may differ by this ratio, because the compressed code and strings with times vary in
 * length from run to run.
 */
const BYTES_TOLERANCE = 0.03;

/**
 * In about one of five runs, an event needs one more statement, or Postgres makes a plan for one of
 * its statements.
 */
const MAY_VARY = ["statements", "planned"];

Deno.test("every operation has the cost that trials/bench/budget.json states", async () => {
  await using resources = new AsyncDisposableStack();
  const { operations, bundles, schemas } = await countCosts(resources);
  const differing = [
    ...differences(budget.operations, operations),
    ...differences({ gzipped: budget.bundles }, { gzipped: bundles }),
    ...differences({ schemas: budget.schemas }, { schemas }, 0),
  ];
  assert.deepEqual(
    differing,
    [],
    "if this change is intended, run npm run bench -- --budget and explain why",
  );
});

/** The numbers that differ, such as `list: 22 columns, not 21`. */
function differences(
  allowed: Budget["operations"] | object,
  counted: object,
  tolerance = BYTES_TOLERANCE,
): string[] {
  const [before, now] = [allowed, counted] as Record<string, Record<string, number>>[];
  return Object.keys({ ...before, ...now }).flatMap((name) =>
    Object.keys({ ...before[name], ...now[name] }).flatMap((what) => {
      const [was, is] = [before[name]?.[what] ?? 0, now[name]?.[what] ?? 0];
      const slack = MAY_VARY.includes(what) ? 1 : was > 200 ? was * tolerance : 0;
      return Math.abs(is - was) <= slack ? [] : [`${name}: ${is} ${what}, not ${was}`];
    })
  );
}
