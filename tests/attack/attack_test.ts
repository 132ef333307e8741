// Tests the short form of `npm run attack`. The test has its own stack because floods and kills
// would disturb other tests.
import assert from "node:assert/strict";
import { attack } from "../../trials/attack/attack.ts";
import { type PartName, PARTS } from "../../trials/attack/attack_report.ts";

const SEED = 1;
/** The minimum number of attempts in each part. */
const LEAST: Record<PartName, number> = {
  fuzz: 240,
  keyless: 20,
  neighbour: 32, // 8 connections, four floods
  kills: 2,
  faults: 100,
  events: 10,
  webhooks: 70,
  media: 30,
};

Deno.test("the short form of `npm run attack` finds no vulnerability", async (t) => {
  await using resources = new AsyncDisposableStack();
  const { results } = await attack({ quick: true, seed: SEED, scale: 1, seconds: 1 }, resources);
  for (const { part, attempts, findings } of results) {
    await t.step(`${part}: ${PARTS[part as PartName]}`, () => {
      assert.ok(attempts >= LEAST[part as PartName], `${attempts} attempts`);
      assert.deepEqual(findings, []);
    });
  }
  assert.deepEqual(results.map(({ part }) => part), Object.keys(PARTS));
});
