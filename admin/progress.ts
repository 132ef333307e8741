/** How often a log gets a line; a terminal shows every step. */
const LOG_EVERY_MS = 30_000;

/**
 * Tells on stderr how far a command is: one line on a terminal, in place of the one before, and now and then a line in a
 * log. An empty line takes the last one off the terminal.
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
