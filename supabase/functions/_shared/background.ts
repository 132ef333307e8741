/**
 * Keeps work running after the answer, or after the caller has disconnected. Otherwise the platform
 * would end an instance that seems idle. The work must handle its own failures.
 */
export function keepRunning(work: Promise<unknown>) {
  const { EdgeRuntime } = globalThis as {
    EdgeRuntime?: { waitUntil(work: Promise<unknown>): void };
  };
  EdgeRuntime?.waitUntil(work);
}

/** Callbacks that end the pauses when this instance is about to end. */
const pauses = new Set<() => void>();
// When nine tenths of an instance's maximum lifetime have passed, the platform announces the end of
// the instance, even if work is still running.
addEventListener("beforeunload", () => pauses.forEach((end) => end()));

/**
 * Waits this long, and resolves to false. If the platform is about to end this instance, resolves
 * to true immediately.
 */
export function pauseUntilEnd(ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const over = (isEnding: boolean) => {
      clearTimeout(timer);
      pauses.delete(end);
      resolve(isEnding);
    };
    const end = () => over(true);
    const timer = setTimeout(over, ms, false);
    pauses.add(end);
  });
}
