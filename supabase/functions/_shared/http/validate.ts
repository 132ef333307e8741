import * as z from "zod";
import { ApiError, type FieldError, invalidRequest } from "../errors.ts";
import { type BodyReading, readJsonText, refused } from "./body.ts";
import { unknownParameter } from "./suggestion.ts";
import { InexactNumber, parseStrictly, RepeatedKeys } from "./strict_json.ts";

const NoParameters = z.strictObject({});

/**
 * The body of a request, parsed by the schema of its content type. Strict: a field that the schema does not have is refused, so
 * nothing is dropped in silence.
 *
 * @param schemas by the content types that are taken.
 * @param readOnly fields that are refused as read-only.
 * @throws ApiError invalid_request with every wrong field, and what reading the body throws.
 */
export async function readBody<Schemas extends Record<string, z.ZodType>>(
  request: Request,
  schemas: Schemas,
  readOnly: string[],
  reading: BodyReading,
): Promise<z.output<Schemas[keyof Schemas]>> {
  const { schema, value } = await readObject(request, schemas, reading, parseStrictly);
  return check(schema, value, ofUnknownField(readOnly));
}

/**
 * The JSON object that a request has as its body, and the schema of its content type, by which it is not parsed yet.
 *
 * @param parse parses the JSON text; throws SyntaxError and RepeatedKeys.
 * @throws ApiError invalid_request when it is no JSON object of one of the content types, and what reading it throws.
 */
export async function readObject<Schemas extends Record<string, z.ZodType>>(
  request: Request,
  schemas: Schemas,
  reading: BodyReading,
  parse: typeof parseStrictly,
): Promise<{ schema: Schemas[keyof Schemas]; value: unknown }> {
  const [given] = (request.headers.get("Content-Type") ?? "").split(";", 1);
  const mediaType = given.trim().toLowerCase();
  if (!Object.hasOwn(schemas, mediaType)) {
    const message = `must be ${Object.keys(schemas).join(" or ")}`;
    throw invalidRequest([{ field: "Content-Type", message }]);
  }
  const schema = schemas[mediaType] as Schemas[keyof Schemas];
  const { text, survey } = await readJsonText(request, reading);
  return { schema, value: parseObject(text, () => parse(text, survey)) };
}

/**
 * Refuses the body of a request that takes none, so that nothing is dropped in silence. Clients send nothing, white space
 * or an object without a member. The body of a GET has no meaning (RFC 9110, 9.3.1), and is not read.
 *
 * @throws ApiError invalid_request when the body says something, and what reading it throws.
 */
export async function requireNoBody(request: Request, reading: BodyReading): Promise<void> {
  if (request.method === "GET" || !request.body) return;
  const { text } = await readJsonText(request, reading);
  if (!/^\s*(\{\s*\})?\s*$/.test(text)) {
    throw refused("must be empty: nothing is taken from one here");
  }
}

/** The message about a field that a body does not take. @param readOnly fields that the service sets. */
export function ofUnknownField(readOnly: string[]): (key: string) => string {
  return (key) => readOnly.includes(key) ? "is read-only" : "is not a field that is accepted here";
}

/**
 * The query parameters in the address of a request, parsed by their schema.
 * @throws ApiError invalid_request for an unknown, repeated or malformed parameter, for too many, or for bytes that
 *   are no UTF-8.
 */
export function readQuery<Schema extends z.ZodType>(
  url: string,
  schema: Schema | typeof NoParameters = NoParameters,
): z.output<Schema> {
  const { shape } = schema instanceof z.ZodLazy
    ? schema.unwrap() as z.ZodObject
    : schema as z.ZodObject;
  const parameters = parametersIn(url);
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for (const [name] of parameters) (seen.has(name) ? repeated : seen).add(name);
  if (repeated.size > 0) {
    throw invalidRequest([...repeated].map((field) => ({
      field,
      message: typeOf(shape, field) === "array"
        ? `${GIVEN_TWICE}; write several values as ${field}=a,b`
        : GIVEN_TWICE,
    })));
  }
  const known = Object.keys(shape)
    .map((name) => typeOf(shape, name) === "object" ? `${name}.<key>` : name);
  const ofUnknown = (name: string) => unknownParameter(name, known);
  return check(schema as Schema, withMembers(parameters, shape), ofUnknown);
}

/**
 * The parameters by their names. Those of a parameter that is an object are named after its members, as in
 * `custom_fields.plan`; they become one list of members and their values.
 */
function withMembers(parameters: [string, string][], shape: z.ZodRawShape): object {
  const objects = new Map<string, [string, string][]>();
  const others = parameters.filter(([name, value]) => {
    const dot = name.indexOf(".");
    const object = name.slice(0, Math.max(dot, 0));
    const isObject = typeOf(shape, object) === "object";
    if (isObject) objects.set(object, [...objects.get(object) ?? [], [name.slice(dot + 1), value]]);
    return !isObject;
  });
  // The last of two with one name stays: a parameter that has the object's own name is refused.
  return Object.fromEntries<unknown>([...objects, ...others]);
}

