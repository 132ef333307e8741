/** What functions of this process write to their log while something is done. */
export async function logged(work: () => Promise<unknown>): Promise<string[]> {
  const lines: string[] = [];
  const { error, info } = console;
  console.error = console.info = (line: string) => lines.push(line);
  try {
    await work();
  } finally {
    Object.assign(console, { error, info });
  }
  return lines;
}
