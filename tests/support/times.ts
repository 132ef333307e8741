/** Strings that have the format of a time, but that Postgres cannot read. */
export const UNREADABLE_TIMES = [
  "0000-01-01T00:00:00Z",
  "2026-13-45T00:00:00+00:00",
  "2026-02-30T00:00:00+00:00",
  "2026-11-22T12:00:00+16:00",
  "2026-11-22T12:00:00-23:59",
  `2026-11-22T12:00:00.${"1".repeat(150)}+00:00`,
];
