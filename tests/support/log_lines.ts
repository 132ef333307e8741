/** Whether a log line reports that key usage could not be recorded. */
export function isOfUsage(line: unknown): boolean {
  return String(line).includes('"event":"usage_not_recorded"');
}

/**
 * The lines that the functions in this process log during the work.
 * @param withUsage includes lines about unrecorded key usage, which may come from an earlier test.
 */
export async function logged(
  work: () => Promise<unknown>,
  { withUsage = false } = {},
): Promise<string[]> {
  const lines: string[] = [];
  const { error, warn, info } = console;
  console.error = console.warn = console.info = (line: string) => {
    if (withUsage || !isOfUsage(line)) lines.push(line);
  };
  try {
    await work();
  } finally {
    Object.assign(console, { error, warn, info });
  }
  return lines;
}

/** The time that the last call of `later` set. */
let lastStart = 0;

/**
 * Runs the work with the clock set to a later time. For some kinds of lines, an instance limits
 * the number of lines in ten seconds. At the later time, the log lines of earlier tests do not count
 * toward this limit.
 * @param seconds from now. If the work uses a real database, at most 30, because the database
 * refuses tokens that were issued later.
 */
export async function later<Answer>(
  seconds: number,
  work: (start: number) => Promise<Answer>,
): Promise<Answer> {
  const { now } = Date;
  const planned = now() + seconds * 1000;
  // When the clock moves back, the instance resets its count of log lines.
  const start = lastStart = Math.abs(planned - lastStart) < 20_000 ? lastStart - 1 : planned;
  Date.now = () => start;
  try {
    return await work(start);
  } finally {
    Date.now = now;
  }
}
