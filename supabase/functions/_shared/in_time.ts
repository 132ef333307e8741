/**
 * Returns the result of work in progress, if the work ends before the signal. After the signal, the
 * work continues.
 *
 * @throws the error from `late`, when the signal comes first; otherwise the errors of the work.
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
