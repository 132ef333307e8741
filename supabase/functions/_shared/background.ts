/**
 * Lets work go on after the answer, or after the caller has gone: the platform ends an instance that
 * seems idle, and this says that it is not. The work answers for its own failures.
 */
export function keepRunning(work: Promise<unknown>) {
  const { EdgeRuntime } = globalThis as {
    EdgeRuntime?: { waitUntil(work: Promise<unknown>): void };
  };
  EdgeRuntime?.waitUntil(work);
}
