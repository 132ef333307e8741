import { comparisonOf, type Described } from "../openapi/described_operation.ts";
import type { JsonSchema } from "../openapi/json_schema.ts";
import { resolved } from "../openapi/references.ts";
import { casesOf } from "../openapi/schema_cases.ts";
import { type Change, schemaChanges } from "./schema_changes.ts";

/**
 * Returns the changes to an operation's responses. Successful responses are compared by status, and
 * errors by code.
 */
export function answerChanges(before: Described, after: Described): Change[] {
  const [released, present] = [answersOf(before), answersOf(after)];
  const { id } = before;
  const isSuccess = (status: string) => /^[123d]/.test(status);
  const successes = Object.entries(released).filter(([status]) => isSuccess(status))
    .flatMap(([status, answer]) =>
      present[status]
        ? contentChanges(before, after, answer, present[status])
        : [{ name: id, what: `no longer returns ${status}` }]
    );
  // A new 304 does not break a caller, because only a request with a conditional header receives
  // it.
  const added = Object.keys(present)
    .filter((status) => /^(2|default)/.test(status) && !released[status])
    .map((status) => ({ name: id, what: `may also return ${status}` }));
  const headers = Object.entries(released).flatMap(([status, answer]) =>
    present[status] ? headerChanges(before, after, answer, present[status]) : []
  );
  return [...successes, ...added, ...headers, ...errorChanges(before, after)];
}

function answersOf({ operation, document }: Described): Record<string, JsonSchema> {
  return Object.fromEntries(
    Object.entries<JsonSchema>(operation.responses ?? {})
      .map(([status, answer]) => [status, resolved(answer, document)]),
  );
}

function contentChanges(
  before: Described,
  after: Described,
  released: JsonSchema,
  present: JsonSchema,
): Change[] {
  const { id } = before;
  // If the released operation has no parameter `fields`, its callers receive only complete records.
  // The schemas of partial records, whose names end in `Part`, are then not compared.
  const takesFields = before.operation.parameters.some((each: JsonSchema) =>
    resolved(each, before.document).name === "fields"
  );
  const comparison = {
    ...comparisonOf(before, after, "answer"),
    leavesOut: takesFields ? undefined : "Part",
  };
  return Object.entries<JsonSchema>(released.content ?? {}).flatMap(([type, { schema }]) => {
    const now = present.content?.[type];
    if (!now) return [{ name: id, what: `no longer returns ${type}` }];
    return schemaChanges(id, [schema ?? true, now.schema ?? true], comparison);
  });
}

function headerChanges(
  before: Described,
  after: Described,
  released: JsonSchema,
  present: JsonSchema,
): Change[] {
  const now = Object.fromEntries(
    Object.entries(present.headers ?? {}).map(([name, header]) => [name.toLowerCase(), header]),
  );
  return Object.entries<JsonSchema>(released.headers ?? {}).flatMap(([header, declared]) => {
    const name = `${before.id}.${header}`;
    if (!now[header.toLowerCase()]) return [{ name, what: "is removed" }];
    const was = resolved(declared, before.document);
    const is = resolved(now[header.toLowerCase()] as JsonSchema, after.document);
    const missing = was.required && !is.required
      ? [{ name, what: "is no longer always present" }]
      : [];
    const comparison = comparisonOf(before, after, "answer");
    return [
      ...missing,
      ...schemaChanges(name, [was.schema ?? true, is.schema ?? true], comparison),
    ];
  });
}

/** An error of an operation: its status and the schema of its body. */
interface DescribedError {
  status: string;
  schema: JsonSchema;
}

/** Returns an operation's errors by code. Errors without a code are listed by status. */
function errorsOf(described: Described): Map<string, DescribedError> {
  const { document } = described;
  const errors = new Map<string, DescribedError>();
  const add = (status: string, schema: JsonSchema) => {
    const target = resolved(schema, document);
    const choices: JsonSchema[] | undefined = target.oneOf ?? target.anyOf;
    if (choices) return choices.forEach((each) => add(status, each));
    const codes = casesOf(target.properties?.code ?? true, document)
      .flatMap(({ values = [], type }) => type === "string" ? values : []);
    if (codes.length === 0) errors.set(status, { status, schema });
    for (const code of codes) errors.set(String(code), { status, schema });
  };
  for (const [status, answer] of Object.entries(answersOf(described))) {
    if (!/^[45]/.test(status)) continue;
    for (const { schema } of Object.values<JsonSchema>(answer.content ?? {})) {
      if (schema) add(status, schema);
    }
  }
  return errors;
}

/**
 * Returns the changes to an operation's errors. New codes and changed messages are not included,
 * because they do not break a caller.
 */
function errorChanges(before: Described, after: Described): Change[] {
  const present = errorsOf(after);
  const comparison = { ...comparisonOf(before, after, "answer"), without: ["error"] };
  return Array.from(errorsOf(before), ([code, { status, schema }]) => {
    const now = present.get(code);
    const { id: name } = before;
    if (!now) return [{ name, what: `no longer returns the error ${code}` }];
    const moved = now.status === status
      ? []
      : [{ name, what: `now returns the error ${code} with ${now.status}, not ${status}` }];
    return [...moved, ...schemaChanges(name, [schema, now.schema], comparison)];
  }).flat();
}
