/** The numbers of days that a person can choose. */
export const PERIODS = [7, 30, 90];

/** The shown sends began in this period. A null `since` or `until` means no limit. */
export interface Period {
  since: string | null;
  until: string | null;
}

/** The period in the URL's filters: a `day`, or the last `days`, in the user's time zone. */
export function periodOf(query: URLSearchParams, now = new Date()): Period {
  const day = /^(\d{4})-(\d\d)-(\d\d)$/.exec(query.get("day") ?? "");
  if (day) {
    const [year, month, date] = day.slice(1).map(Number);
    return { since: dayBegins(year, month - 1, date), until: dayBegins(year, month - 1, date + 1) };
  }
  const days = Number(query.get("days"));
  if (!PERIODS.includes(days)) return { since: null, until: null };
  const [year, month, date] = [now.getFullYear(), now.getMonth(), now.getDate()];
  return { since: dayBegins(year, month, date - days + 1), until: null };
}

function dayBegins(year: number, month: number, date: number): string {
  return new Date(year, month, date).toISOString();
}
