import * as z from "zod/mini";
import { ApiError, type FieldError, invalidRequest } from "../errors.ts";
import { built } from "../lazily.ts";
import { type BodyReading, readJsonText, refused } from "./body.ts";
import { unknownField, unknownParameter } from "./suggestion.ts";
import { InexactNumber, parseStrictly, RepeatedKeys } from "./strict_json.ts";

const NoParameters = z.strictObject({});

/**
 * The body of a request, parsed by the schema of its content type. A field that is not in the
 * schema is refused, so that nothing is silently dropped.
 *
 * @param schemas the schemas, by accepted content type.
 * @param readOnly fields that are refused as read-only.
 * @param ofRecord fields of the record that may be sent back although the schema does not have them.
 * @returns the body, and the fields that were sent back.
 * @throws ApiError invalid_request, which names every invalid field. Fields that were sent back are
 * named only if the body has no other field. Also throws the errors of reading the body.
 */
export async function readBody<Schemas extends Record<string, z.core.$ZodType>>(
  request: Request,
  schemas: Schemas,
  readOnly: () => string[],
  reading: BodyReading,
  ofRecord: () => string[] = () => [],
): Promise<{ body: z.output<Schemas[keyof Schemas]>; sentBack: Record<string, unknown> }> {
  const { schema, value } = await readObject(request, schemas, reading, parseStrictly);
  const result = judged(schema, value, ofUnknownField(readOnly));
  if ("parsed" in result) return { body: result.parsed, sentBack: {} };
  const [known, names] = [fieldsOf(schema), ofRecord()];
  const isSentBack = ([name]: [string, unknown]) => names.includes(name) && !known.includes(name);
  const fields = Object.entries(value as object);
  const others = fields.filter((field) => !isSentBack(field));
  const rest = judged(schema, Object.fromEntries(others), ofUnknownField(readOnly));
  // If a request sends only fields that the operation does not write, the caller probably wants to
  // change these fields. So the fields are refused.
  if (others.length === 0) throw invalidRequest(result.wrong);
  if ("wrong" in rest) throw invalidRequest(rest.wrong);
  return { body: rest.parsed, sentBack: Object.fromEntries(fields.filter(isSentBack)) };
}

/**
 * The JSON object in a request body, and the schema of its content type, which is not applied yet.
 *
 * @param parse returns the value of the JSON string, or a promise of it; throws SyntaxError and
 *   RepeatedKeys.
 * @throws ApiError invalid_request when the body is not a JSON object of one of the content types;
 *   the errors of reading the body.
 */
export async function readObject<Schemas extends Record<string, z.core.$ZodType>>(
  request: Request,
  schemas: Schemas,
  reading: BodyReading,
  parse: (...given: Parameters<typeof parseStrictly>) => unknown,
): Promise<{ schema: Schemas[keyof Schemas]; value: unknown }> {
  const [given] = (request.headers.get("Content-Type") ?? "").split(";", 1);
  const mediaType = given.trim().toLowerCase();
  if (!Object.hasOwn(schemas, mediaType)) {
    const message = `must be ${Object.keys(schemas).join(" or ")}`;
    throw invalidRequest([{ field: "Content-Type", message }]);
  }
  const schema = schemas[mediaType] as Schemas[keyof Schemas];
  const { text, survey } = await readJsonText(request, reading);
  return { schema, value: await parseObject(text, () => parse(text, survey)) };
}

/**
 * Refuses a body if the operation accepts no body, so that nothing is silently dropped. Whitespace
 * and an empty object are accepted, because some clients always send one of them. The body of a GET
 * has no meaning (RFC 9110, 9.3.1), so it is not read.
 *
 * @throws ApiError invalid_request when the body has content; the errors of reading the body.
 */
export async function requireNoBody(request: Request, reading: BodyReading): Promise<void> {
  if (request.method === "GET" || !request.body) return;
  const { text } = await readJsonText(request, reading);
  if (!/^(\{\s*\})?$/.test(text.trim())) {
    throw refused("must be empty: this request accepts no body");
  }
}

/**
 * The message about a field that a body does not accept.
 *
 * @param readOnly fields that the service sets.
 */
export function ofUnknownField(readOnly: () => string[]): OfUnknown {
  return (key, known) => readOnly().includes(key) ? "is read-only" : unknownField(key, known);
}

