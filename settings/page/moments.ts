// Formats timestamps and durations as readable text.
import { html, type TemplateResult } from "lit-html";

/**
 * The units, longest first: the seconds in a unit, and the smallest number of seconds that is shown
 * in it.
 */
const UNITS: [Intl.RelativeTimeFormatUnit, number, number][] = [
  ["year", 31_557_600, 31_000_000],
  ["month", 2_629_800, 60 * 86_400],
  ["day", 86_400, 47.5 * 3600],
  ["hour", 3600, 3570],
  ["minute", 60, 60],
];

/** The time between now and a point in time: "in 3 hours", "5 days ago", "now". */
export function fromNow(at: string, locale: string, now = Date.now()): string {
  const seconds = (Date.parse(at) - now) / 1000;
  for (const [unit, length, from] of UNITS) {
    if (Math.abs(seconds) < from) continue;
    // The number is rounded, so that a span of 24 hours still reads as 24 hours a moment later.
    return new Intl.RelativeTimeFormat(locale).format(Math.round(seconds / length), unit);
  }
  return new Intl.RelativeTimeFormat(locale, { numeric: "auto" }).format(0, "second");
}

/** A point in time in words: "22 Nov 2026, 14:05". */
export function moment(at: string, locale: string): string {
  return new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" })
    .format(new Date(at));
}

/** A point in time, to the second, for a timeline: "22 Nov, 14:05:12". */
export function exactly(at: string, locale: string): string {
  return new Intl.DateTimeFormat(locale, {
    ...{ day: "numeric", month: "short", hour: "numeric", minute: "2-digit", second: "2-digit" },
  }).format(new Date(at));
}

/**
 * The time between now and a point in time. A tooltip shows the point in time itself.
 */
export function ago(at: string, locale: string): TemplateResult {
  return html`<time datetime=${at} title=${moment(at, locale)}>${fromNow(at, locale)}</time>`;
}

/** A point in time as an element of the page. */
export function when(at: string, locale: string): TemplateResult {
  return html`<time datetime=${at}>${moment(at, locale)}</time>`;
}

/** The time zone of the times that the user sees, such as `America/Sao Paulo`. */
export function zoneOfPerson(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone.replaceAll("_", " ");
}
