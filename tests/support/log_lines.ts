/** The lines that the functions of this process log during the work. */
export async function logged(work: () => Promise<unknown>): Promise<string[]> {
  const lines: string[] = [];
  const { error, warn, info } = console;
  console.error = console.warn = console.info = (line: string) => lines.push(line);
  try {
    await work();
  } finally {
    Object.assign(console, { error, warn, info });
  }
  return lines;
}