/** The type of a parameter in JSON Schema, where it is declared. */
function typeOf(shape: z.ZodRawShape, name: string): unknown {
  const schema = Object.hasOwn(shape, name) ? shape[name] as z.ZodType : undefined;
  return schema?.meta()?.type ??
    (schema instanceof z.ZodOptional ? (schema.unwrap() as z.ZodType).meta()?.type : undefined);
}

/** More than any operation takes. Without these bounds, refusing them would take longer than all other work. */
const MAX_QUERY_LENGTH = 16 * 1024;
const MAX_PARAMETERS = 100;

/** The query is cut out, because the rest of the address need not be one: its host is the caller's. */
function parametersIn(url: string): [string, string][] {
  const [beforeFragment] = url.split("#", 1);
  const start = beforeFragment.indexOf("?") + 1;
  if (start === 0) return [];
  const query = beforeFragment.slice(start);
  if (query.length > MAX_QUERY_LENGTH) {
    throw new ApiError("invalid_request", "The query of the address is longer than 16 KiB");
  }
  if (query.split("&", MAX_PARAMETERS + 1).length > MAX_PARAMETERS) {
    throw new ApiError("invalid_request", `There are more than ${MAX_PARAMETERS} parameters`);
  }
  const parameters: [string, string][] = [...new URLSearchParams(query)];
  refuseOtherEncodings(query, parameters);
  return parameters;
}

/** Bytes that are no UTF-8 would be read as U+FFFD, in silence. */
function refuseOtherEncodings(query: string, parameters: [string, string][]) {
  if (/\ufffd|%ef%bf%bd/i.test(query)) return; // it was sent
  const wrong = parameters.filter((pair) => pair.join("").includes("\ufffd"));
  if (wrong.length === 0) return;
  const message = "is not in UTF-8; write é as %C3%A9, for example";
  throw invalidRequest(wrong.map(([field]) => ({ field, message })));
}

/**
 * The parameters in the path of a request, parsed by their schema.
 * @throws ApiError invalid_request when it is malformed, such as an id that is not a UUID.
 */
export function readParams<Schema extends z.ZodType>(
  params: Record<string, string>,
  schema: Schema,
): z.output<Schema> {
  return check(schema, params, () => "is not a part of this path");
}

function parseObject(text: string, parse: () => unknown): unknown {
  let value: unknown;
  try {
    value = parse();
  } catch (error) {
    if (error instanceof RepeatedKeys) throw invalidRequest(givenTwice(error));
    if (!(error instanceof SyntaxError)) throw error;
    const what = text.trim() === "" ? "is empty" : "is not valid JSON";
    throw refused(`${what}; send a JSON object`);
  }
  if (isObject(value)) return value;
  throw refused("must be a JSON object");
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value) &&
    !(value instanceof InexactNumber);
}

const GIVEN_TWICE = "is given more than once";

/** What is wrong with an object that has keys more than once. */
export function givenTwice({ keys }: RepeatedKeys): FieldError[] {
  return keys.map((field) => ({ field, message: GIVEN_TWICE }));
}

function check<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  ofUnknown: (key: string) => string,
): z.output<Schema> {
  const result = judged(schema, value, ofUnknown);
  if ("wrong" in result) throw invalidRequest(result.wrong);
  return result.parsed;
}

/**
 * A value as its schema parses it, or what is wrong with it.
 *
 * @param ofUnknown the message about a key that the schema does not have.
 * @param whole the field that an error about the whole value names.
 */
export function judged<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  ofUnknown: (key: string) => string,
  whole = "body",
): { parsed: z.output<Schema> } | { wrong: FieldError[] } {
  const result = schema.safeParse(value, { error: explain });
  if (result.success) return { parsed: result.data };
  return { wrong: result.error.issues.flatMap((issue) => fieldErrors(issue, ofUnknown, whole)) };
}

function fieldErrors(
  issue: z.core.$ZodIssue,
  ofUnknown: (key: string) => string,
  whole: string,
): FieldError[] {
  const path = issue.path.map(String);
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({
      field: [...path, key].join("."),
      message: ofUnknown(key),
    }));
  }
  return [{ field: path.join(".") || whole, message: issue.message }];
}

const NAMES: Record<string, string> = {
  string: "a string",
  number: "a number",
  boolean: "true or false",
  array: "an array",
  object: "an object",
  guid: "a UUID",
};

/** A message that follows a field's name and tells what to send. Zod's own messages are for programmers. */
function explain(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case "invalid_type":
      if (issue.input === undefined) return "is required";
      if (issue.input instanceof InexactNumber) return InexactNumber.message;
      return `must be ${NAMES[issue.expected] ?? issue.expected}` +
        (issue.input === null ? ", not null" : "");
    case "invalid_value":
      if (issue.input === undefined) return "is required";
      return `must be one of ${issue.values.join(", ")}`;
    case "invalid_format":
      return `must be ${NAMES[issue.format] ?? `a valid ${issue.format}`}`;
    default:
      return undefined;
  }
}
