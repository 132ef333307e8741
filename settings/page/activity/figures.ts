/** Formats numbers and days for a language. */
export interface Figures {
  /** For example `12,345`. */
  whole(count: number): string;
  /** A short form, such as `12K`, for narrow places. */
  short(count: number): string;
  /** For example `0.4%`. Less than a thousandth is `<0.1%`. */
  share(part: number, all: number): string;
  /** For example `Nov 14` for `2026-11-14`. */
  day(day: string): string;
  /** For example `November 14`. */
  longDay(day: string): string;
}

/** @param language for example `pt-BR`. */
export function figuresIn(language: string): Figures {
  const whole = new Intl.NumberFormat(language);
  const short = new Intl.NumberFormat(language, { notation: "compact" });
  const percent = new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 1 });
  // A day has no time zone of its own: it is read and written in UTC.
  const day = new Intl.DateTimeFormat(language, {
    day: "numeric",
    month: "short",
    timeZone: "UTC",
  });
  const longDay = new Intl.DateTimeFormat(language, {
    ...{ day: "numeric", month: "long", timeZone: "UTC" },
  });
  return {
    whole: (count) => whole.format(count),
    short: (count) => short.format(count),
    share: (part, all) => {
      const share = part / all;
      if (share > 0 && share < 0.001) return `<${percent.format(0.001)}`;
      // Only a share of exactly 1 is shown as 100%.
      if (share < 1 && share > 0.999) return `>${percent.format(0.999)}`;
      return percent.format(share);
    },
    day: (text) => day.format(new Date(text)),
    longDay: (text) => longDay.format(new Date(text)),
  };
}
