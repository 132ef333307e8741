/** How often an event of one kind happened on a day. */
export interface Counted<Kind> {
  /** For example `2026-11-22`. */
  day: string;
  kind: Kind;
  count: number;
}

/** The counts of one day. */
export interface DayCounts<Kind> {
  day: string;
  /** A count for each kind of the series, even if the count is zero. */
  counts: Map<Kind, number>;
  total: number;
}

/** Counts for a range of days. Each day and each kind is present, even if nothing happened. */
export interface Series<Kind> {
  kinds: Kind[];
  /** The days, the oldest first. */
  days: DayCounts<Kind>[];
  /** The totals of all days. */
  totals: Map<Kind, number>;
  total: number;
  /**
   * The day with the highest total. If several days have this total, the latest of them. Null when
   * no event happened.
   */
  peak: DayCounts<Kind> | null;
}

/**
 * Creates a series from counts. Counts of other days are left out, because the database may keep
 * old counts for a while.
 * @param kinds the kinds, in display order. Counts of other kinds are left out.
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
