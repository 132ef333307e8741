import { progress } from "./progress.ts";

/**
 * Does the work of a command that starts processes, and ends this process with the exit code that the work
 * returns. All that the work has started is ended before that, the last part first, also on a signal and after
 * an error that nothing handled.
 *
 * @param shown what is printed of an error.
 */
export async function run(
  work: (resources: AsyncDisposableStack) => Promise<number>,
  shown: (error: unknown) => unknown = (error) => error,
): Promise<never> {
  /** Once it is disposed of, nothing can start. */
  const resources = new AsyncDisposableStack();
  let ending: Promise<never> | undefined;
  /** Ends everything, once; what fails after that is a consequence of the end. */
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
  // An unhandled error must not end this process and leave its child processes behind.
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
