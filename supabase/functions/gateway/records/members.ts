import * as z from "zod/mini";
import { isStorable, NOT_STORABLE } from "../../_shared/http/fields.ts";
import { type Condition, hasMember } from "./conditions.ts";
import { splitValues } from "./split_values.ts";

/** `custom_fields.<key>=a,b`: the value of the key, written as a text, is a or b. */
export function members(
  column: string,
): z.core.$ZodType<Condition[] | undefined, [string, string][] | undefined> {
  const notByKey = "is used with a key, as in custom_fields.<key>=<value>";
  return z.optional(
    z.pipe(
      z.array(z.tuple([z.string(), z.string()]), notByKey),
      z.transform((pairs, context) =>
        pairs.flatMap(([key, given]) => {
          const problem = problemOfKey(key);
          const values = splitValues(given);
          if (problem || typeof values === "string" || !values.every(isStorable)) {
            const message = problem ?? (typeof values === "string" ? values : NOT_STORABLE);
            context.issues.push({ code: "custom", input: given, path: [key], message });
            return [];
          }
          const different = [...new Set(values)].sort();
          return hasMember(column, different.flatMap((value) => membersOfText(key, value)));
        })
      ),
    ),
  ).register(z.globalRegistry, { type: "object", additionalProperties: { type: "string" } });
}

const ENDS_WITH_OPERATOR = /\[(ne|gt|gte|lt|lte|contains|all|empty)\]$/;

function problemOfKey(key: string): string | null {
  if (key === "") return "names no key; write custom_fields.<key>=<value>";
  if (!isStorable(key)) return "has a key with the null character";
  const [operator] = ENDS_WITH_OPERATOR.exec(key) ?? [];
  return operator ? `takes no ${operator}; a custom field takes only custom_fields.<key>=` : null;
}

/** The members whose value is written as this text: 5 and "5" are both written 5. */
function membersOfText(key: string, value: string): Record<string, unknown>[] {
  const member = (value: unknown) => Object.fromEntries([[key, value]]);
  if (value === "true" || value === "false") return [member(value), member(value === "true")];
  const number = Number(value);
  const isNumber = value !== "" && Number.isFinite(number) && String(number) === value;
  return [member(value), ...(isNumber ? [member(number)] : [])];
}
