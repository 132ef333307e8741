/** A time to the second, in the format of responses: `2026-11-22T11:30:00+00:00`. */
export function timeText(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, "+00:00");
}

/** A time to the millisecond, in the format of responses: `2026-11-22T11:30:00.123+00:00`. */
export function exactTimeText(ms: number): string {
  return new Date(ms).toISOString().replace("Z", "+00:00");
}
