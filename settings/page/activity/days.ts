/** The last days in the user's time zone, oldest first, such as `2026-11-22`. */
export function lastDays(count: number, now = new Date()): string[] {
  return Array.from({ length: count }, (_, index) => {
    const day = new Date(now.getFullYear(), now.getMonth(), now.getDate() - (count - 1 - index));
    return [day.getFullYear(), day.getMonth() + 1, day.getDate()]
      .map((part) => String(part).padStart(2, "0")).join("-");
  });
}

/** The time zone of these days, by a name that the database accepts. */
export function zoneOfDays(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}
