/** Whether a line says that the use of keys could not be told. */
export function isOfUsage(line: unknown): boolean {
  return String(line).includes('"event":"usage_not_recorded"');
}

/**
 * The lines that the functions of this process log during the work.
 * @param withUsage also what could not be told of the use of keys, which may be that of an earlier test.
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
