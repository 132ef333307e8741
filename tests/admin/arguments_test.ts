import assert from "node:assert/strict";
import { InvalidArgumentError } from "commander";
import {
  channelId,
  countUpTo,
  email,
  eventStates,
  futureMoment,
  memberRole,
  nameOf,
  overlapHours,
  pageAddress,
  pastMoment,
  phone,
  scopes,
  uuid,
} from "../../admin/arguments.ts";

function refuses(read: (value: string) => unknown, ...values: string[]) {
  for (const value of values) assert.throws(() => read(value), InvalidArgumentError, value);
}

Deno.test("an expiry is a date, with or without a time, and is in UTC unless it has an offset", () => {
  assert.equal(futureMoment("2999-12-31"), "2999-12-31T00:00:00.000Z");
  assert.equal(futureMoment("2999-01-31T18:00"), "2999-01-31T18:00:00.000Z");
  assert.equal(futureMoment("2999-01-31T18:00:00Z"), "2999-01-31T18:00:00.000Z");
  assert.equal(futureMoment("2999-01-31T18:00:00.5-03:00"), "2999-01-31T21:00:00.500Z");
});

Deno.test("an expiry is refused if the date does not exist, has the wrong format or is in the past", () => {
  refuses(futureMoment, "2999-02-30", "2999-13-01", "2999-01-01T25:00Z", "2999-01-01T10:00+99:00");
  refuses(futureMoment, "", "2999", "2999-01", "tomorrow", "18:00", "31/01/2999", "2999-01-31Z");
  refuses(futureMoment, "2020-01-01", new Date().toISOString());
});

Deno.test("a time in the past can be given as a duration before now, as a date, or as a date with a time", () => {
  assert.equal(pastMoment("2026-01-31"), "2026-01-31T00:00:00.000Z");
  assert.equal(pastMoment("2026-01-31T18:00-03:00"), "2026-01-31T21:00:00.000Z");
  const ago = { "90m": 5_400_000, "24h": 86_400_000, "7d": 604_800_000 };
  for (const [value, ms] of Object.entries(ago)) {
    assert.ok(Math.abs(Date.now() - ms - Date.parse(pastMoment(value))) < 60_000, value);
  }
  refuses(pastMoment, "", "7", "7w", "-1h", "1.5h", "99999d", "yesterday");
  refuses(pastMoment, "2026-02-30", "2999-01-01");
});

Deno.test("event states are separated by commas, and a limit is a whole number from 1 to 1000", () => {
  assert.deepEqual(eventStates("failed, dead,failed"), ["failed", "dead"]);
  refuses(eventStates, "", "failed,", "lost", "FAILED");
  assert.equal(countUpTo(1000)("1000"), 1000);
  refuses(countUpTo(1000), "", "0", "1001", "-1", "1.5", "1e2", "many");
});

Deno.test("scopes are separated by commas, and duplicate scopes count once", () => {
  assert.deepEqual(scopes("messaging"), ["messaging"]);
  assert.deepEqual(scopes("write, read,write"), ["write", "read"]);
  refuses(scopes, "", "read,", "read write", "admin", "READ");
});

Deno.test("the overlap of a key rotation is `now`, or a number of hours or days up to one week", () => {
  const overlaps = { now: 0, "0": 0, "1h": 1, "24h": 24, "7d": 168, "36": 36, "168": 168 };
  for (const [value, hours] of Object.entries(overlaps)) {
    assert.equal(overlapHours(value), hours, value);
  }
  refuses(overlapHours, "", "8d", "169", "169h", "-1", "1.5h", "90m", "7w", "NOW", "1h ", "1e2");
});

Deno.test("a member needs an email address and one of three roles, and the invitation page must be a URL", () => {
  assert.equal(email(" Ada@example.com "), "Ada@example.com");
  refuses(email, "", "ada", "@example.com", "ada@", "a b@example.com");
  refuses(email, `${"a".repeat(250)}@b.example`);
  assert.equal(memberRole("owner"), "owner");
  refuses(memberRole, "", "Owner", "boss");
  assert.equal(pageAddress("http://127.0.0.1:54321/settings/"), "http://127.0.0.1:54321/settings/");
  refuses(pageAddress, "", "/settings", "ftp://example.com", "https://", "javascript:alert(1)");
});

Deno.test("the command and the database apply the same rules to ids, phone numbers and names", () => {
  const id = "de300000-0000-4000-8000-000000000001";
  assert.equal(uuid(id.toUpperCase()), id);
  refuses(uuid, "", "7", "de300000-0000-4000-8000-00000000000g");
  assert.equal(channelId("106540352242922"), "106540352242922");
  refuses(channelId, "", "+7", "1".repeat(33));
  assert.equal(phone("+5511987654321"), "+5511987654321");
  refuses(phone, "", "5511987654321", "+55 11 98765-4321", "+0123456789");
  assert.equal(nameOf(255)(` ${"👍".repeat(255)} `), "👍".repeat(255));
  refuses(nameOf(255), "", " ", "a".repeat(256));
});
