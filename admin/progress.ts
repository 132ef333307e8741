/** The time between two lines in a log. A terminal shows every step. */
const LOG_EVERY_MS = 30_000;

/**
 * Shows the progress of a command on stderr. On a terminal, each line replaces the previous line; a
 * log receives a line only from time to time. An empty line removes the last line from the
 * terminal.
 */
export function progress(): (line: string) => void {
  if (Deno.stderr.isTerminal()) {
    return (line) => Deno.stderr.writeSync(new TextEncoder().encode(`\r\x1b[K${line}`));
  }
  let last = performance.now();
  return (line) => {
    if (line === "" || performance.now() - last < LOG_EVERY_MS) return;
    console.error(line);
    last = performance.now();
  };
}
