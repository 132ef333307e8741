import assert from "node:assert/strict";
import { type Answer, call } from "./calls.ts";
import { until } from "./started.ts";

/**
 * Waits until the changes at a path are as expected, and returns them. The API shows a change only
 * after all earlier transactions have ended, including transactions of other tests.
 */
export async function changesOnce(
  key: string,
  path: string,
  // deno-lint-ignore no-explicit-any -- rows as the API returns them
  areSo: (rows: any[]) => unknown,
): Promise<Answer> {
  let told: Answer;
  await until(async () => {
    told = await call(key, "GET", path);
    assert.equal(told.status, 200, JSON.stringify(told.body));
    return areSo(told.body.data);
  });
  return told!;
}
