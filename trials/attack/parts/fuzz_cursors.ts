import { encodeBase64Url } from "deno-std/encoding/base64url.js";
import * as fc from "fast-check";
import { nastyText } from "../../../tests/support/nasty_text.ts";

const LISTS = [
  ...["contacts", "deals", "pipelines", "stages", "conversations", "teams"],
  ...["company_members", "messages", "templates"],
];

/** Times in the format of cursors, and nearly valid times. */
const times = fc.oneof(
  fc.constantFrom(
    ...["2026-01-01T00:00:00Z", "2026-01-01T00:00:00.000001+00:00", "9999-12-31T23:59:59+00:00"],
    ...["0001-01-01T00:00:00-14:59", "2026-02-30T00:00:00+00:00", "infinity", "now", "epoch"],
    ...["2026-01-01", "20260101", "2026-01-01T00:00:00+99:99", "2026-01-01T24:00:00Z", ""],
  ),
  fc.constantFrom(6, 7, 9, 20, 127, 128, 129, 1_000, 10_000, 30_000)
    .map((decimals) => `2026-01-01T00:00:00.${"1".repeat(decimals)}+00:00`),
);

const ids = fc.oneof(fc.uuid(), fc.constantFrom("", "0", "a".repeat(5_000), '",id.gt."0', "*)"));
const values = fc.oneof(
  { weight: 4, arbitrary: times },
  { weight: 4, arbitrary: ids },
  fc.integer(),
  fc.constantFrom(null, true, 1e308, -1e308, 2 ** 53, 0.1, [], {}, [["x"]], { toString: 1 }),
  nastyText,
);

/**
 * Real cursors, including those of another company, and nearly valid cursors.
 * @param table the table whose list gets these cursors.
 * @param real cursors from pages.
 */
export function cursors(table: string, real: string[]): fc.Arbitrary<string> {
  const tables = fc.oneof(
    { weight: 4, arbitrary: fc.constant(table) },
    fc.constantFrom(...LISTS, "api_keys", "nothing"),
  );
  // The empty string after the table means a query without filters and sort.
  const made = fc.tuple(tables, times, ids)
    .map(([table, ...start]) => encode([table, "", ...start]));
  const wild = fc.tuple(tables, fc.array(values, { maxLength: 5 }))
    .map(([table, start]) => encode([table, "", ...start]));
  const given = fc.constantFrom(...real);
  const altered = fc.tuple(
    given,
    fc.nat(),
    fc.constantFrom("", "A", "=", "~", "%", "\u00e9", "AAAA"),
  )
    .map(([cursor, at, put]) => {
      const place = at % (cursor.length + 1);
      return cursor.slice(0, place) + put + cursor.slice(place + 1);
    });
  return fc.oneof(
    ...[given, altered, nastyText, fc.constant(""), fc.base64String()],
    { weight: 4, arbitrary: made },
    { weight: 4, arbitrary: wild },
  );
}

function encode(value: unknown): string {
  return encodeBase64Url(JSON.stringify(value));
}
