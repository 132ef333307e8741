// Moments and spans of time, as a person reads them.
import { html, type TemplateResult } from "lit-html";

/** Longest first: how many seconds a unit has. */
const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 31_557_600],
  ["month", 2_629_800],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
];

/** How far a moment is from now: "in 3 hours", "5 days ago", "now". */
export function fromNow(at: string, locale: string, now = Date.now()): string {
  const seconds = (Date.parse(at) - now) / 1000;
  const format = new Intl.RelativeTimeFormat(locale, { numeric: "auto" });
  for (const [unit, length] of UNITS) {
    if (Math.abs(seconds) >= length) return format.format(Math.trunc(seconds / length), unit);
  }
  return format.format(0, "second");
}

/** A moment in words: "22 Nov 2026, 14:05". */
export function moment(at: string, locale: string): string {
  return new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" })
    .format(new Date(at));
}

/** How far a moment is from now; the moment itself is told on hover. */
export function ago(at: string, locale: string): TemplateResult {
  return html`<time datetime=${at} title=${moment(at, locale)}>${fromNow(at, locale)}</time>`;
}

/** A moment. */
export function when(at: string, locale: string): TemplateResult {
  return html`<time datetime=${at}>${moment(at, locale)}</time>`;
}
