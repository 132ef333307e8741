import assert from "node:assert/strict";
import { type Answer, call } from "./calls.ts";
import { until } from "./started.ts";

/**
 * Returns the changes at a path once they are as expected. A change is shown only after the
 * transactions that began before it, and other tests may have such transactions at any time.
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
