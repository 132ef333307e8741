// Programs that tests run but that npm does not install. If one is missing, its tests are skipped.
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** The browser's names on different systems. `CHROMIUM` in the environment names another file. */
const BROWSERS = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];

/** The file of a headless Chromium, or null if there is none. */
export const CHROMIUM = Deno.env.get("CHROMIUM") || firstInPath(BROWSERS);

/** The file of Python 3, or null if there is none. */
export const PYTHON = firstInPath(["python3"]);

/** The file of jq, or null if there is none. */
export const JQ = firstInPath(["jq"]);

/** For each missing program, a sentence that says which tests are skipped. */
export function missingPrograms(): string[] {
  return [
    ...(CHROMIUM ? [] : ["Chromium is not installed, so the tests in a browser are skipped."]),
    ...(PYTHON
      ? []
      : ["Python 3 is not installed, so the tests of programs in Python are skipped."]),
    ...(JQ ? [] : ["jq is not installed, so the tests of programs with curl are skipped."]),
  ];
}

/** The file of the first of these programs that is in PATH, or null if there is none. */
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
