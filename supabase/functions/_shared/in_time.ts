/**
 * The result of work that is under way, if it comes before the signal. The work itself goes on.
 * @throws what `late` makes, when the signal comes first; else what the work throws.
 */
export async function inTime<Result>(
  work: Promise<Result>,
  signal: AbortSignal,
  late: () => Error,
): Promise<Result> {
  const ending = Promise.withResolvers<never>();
  const end = () => ending.reject(late());
  if (signal.aborted) end();
  signal.addEventListener("abort", end);
  try {
    return await Promise.race([work, ending.promise]);
  } finally {
    signal.removeEventListener("abort", end);
  }
}
