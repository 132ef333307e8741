import * as z from "zod/mini";
import { queryTooLong } from "../../_shared/errors.ts";
import { isStorable, NOT_STORABLE } from "../../_shared/http/fields.ts";
import { type Condition, hasMember } from "./conditions.ts";
import { splitValues } from "./split_values.ts";

/**
 * `custom_fields.<key>=a,b`: the key's value, written as a string, is a or b. A dot is part of the
 * key, or leads to a nested key: `custom_fields.opening.city=Toronto` finds the key `opening.city`,
 * and the key `city` in the object `opening`.
 */
export function members(
  column: string,
): z.core.$ZodType<Condition[] | undefined, [string, string][] | undefined> {
  const notByKey = "is used with a key, as in custom_fields.<key>=<value>";
  return z.optional(
    z.pipe(
      z.array(z.tuple([z.string(), z.string()]), notByKey),
      z.transform((pairs, context) => {
        let length = 0;
        return pairs.flatMap(([key, given]) => {
          const problem = problemOfKey(key);
          const values = splitValues(given);
          if (problem || typeof values === "string" || !values.every(isStorable)) {
            const message = problem ?? (typeof values === "string" ? values : NOT_STORABLE);
            context.issues.push({ code: "custom", input: given, path: [key], message });
            return [];
          }
          const paths = pathsOf(key);
          const different = [...new Set(values)].sort();
          // Each path is compared with each value.
          length += paths.length * (different.length * key.length + different.join("").length);
          if (length > MAX_LENGTH) throw queryTooLong();
          return hasMember(column, different.flatMap((value) => membersOfText(paths, value)));
        });
      }),
    ),
  ).register(z.globalRegistry, { type: "object", additionalProperties: { type: "string" } });
}

const ENDS_WITH_OPERATOR = /\[(ne|gt|gte|lt|lte|contains|all|empty)\]$/;
/**
 * The maximum number of dots in a key. Each additional dot would double the number of conditions.
 */
const MAX_DOTS = 3;
/**
 * The maximum length of the conditions. Longer conditions never fit into the URL of a database
 * request. Without this limit, a caller without a valid key could make the conditions very long.
 */
const MAX_LENGTH = 8 * 1024;

function problemOfKey(key: string): string | null {
  if (key === "") return "names no key; write custom_fields.<key>=<value>";
  if (!isStorable(key)) return "has a key with the null character";
  if (key.split(".", MAX_DOTS + 2).length > MAX_DOTS + 1) {
    return `has more than ${MAX_DOTS} dots in its key`;
  }
  const [operator] = ENDS_WITH_OPERATOR.exec(key) ?? [];
  return operator
    ? `takes no ${operator}, because custom fields have no types yet; a custom field takes only custom_fields.<key>=`
    : null;
}

/**
 * Returns all ways to interpret a key. Each dot is either part of a name, or separates two names.
 */
function pathsOf(key: string): string[][] {
  const [first, ...others] = key.split(".");
  return others.reduce(
    (paths, name) =>
      paths.flatMap((path) => [[...path.slice(0, -1), `${path.at(-1)}.${name}`], [...path, name]]),
    [[first]],
  );
}

/**
 * Returns the JSON objects that have this value at one of these paths. For example, the string `5`
 * means the number 5 and the string "5".
 */
function membersOfText(paths: string[][], value: string): Record<string, unknown>[] {
  const number = Number(value);
  const isNumber = value !== "" && Number.isFinite(number) && String(number) === value;
  const isBoolean = value === "true" || value === "false";
  const values = [value, ...(isBoolean ? [value === "true"] : isNumber ? [number] : [])];
  return paths.flatMap((path) => values.map((each) => memberAt(path, each)));
}

function memberAt(path: string[], value: unknown): Record<string, unknown> {
  return path.reduceRight((inner, name) => Object.fromEntries([[name, inner]]), value) as Record<
    string,
    unknown
  >;
}