/**
 * The message about a key that is not in a schema.
 *
 * @param known the keys that are in the schema.
 */
type OfUnknown = (key: string, known: string[]) => string;

/**
 * The query parameters in a request's URL, parsed by their schema.
 *
 * @throws ApiError invalid_request for an unknown, repeated or malformed parameter, for too many
 * parameters, or for bytes that are not UTF-8.
 */
export function readQuery<Schema extends z.core.$ZodType>(
  url: string,
  schema: Schema | typeof NoParameters = NoParameters,
): z.output<Schema> {
  const types = typesOf(schema);
  const parameters = parametersIn(url);
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for (const [name] of parameters) (seen.has(name) ? repeated : seen).add(name);
  if (repeated.size > 0) {
    throw invalidRequest([...repeated].map((field) => ({
      field,
      message: types.get(field) === "array"
        ? `${GIVEN_TWICE}; write several values as ${field}=a,b`
        : GIVEN_TWICE,
    })));
  }
  const ofUnknown = (name: string) => {
    const known = [...types].map(([name, type]) => type === "object" ? `${name}.<key>` : name);
    return unknownParameter(name, known);
  };
  return check(schema as Schema, withMembers(parameters, types), ofUnknown);
}

/** The JSON Schema types of parameters, by the names of the parameters. */
type Types = Map<string, unknown>;

/**
 * The parameters by their names. If a parameter is an object, its properties have names such as
 * `custom_fields.plan`. The properties of one object are collected in one list, with their values.
 */
function withMembers(parameters: [string, string][], types: Types): object {
  const objects = new Map<string, [string, string][]>();
  const others = parameters.filter(([name, value]) => {
    const dot = name.indexOf(".");
    const object = name.slice(0, Math.max(dot, 0));
    const isObject = types.get(object) === "object";
    if (isObject) objects.set(object, [...objects.get(object) ?? [], [name.slice(dot + 1), value]]);
    return !isObject;
  });
  // A parameter with the object's own name replaces the object, so that the schema refuses the
  // parameter.
  return Object.fromEntries<unknown>([...objects, ...others]);
}

/**
 * The types are cached, because finding them in the schemas takes longer than all other work on a
 * query.
 */
const known = new WeakMap<z.core.$ZodType, Types>();

/** The types of a query's parameters. */
function typesOf(query: z.core.$ZodType): Types {
  let types = known.get(query);
  if (!types) {
    const { shape } = built(query) as z.ZodMiniObject;
    const typeOf = (schema: z.core.$ZodType) => z.globalRegistry.get(schema)?.type;
    const all = Object.entries(shape).map(([name, schema]) =>
      [name, typeOf(schema) ?? typeOf(withoutOptional(schema))] as const
    );
    known.set(query, types = new Map(all));
  }
  return types;
}

function withoutOptional(schema: z.core.$ZodType): z.core.$ZodType {
  return schema instanceof z.ZodMiniOptional ? schema.def.innerType as z.core.$ZodType : schema;
}

/**
 * The limits of a query, which no correct request reaches. Without these limits, refusing a query
 * could take longer than all other work.
 */
const MAX_QUERY_LENGTH = 16 * 1024;
const MAX_PARAMETERS = 100;

/**
 * The query is cut out of the URL, and the rest is not parsed. The rest may be invalid, because the
 * caller chooses the host.
 */
function parametersIn(url: string): [string, string][] {
  const [beforeFragment] = url.split("#", 1);
  const start = beforeFragment.indexOf("?") + 1;
  if (start === 0) return [];
  const query = beforeFragment.slice(start);
  if (query.length > MAX_QUERY_LENGTH) {
    throw new ApiError("invalid_request", "The query string is longer than 16 KiB");
  }
  if (query.split("&", MAX_PARAMETERS + 1).length > MAX_PARAMETERS) {
    throw new ApiError("invalid_request", `The request has more than ${MAX_PARAMETERS} parameters`);
  }
  const parameters: [string, string][] = [...new URLSearchParams(query)];
  refuseOtherEncodings(query, parameters);
  return parameters;
}

/**
 * Refuses bytes that are not UTF-8. Otherwise they would silently be read as U+FFFD.
 *
 * @throws ApiError invalid_request.
 */
