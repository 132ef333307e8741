/** Numbers and days as a language writes them. */
export interface Figures {
  /** Such as `12,345`. */
  whole(count: number): string;
  /** Such as `12K`, for where there is little room. */
  short(count: number): string;
  /** Such as `0.4%`; of what is less than a thousandth, `<0.1%`. */
  share(part: number, all: number): string;
  /** Such as `Nov 14`, of `2026-11-14`. */
  day(day: string): string;
  /** Such as `November 14`. */
  longDay(day: string): string;
}

/** @param language such as `pt-BR`. */
export function figuresIn(language: string): Figures {
  const whole = new Intl.NumberFormat(language);
  const short = new Intl.NumberFormat(language, { notation: "compact" });
  const percent = new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 1 });
  // A day is one of UTC, wherever it is read.
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
      // What is not all of it is not said to be.
      if (share < 1 && share > 0.999) return `>${percent.format(0.999)}`;
      return percent.format(share);
    },
    day: (text) => day.format(new Date(text)),
    longDay: (text) => longDay.format(new Date(text)),
  };
}
