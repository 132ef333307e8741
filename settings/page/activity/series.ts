/** How often something of a kind happened on a day. */
export interface Counted<Kind> {
  /** Such as `2026-11-22`. */
  day: string;
  kind: Kind;
  count: number;
}

/** What happened on one day. */
export interface DayCounts<Kind> {
  day: string;
  /** One for each kind of the series, also where it is zero. */
  counts: Map<Kind, number>;
  total: number;
}

/** What happened over some days: each day and each kind is there, also where nothing happened. */
export interface Series<Kind> {
  kinds: Kind[];
  /** The oldest first. */
  days: DayCounts<Kind>[];
  /** Of all days. */
  totals: Map<Kind, number>;
  total: number;
  /** The day on which most happened, the latest of several; null when nothing happened at all. */
  peak: DayCounts<Kind> | null;
}

/**
 * Puts counts into a series. A day that is not asked for is left out: the database may keep an old one until it
 * tidies up.
 * @param kinds in their order. A kind that is not among them is left out.
 */
export function seriesOf<Kind>(
  counted: Counted<Kind>[],
  kinds: Kind[],
  days: string[],
): Series<Kind> {
  const byDay = new Map(days.map((day) => [day, zeroes(kinds)]));
  const totals = zeroes(kinds);
  for (const { day, kind, count } of counted) {
    const counts = byDay.get(day);
    if (!counts?.has(kind)) continue;
    counts.set(kind, counts.get(kind)! + count);
    totals.set(kind, totals.get(kind)! + count);
  }
  const rows = [...byDay].map(([day, counts]) => ({ day, counts, total: sum(counts) }));
  const most = rows.reduce((most, row) => row.total >= most.total ? row : most);
  const peak = most.total > 0 ? most : null;
  return { kinds, days: rows, totals, total: sum(totals), peak };
}

function zeroes<Kind>(kinds: Kind[]): Map<Kind, number> {
  return new Map(kinds.map((kind) => [kind, 0]));
}

function sum(counts: Map<unknown, number>): number {
  return [...counts.values()].reduce((total, count) => total + count, 0);
}