function refuseOtherEncodings(query: string, parameters: [string, string][]) {
  if (/\ufffd|%ef%bf%bd/i.test(query)) return; // the caller itself sent U+FFFD
  const wrong = parameters.filter((pair) => pair.join("").includes("\ufffd"));
  if (wrong.length === 0) return;
  const message = "is not in UTF-8; write é as %C3%A9, for example";
  throw invalidRequest(wrong.map(([field]) => ({ field, message })));
}

/**
 * The path parameters of a request, parsed by their schema.
 *
 * @throws ApiError invalid_request when a parameter is malformed, such as an id that is not a UUID.
 */
export function readParams<Schema extends z.core.$ZodType>(
  params: Record<string, string>,
  schema: Schema,
): z.output<Schema> {
  return check(schema, params, () => "is not a part of this path");
}

async function parseObject(text: string, parse: () => unknown): Promise<unknown> {
  let value: unknown;
  try {
    value = await parse();
  } catch (error) {
    if (error instanceof RepeatedKeys) throw invalidRequest(givenTwice(error));
    if (!(error instanceof SyntaxError)) throw error;
    if (text.trim() === "") throw refused("is empty; send a JSON object");
    // Few requests need this code, so the function does not load it at its start.
    const { placeOfFault } = await import("./json_fault.ts");
    throw refused(`is not valid JSON${placeOfFault(text)}; send a JSON object`);
  }
  if (isObject(value)) return value;
  throw refused("must be a JSON object");
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value) &&
    !(value instanceof InexactNumber);
}

const GIVEN_TWICE = "is given more than once";

/** The errors about an object with duplicate keys. */
export function givenTwice({ keys }: RepeatedKeys): FieldError[] {
  return keys.map((field) => ({ field, message: GIVEN_TWICE }));
}

function check<Schema extends z.core.$ZodType>(
  schema: Schema,
  value: unknown,
  ofUnknown: OfUnknown,
): z.output<Schema> {
  const result = judged(schema, value, ofUnknown);
  if ("wrong" in result) throw invalidRequest(result.wrong);
  return result.parsed;
}

/**
 * A value as parsed by its schema, or its errors.
 *
 * @param ofUnknown the message about a key that is not in the schema.
 * @param whole the name of the field in an error about the whole value.
 */
export function judged<Schema extends z.core.$ZodType>(
  schema: Schema,
  value: unknown,
  ofUnknown: OfUnknown,
  whole = "body",
): { parsed: z.output<Schema> } | { wrong: FieldError[] } {
  const result = z.safeParse(schema, value, { error: explain });
  if (result.success) return { parsed: result.data };
  const known = fieldsOf(schema);
  return {
    wrong: result.error.issues.flatMap((issue) => fieldErrors(issue, ofUnknown, whole, known)),
  };
}

/**
 * The names of the fields in an object's schema; an empty list if the schema is not for an object.
 */
function fieldsOf(schema: z.core.$ZodType): string[] {
  if (schema instanceof z.ZodMiniLazy) return fieldsOf(built(schema));
  if (schema instanceof z.ZodMiniPipe) return fieldsOf(schema.def.in);
  return schema instanceof z.ZodMiniObject ? Object.keys(schema.shape) : [];
}

/** At most this many unknown keys get a suggestion, because finding a similar name takes time. */
const MAX_SUGGESTIONS = 10;

function fieldErrors(
  issue: z.core.$ZodIssue,
  ofUnknown: OfUnknown,
  whole: string,
  known: string[],
): FieldError[] {
  const path = issue.path.map(String);
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key, at) => ({
      field: [...path, key].join("."),
      message: ofUnknown(key, path.length === 0 && at < MAX_SUGGESTIONS ? known : []),
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

/**
 * A message that follows a field's name and explains what to send. Zod's own messages are written
 * for programmers.
 */
function explain(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.input === null) return "must not be null";
  switch (issue.code) {
    case "invalid_type":
      if (issue.input === undefined) return "is required";
      if (issue.input instanceof InexactNumber) return InexactNumber.message;
      return `must be ${NAMES[issue.expected] ?? issue.expected}`;
    case "invalid_value":
      if (issue.input === undefined) return "is required";
      return `must be one of ${issue.values.join(", ")}`;
    case "invalid_format":
      return `must be ${NAMES[issue.format] ?? `a valid ${issue.format}`}`;
    default:
      return undefined;
  }
}
