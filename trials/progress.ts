/** Prints a step, with the number of seconds since the process started. */
export function progress(step: string) {
  console.error(`${(performance.now() / 1000).toFixed(0).padStart(4)} s  ${step}`);
}
