import { progress } from "../progress.ts";

/**
 * Does the work of a command that starts processes. Then ends everything that the work has started,
 * in reverse order, and ends this process with the exit code that the work returns. The end is the
 * same after a signal or an unhandled error.
 *
 * @param shown returns the text to print for an error.
 */
export async function run(
  work: (resources: AsyncDisposableStack) => Promise<number>,
  shown: (error: unknown) => unknown = (error) => error,
): Promise<never> {
  /** Ends what the work has started. After that, the work can start nothing else. */
  const resources = new AsyncDisposableStack();
  let ending: Promise<never> | undefined;
  /** Ends everything once. Later failures are only consequences of this end. */
  const end = (code: number, error?: unknown): Promise<never> =>
    ending ??= (async () => {
      if (error) console.error(shown(error));
      await resources.disposeAsync().catch(console.error);
      progress("ended, and everything removed");
      Deno.exit(code);
    })();

  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    Deno.addSignalListener(signal, () => end(130));
  }
  // An unhandled error must not end this process while its child processes are still running.
  addEventListener("error", (event) => {
    event.preventDefault();
    end(1, event.error);
  });
  addEventListener("unhandledrejection", (event) => {
    event.preventDefault();
    end(1, event.reason);
  });
  try {
    return await end(await work(resources));
  } catch (error) {
    return await end(1, error);
  }
}
