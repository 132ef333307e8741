/**
 * Keeps work running after the response is sent or the caller disconnects. Otherwise the platform
 * would shut down an instance that seems idle. The work must handle its own failures.
 */
export function keepRunning(work: Promise<unknown>) {
  const { EdgeRuntime } = globalThis as {
    EdgeRuntime?: { waitUntil(work: Promise<unknown>): void };
  };
  EdgeRuntime?.waitUntil(work);
}

/**
 * Each callback ends one pause. All callbacks are called when this instance is about to shut down.
 */
const pauses = new Set<() => void>();
// The platform announces the shutdown of an instance after 90% of its maximum lifetime, even if
// work is still running.
addEventListener("beforeunload", () => pauses.forEach((end) => end()));

/**
 * Waits `ms` milliseconds, then resolves to false. Resolves to true immediately when the platform
 * is about to shut down this instance.
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
