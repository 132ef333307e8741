// Tests a gateway whose clock differs from the database's clock.
import assert from "node:assert/strict";
import { root } from "../../local/checkout.ts";
import { startFunctionProcess } from "../../local/functions/process.ts";
import { newCompany } from "../support/company.ts";
import { until } from "../support/started.ts";
import { environment } from "../support/test_stack.ts";

const troubleIn = (log: string) => log.split("\n").find((line) => line.includes('"clock_trouble"'));

/** Lists contacts through a gateway whose clock is off by this number of seconds. */
async function list(key: string, seconds: number) {
  await using gateway = await startFunctionProcess({
    entry: `${root}tests/gateway/shifted_gateway.ts`,
    env: { ...environment(), CLOCK_MS: String(seconds * 1000) },
  });
  const answer = await fetch(`${gateway.url}/gateway/contacts`, {
    headers: { Authorization: `Bearer ${key}` },
  });
  const { status, headers } = answer;
  // The log line may arrive after the response.
  if (status !== 200) await until(() => troubleIn(gateway.log()) !== undefined);
  return { status, headers, body: await answer.json(), log: gateway.log() };
}

Deno.test("a gateway whose clock is ahead, or up to two minutes behind, accepts requests", async () => {
  const { keys } = await newCompany();
  for (const seconds of [86_400, -120]) {
    assert.equal((await list(keys.read, seconds)).status, 200, `${seconds} s`);
  }
});

Deno.test("a gateway whose clock is far behind returns a 503 and logs the clock as the cause", async () => {
  const { keys } = await newCompany();
  const { status, headers, body, log } = await list(keys.read, -600);
  assert.deepEqual(
    [status, body.code, headers.get("Retry-After")],
    [503, "database_unavailable", "2"],
  );
  const line = JSON.parse(troubleIn(log)!);
  assert.deepEqual(
    [line.event, line.request_id, line.database.code],
    ["clock_trouble", body.request_id, "PGRST303"],
  );
});
