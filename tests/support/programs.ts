// Programs that tests run but that npm does not install. If a program is missing, its tests are
// skipped.
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/**
 * The browser's file names on different systems. The first, Chromium without windows, needs the
 * least CPU time. The environment variable `CHROMIUM` can name another file.
 */
const BROWSERS = [
  ...["chromium-headless-shell", "chromium", "chromium-browser"],
  ...["google-chrome-stable", "google-chrome"],
];

/** The path of the Chromium executable, or null if Chromium is not installed. */
export const CHROMIUM = Deno.env.get("CHROMIUM") || firstInPath(BROWSERS);

/** The path of the Python 3 executable, or null if Python is not installed. */
export const PYTHON = firstInPath(["python3"]);

/** The path of the jq executable, or null if jq is not installed. */
export const JQ = firstInPath(["jq"]);

/** For each missing program, a message about the skipped tests. */
export function missingPrograms(): string[] {
  return [
    ...(CHROMIUM ? [] : ["Chromium is not installed, so the browser tests are skipped."]),
    ...(PYTHON
      ? []
      : ["Python 3 is not installed, so the tests of programs in Python are skipped."]),
    ...(JQ ? [] : ["jq is not installed, so the tests of programs with curl are skipped."]),
  ];
}

/** The path of the first of these programs found in PATH, or null if none is found. */
export function firstInPath(names: string[]): string | null {
  const folders = (Deno.env.get("PATH") ?? "").split(delimiter);
  const files = names.flatMap((name) => folders.map((folder) => join(folder, name)));
  return files.find(isExecutable) ?? null;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
