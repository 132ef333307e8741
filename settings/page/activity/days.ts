const DAY = 24 * 60 * 60 * 1000;

/**
 * The days up to today, the oldest first, such as `2026-11-22`. A day is one of UTC, as the database counts.
 * @param now that another day can be asked about.
 */
export function lastDays(count: number, now = new Date()): string[] {
  return Array.from({ length: count }, (_, index) => {
    return new Date(now.getTime() - (count - 1 - index) * DAY).toISOString().slice(0, 10);
  });
}
