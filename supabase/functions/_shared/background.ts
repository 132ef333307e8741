/**
 * Lets work go on after the answer, or after the caller has hung up: the platform would end an instance that
 * seems idle. The work must handle its own failures.
 */
export function keepRunning(work: Promise<unknown>) {
  const { EdgeRuntime } = globalThis as {
    EdgeRuntime?: { waitUntil(work: Promise<unknown>): void };
  };
  EdgeRuntime?.waitUntil(work);
}

/** What each pause does when this instance is about to end. */
const pauses = new Set<() => void>();
// The platform says so when nine tenths of an instance's time are over, whatever is still running.
addEventListener("beforeunload", () => pauses.forEach((end) => end()));

/** Resolves after this time to false, or to true as soon as the platform is about to end this instance. */
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
