/** The median: the middle value, or the mean of the two middle values if their number is even. */
export function median(values: number[]): number {
  return percentile(values, 50);
}

/**
 * The value below which `percent` % of the values lie, interpolated between the two nearest values.
 */
export function percentile(values: number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const place = (sorted.length - 1) * percent / 100;
  const [below, above] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]];
  return below + (above - below) * (place - Math.floor(place));
}
