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
