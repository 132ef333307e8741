// Reads a `deno test` report in JUnit format.

export interface FileTime {
  path: string;
  seconds: number;
}

/**
 * Returns the number of tests, and the duration of each file's tests. Without a report, the number
 * is zero.
 */
export async function readReport(
  report: string,
): Promise<{ total: number; failed: number; files: FileTime[] }> {
  const xml = await Deno.readTextFile(report).catch(() => "");
  const [, total = "0", failures = "0", errors = "0"] =
    /<testsuites[^>]* tests="(\d+)" failures="(\d+)" errors="(\d+)"/.exec(xml) ?? [];
  const files = xml.split("<testsuite ").slice(1).map((suite) => ({
    path: /name="(?:\.\/)?([^"]*)"/.exec(suite)?.[1] ?? "",
    seconds: secondsOf(suite),
  }));
  return { total: Number(total), failed: Number(failures) + Number(errors), files };
}

/**
 * The report lists the steps of a test after the test. The time of a test includes the time of its
 * steps, so the steps' time is not added again.
 */
function secondsOf(suite: string): number {
  let [test, seconds] = ["", 0];
  for (const [, name, time] of suite.matchAll(/<testcase name="([^"]*)"[^>]* time="([^"]*)"/g)) {
    if (test !== "" && name.startsWith(`${test} &gt; `)) continue;
    test = name;
    seconds += Number(time);
  }
  return seconds;
}

/** A table of the ten files with the longest test times. */
export function longestFiles(files: FileTime[]): string {
  const longest = files.toSorted((one, other) => other.seconds - one.seconds).slice(0, 10);
  const rows = longest.map(({ path, seconds }) => `${seconds.toFixed(1).padStart(8)}  ${path}`);
  return ["\n seconds  the ten slowest test files", ...rows, ""].join("\n");
}

/**
 * The Postgres log lines about each deadlock: both processes and their statements. The test output
 * shows only that a statement was cancelled.
 */
export async function deadlocksIn(log: string): Promise<string[]> {
  const text = await Deno.readTextFile(log).catch(() => "");
  const lines = text.split("\n");
  return lines.flatMap((line, at) => {
    if (!line.includes("deadlock detected")) return [];
    const end = lines.findIndex((next, place) => place > at && next.includes(" STATEMENT: "));
    return [lines.slice(at, end < 0 ? at + 40 : end + 1).join("\n")];
  });
}
