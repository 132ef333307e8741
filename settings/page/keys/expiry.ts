// How long a new key is valid.

/** The choices. With `date`, the user enters a day. */
export const EXPIRIES = ["never", "month", "quarter", "year", "date"] as const;
export type Expiry = typeof EXPIRIES[number];

const DAYS = { month: 30, quarter: 90, year: 365 };

/** When a key expires, if it is valid for this long from now; null when it never expires. */
export function expiryAt(expiry: Exclude<Expiry, "date">): string | null {
  if (expiry === "never") return null;
  return new Date(Date.now() + DAYS[expiry] * 86_400_000).toISOString();
}

/**
 * The last moment of a day such as `2027-01-31`, in the user's time zone; null when the string is
 * not a day.
 */
export function endOfDay(day: string): string | null {
  const end = new Date(`${day}T23:59:59`);
  return Number.isNaN(end.getTime()) ? null : end.toISOString();
}

/** The day after today in the user's time zone, in the form of a date field. */
export function tomorrow(now = new Date()): string {
  const day = new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1);
  const two = (number: number) => String(number).padStart(2, "0");
  return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`;
}
