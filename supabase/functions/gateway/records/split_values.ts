/**
 * The maximum number of values in a list. Callers rarely need more, and the length of a URL is
 * limited.
 */
export const MAX_VALUES = 100;

const BAD_ESCAPE =
  "has a backslash that escapes nothing; write \\\\ for a backslash and \\, for a comma";

/**
 * Splits a list at its commas. Returns its values, or an error message if the list is invalid. `\,`
 * means a comma, and `\\` means a backslash.
 */
export function splitValues(given: string): string[] | string {
  const values = [""];
  for (let at = 0; at < given.length; at++) {
    if (given[at] === ",") values.push("");
    else if (given[at] !== "\\") values[values.length - 1] += given[at];
    else if (given[at + 1] === "," || given[at + 1] === "\\") {
      values[values.length - 1] += given[++at];
    } else return BAD_ESCAPE;
  }
  return values.length <= MAX_VALUES ? values : `must have at most ${MAX_VALUES} values`;
}
