// The quick form of `npm run attack`, on a stack of its own: floods and kills must not disturb other tests.
import assert from "node:assert/strict";
import { attack } from "../../attack/attack.ts";
import { type PartName, PARTS } from "../../attack/report.ts";

const SEED = 1;
/** Fewer attempts than these are no attack. */
const LEAST: Record<PartName, number> = {
  fuzz: 240,
  keyless: 20,
  neighbour: 32, // 8 connections, four floods
  kills: 2,
  faults: 100,
};

Deno.test("an attack", async (t) => {
  await using resources = new AsyncDisposableStack();
  const { results } = await attack({ quick: true, seed: SEED, scale: 1, seconds: 1 }, resources);
  for (const { part, attempts, findings } of results) {
    await t.step(`${part} finds nothing: ${PARTS[part as PartName]}`, () => {
      assert.ok(attempts >= LEAST[part as PartName], `${attempts} attempts`);
      assert.deepEqual(findings, []);
    });
  }
  assert.deepEqual(results.map(({ part }) => part), Object.keys(PARTS));
});
