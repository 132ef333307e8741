// Tests the dates that the settings page offers for the expiry of an API key.
import assert from "node:assert/strict";
import { tomorrow } from "../../settings/page/keys/expiry.ts";

/** Runs synchronous code in this time zone. */
function inZone(zone: string, run: () => void) {
  const own = Deno.env.get("TZ");
  Deno.env.set("TZ", zone);
  try {
    run();
  } finally {
    if (own === undefined) Deno.env.delete("TZ");
    else Deno.env.set("TZ", own);
  }
}

Deno.test("the first day that a user can choose for the expiry of a key is tomorrow, even on a day with 25 or 23 hours", () => {
  inZone("Europe/Berlin", () => {
    // Summer time begins on 2026-03-29 and ends on 2026-10-25.
    const days = {
      "2026-10-25T00:30:00+02:00": "2026-10-26",
      "2026-10-25T23:30:00+01:00": "2026-10-26",
      "2026-03-28T23:30:00+01:00": "2026-03-29",
      "2026-03-29T00:30:00+01:00": "2026-03-30",
      "2026-12-31T23:59:59+01:00": "2027-01-01",
    };
    for (const [now, next] of Object.entries(days)) {
      assert.equal(tomorrow(new Date(now)), next, now);
    }
  });
});
