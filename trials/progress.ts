/** Prints a step of the run, after the number of seconds since its start. */
export function progress(step: string) {
  console.error(`${(performance.now() / 1000).toFixed(0).padStart(4)} s  ${step}`);
}
