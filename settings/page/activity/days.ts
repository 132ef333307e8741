const DAY = 24 * 60 * 60 * 1000;

/**
 * The last days up to today, the oldest first, such as `2026-11-22`. Days are in UTC, as the
 * database counts them.
 * @param now another time, for tests.
 */
export function lastDays(count: number, now = new Date()): string[] {
  return Array.from({ length: count }, (_, index) => {
    return new Date(now.getTime() - (count - 1 - index) * DAY).toISOString().slice(0, 10);
  });
}
