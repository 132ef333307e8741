/**
 * Returns the result of work in progress, if the work ends before the signal aborts. The work
 * itself continues after the signal.
 *
 * @throws the error from `late`, when the signal aborts first; otherwise the errors of the work.
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
