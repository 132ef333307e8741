// How long a new key lives.

/** What may be chosen; `date` is a day that the person names. */
export const EXPIRIES = ["never", "month", "quarter", "year", "date"] as const;
export type Expiry = typeof EXPIRIES[number];

const DAYS = { month: 30, quarter: 90, year: 365 };

/** When a key ends that lives so long from now on; null: never. */
export function expiryAt(expiry: Exclude<Expiry, "date">): string | null {
  if (expiry === "never") return null;
  return new Date(Date.now() + DAYS[expiry] * 86_400_000).toISOString();
}

/** The last moment of a day such as `2027-01-31`, where the person is; null when it is none. */
export function endOfDay(day: string): string | null {
  const end = new Date(`${day}T23:59:59`);
  return Number.isNaN(end.getTime()) ? null : end.toISOString();
}

/** The day after today, as a field of a date has it. */
export function tomorrow(): string {
  const day = new Date(Date.now() + 86_400_000);
  const two = (number: number) => String(number).padStart(2, "0");
  return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`;
}
