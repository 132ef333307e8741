// Tests how long the service tries to release a claim whose response was lost. The time of these
// tests is simulated.
import assert from "node:assert/strict";
import type { CompanyDb } from "../../supabase/functions/_shared/database/company_db.ts";
import { DatabaseError } from "../../supabase/functions/_shared/database/rows.ts";
import { claimSend } from "../../supabase/functions/_shared/sending/claim.ts";
import { readSenderConfig } from "../../supabase/functions/_shared/template_sends/template_send_config.ts";
import { logged } from "../support/log_lines.ts";
import { backgroundWork } from "../support/own_functions.ts";
import { environment } from "../support/test_stack.ts";

/** A claim fails, and the database is away for some time from then on. */
interface Outage {
  seconds: number;
  /** How long the database takes to fail. */
  failsAfter?: number;
}

/**
 * Makes a claim at the beginning of an outage.
 * @returns after how many seconds the claim was released, or null if it never was; and the number
 * of attempts.
 */
async function releasedAfter({ seconds, failsAfter = 0 }: Outage) {
  const config = await readSenderConfig(environment({}));
  const away = { code: "", message: "no answer", details: "", hint: "" };
  let [clock, attempts] = [0, 0];
  let released: number | null = null;
  const attempt = () => {
    attempts++;
    if (clock >= seconds) {
      released = clock;
      return { data: "released", error: null };
    }
    clock += failsAfter;
    return { data: null, error: away, status: 503 };
  };
  const db = {
    rpc: () => ({
      setHeader() {},
      // deno-lint-ignore no-explicit-any -- a query of supabase-js is a thenable
      then: (resolve: any) => resolve(attempt()),
    }),
  } as unknown as CompanyDb;
  await backgroundWork(); // the work of earlier tests has real time
  const { setTimeout } = globalThis;
  const now = performance.now.bind(performance);
  // deno-lint-ignore no-explicit-any -- the type of Node's setTimeout has more members
  (globalThis as any).setTimeout = (done: () => void, ms: number) => {
    clock += ms / 1000;
    return setTimeout(done);
  };
  performance.now = () => clock * 1000;
  try {
    const claiming = claimSend(
      { db, wasJudged() {} },
      config,
      { claimId: "the claim", origin: { requestId: "r" } },
      // deno-lint-ignore no-explicit-any -- PostgrestError has more members
      () => Promise.reject(new DatabaseError(503, away as any)),
    );
    await assert.rejects(claiming, DatabaseError);
    await backgroundWork();
  } finally {
    globalThis.setTimeout = setTimeout;
    performance.now = now;
  }
  return { released, attempts };
}

Deno.test("a lost claim is released before its lease ends, even if the database is away for 75 seconds", async () => {
  for (const seconds of [0, 10, 45, 75]) {
    const { released } = await releasedAfter({ seconds });
    assert.ok(released && released < 80, `${seconds} s: ${released}`);
    assert.ok(released - seconds <= 10, `${seconds} s: ${released}`);
  }
});

Deno.test("after the lease of a lost claim has ended, the service stops trying to release it, and the log says so at most 10 times in ten seconds", async () => {
  const lines = await logged(async () => {
    assert.deepEqual(await releasedAfter({ seconds: Infinity, failsAfter: 10 }), {
      ...{ released: null, attempts: 6 },
    });
    for (let claim = 0; claim < 11; claim++) await releasedAfter({ seconds: Infinity });
  });
  const facts = lines.map((line) => JSON.parse(line)).map(({ event, claim_id, request_id }) => ({
    ...{ event, claim_id, request_id },
  }));
  const line = { event: "claim_not_released", claim_id: "the claim", request_id: "r" };
  assert.deepEqual(facts, Array(10).fill(line));
});
