import type { Series } from "./series.ts";

/** A part of a column: the number of one kind on one day. */
export interface Part<Kind> {
  kind: Kind;
  /** The position of the upper edge and the distance from there to the lower edge, in pixels. */
  y: number;
  height: number;
}

/** A day of a chart. */
export interface Column<Kind> {
  day: string;
  /** The left edge and the width of the day, in hundredths of the chart's width. */
  x: number;
  width: number;
  /** The parts from the bottom up. A kind without events has no part. */
  parts: Part<Kind>[];
}

/**
 * The least height of a part, so that every number above zero is visible, even next to ten million
 * of another kind.
 */
const LEAST_HEIGHT = 3;

/**
 * The columns of a chart, one for each day. Widths are hundredths and heights are pixels, so that
 * texts and patterns keep their size in a narrower chart.
 * @param top the number at the upper edge.
 * @param height the distance between zero and `top`, in pixels.
 */
export function columnsOf<Kind>(
  series: Series<Kind>,
  top: number,
  height: number,
): Column<Kind>[] {
  const width = 100 / series.days.length;
  return series.days.map(({ day, counts, total }, index) => {
    const heights = partHeights([...counts.values()], Math.max(total / top * height, 0));
    let y = height;
    const parts = series.kinds.map((kind, place) => {
      y -= heights[place];
      return { kind, y, height: heights[place] };
    });
    return { day, x: index * width, width, parts: parts.filter((part) => part.height > 0) };
  });
}

/**
 * The heights of the parts of a column. If a small part gets more than its share, the largest part
 * gets less.
 */
function partHeights(counts: number[], height: number): number[] {
  const total = counts.reduce((sum, count) => sum + count, 0);
  const shares = counts.map((count) => count === 0 ? 0 : count / total * height);
  const heights = shares.map((share, place) =>
    counts[place] === 0 ? 0 : Math.max(share, LEAST_HEIGHT)
  );
  const tooMuch = heights.reduce((sum, each) => sum + each, 0) - height;
  const largest = heights.indexOf(Math.max(...heights));
  heights[largest] = Math.max(heights[largest] - tooMuch, counts[largest] === 0 ? 0 : LEAST_HEIGHT);
  return heights;
}
