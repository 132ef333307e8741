/** The middle of some values; the mean of the two middle ones when their number is even. */
export function median(values: number[]): number {
  return percentile(values, 50);
}

/** The value below which so many percent of some values are, between its two neighbours in proportion. */
export function percentile(values: number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const place = (sorted.length - 1) * percent / 100;
  const [below, above] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]];
  return below + (above - below) * (place - Math.floor(place));
}
