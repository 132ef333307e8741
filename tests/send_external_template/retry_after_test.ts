// Tests how many seconds a caller must wait. The number comes from the channel's response or, if
// the response has none, from the table of error codes.

import assert from "node:assert/strict";
import { outcomeOf } from "../../supabase/functions/_shared/channel/outcome.ts";

const A_DAY = 86_400;
const THROTTLED = { error: { code: 130429 } };
const PAIR_THROTTLED = { error: { code: 131056 } };

function waitFor(retryAfter: string | null, body: unknown = THROTTLED, status = 429) {
  const outcome = outcomeOf({ status, body, retryAfter });
  assert.equal(outcome.kind, "not_taken");
  return (outcome as { retryAfter?: number }).retryAfter;
}

Deno.test("a `Retry-After` in seconds is passed on to the caller, but never more than one day", () => {
  const known: [string, number][] = [
    ["0", 0],
    ["1", 1],
    ["30", 30],
    ["007", 7],
    ["86399", A_DAY - 1],
    ["86400", A_DAY],
    ["86401", A_DAY],
    ["99999999999999999999", A_DAY],
    ["9".repeat(400), A_DAY],
  ];
  for (const [header, seconds] of known) assert.equal(waitFor(header), seconds, header);
});

Deno.test("a `Retry-After` with a date is converted to the seconds until that date", () => {
  const inTwoMinutes = new Date(Date.now() + 120_000);
  const [day, date, month, year, time] = inTwoMinutes.toUTCString().split(/,? /);
  const weekdays = ["Sun", "Mon", "Tues", "Wednes", "Thurs", "Fri", "Satur"];
  const forms = [
    `${day}, ${date} ${month} ${year} ${time} GMT`,
    `${weekdays[inTwoMinutes.getUTCDay()]}day, ${date}-${month}-${year.slice(2)} ${time} GMT`,
  ];
  for (const header of forms) {
    const seconds = waitFor(header)!;
    // The date is rounded to whole seconds, and a slow computer may add some delay.
    assert.ok(Number.isInteger(seconds) && seconds > 90 && seconds <= 120, `${header}: ${seconds}`);
  }
});

Deno.test("a `Retry-After` with a date results in a waiting time between 0 seconds and one day", () => {
  for (const ms of [0, -1000, -120_000, -1e12]) {
    assert.equal(waitFor(new Date(Date.now() + ms).toUTCString()), 0);
  }
  for (const ms of [2 * A_DAY * 1000, 1e13]) {
    assert.equal(waitFor(new Date(Date.now() + ms).toUTCString()), A_DAY);
  }
});

Deno.test("a `Retry-After` that contains neither seconds nor a date is ignored", () => {
  const junk = [
    ...["", "soon", "30s", "0x10", "1e3", "Infinity", "NaN", "null", "12:00", "٣", "<b>", "-5"],
    ...["1.5", "+6", "5, 6", "Wed, 21 Oct", "1 January 2099"],
  ];
  for (const header of [null, ...junk]) {
    assert.equal(waitFor(header), undefined, String(header));
    assert.equal(waitFor(header, PAIR_THROTTLED), 6, String(header));
  }
});

Deno.test("the channel's `Retry-After` takes precedence over the default waiting time of the error code", () => {
  const known: [number, number][] = [[131056, 6], [134101, 600]];
  for (const [code, seconds] of known) {
    const body = { error: { code } };
    for (const status of [200, 400, 429, 500]) {
      assert.equal(waitFor(null, body, status), seconds);
      assert.equal(waitFor("30", body, status), 30);
      assert.equal(waitFor("0", body, status), 0);
    }
  }
});

Deno.test("a waiting time is returned only if it is certain that the channel did not accept the message", () => {
  assert.equal(waitFor("30", undefined, 503), 30);
  assert.equal(waitFor("30", undefined, 429), 30);
  assert.equal(waitFor("30", { error: { code: 131016 } }, 500), 30);
  assert.equal(waitFor(null, undefined, 503), undefined);
  for (const [status, body] of [[500, undefined], [400, { error: { code: 132001 } }]] as const) {
    assert.ok(!("retryAfter" in outcomeOf({ status, body, retryAfter: "30" })));
  }
});
