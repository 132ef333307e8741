// Expressions of n8n: a text that begins with `=` has JavaScript between {{ and }}.

/** The variables that expressions and code may use, such as `$json`. */
export type Names = Record<string, unknown>;

/**
 * The value of a parameter. If the parameter is a single expression, the value is the result of the
 * expression. Otherwise, the value is a string.
 * @throws Error with the expression and its problem. In this case, n8n itself often continues
 * without a value.
 */
export function evaluated(value: unknown, names: Names): unknown {
  if (Array.isArray(value)) return value.map((each) => evaluated(each, names));
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [name, evaluated(each, names)]),
    );
  }
  if (typeof value !== "string" || !value.startsWith("=")) return value;
  const text = value.slice(1);
  const whole = /^\s*\{\{((?:(?!\}\})[\s\S])*)\}\}\s*$/.exec(text);
  if (whole) return valueOf(whole[1], names);
  return text.replace(/\{\{([\s\S]*?)\}\}/g, (_, expression) => {
    const part = valueOf(expression, names);
    if (part === undefined || part === null) throw new Error(`{{${expression}}} has no value`);
    return String(part);
  });
}

function valueOf(expression: string, names: Names): unknown {
  try {
    return new Function(...Object.keys(names), `"use strict"; return (${expression});`)(
      ...Object.values(names),
    );
  } catch (error) {
    throw new Error(`{{${expression}}}: ${(error as Error).message}`);
  }
}

/**
 * Runs the JavaScript of a Code node.
 * @param self the value of `this` in the code.
 * @throws any error that the code throws.
 */
export async function ran(code: string, names: Names, self?: unknown): Promise<unknown> {
  const AsyncFunction = Object.getPrototypeOf(async function () {}).constructor;
  return await new AsyncFunction(...Object.keys(names), `"use strict"; ${code}`).call(
    self,
    ...Object.values(names),
  );
}
