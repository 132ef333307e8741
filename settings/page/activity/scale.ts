/**
 * The numbers at the lines of a chart: zero, and one to four round numbers. The last number is at
 * least `most`. All are whole numbers, because only whole things are counted.
 */
export function scaleTo(most: number): number[] {
  const step = roundStep(Math.max(most, 2) / 4);
  const lines = Math.max(Math.ceil(most / step), 1);
  return Array.from({ length: lines + 1 }, (_, index) => index * step);
}

/** The smallest of 1, 2, 5, 10, 20, 50 … that is at least this number. */
function roundStep(least: number): number {
  if (least <= 1) return 1;
  const unit = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map((times) => times * unit).find((step) => step >= least)!;
}
