/** Waits until the work has succeeded or failed, but no longer than this time. Never throws. */
export async function waitAtMost(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const patience = new Promise<void>((resolve) => timer = setTimeout(resolve, ms));
  await Promise.race([work.then(() => {}, () => {}), patience]);
  clearTimeout(timer);
}
