import type { Context } from "hono";
import * as z from "zod";
import { ApiError, type FieldError, invalidRequest } from "../errors.ts";
import { InexactNumber, parseStrictly, RepeatedKeys } from "./strict_json.ts";

const MAX_BODY_BYTES = 1024 * 1024;

const NoParameters = z.strictObject({});

/**
 * The body of a request, parsed by its schema. Strict: a field that the schema does not have is refused, so
 * nothing is dropped in silence.
 *
 * @param readOnly fields that are refused as read-only.
 * @throws ApiError payload_too_large over 1 MiB; invalid_request with every wrong field.
 */
export async function readBody<Schema extends z.ZodType>(
  request: Request,
  schema: Schema,
  readOnly: string[],
): Promise<z.output<Schema>> {
  const text = decodeUtf8(await readBytes(request));
  const [mediaType] = (request.headers.get("Content-Type") ?? "").split(";");
  if (mediaType.trim().toLowerCase() !== "application/json") {
    throw invalidRequest([{ field: "Content-Type", message: "must be application/json" }]);
  }
  return check(
    schema,
    parseObject(text),
    (key) => readOnly.includes(key) ? "is read-only" : "is not a field that is accepted here",
  );
}

/**
 * The query parameters of a request, parsed by their schema.
 * @throws ApiError invalid_request for an unknown, repeated or malformed parameter.
 */
export function readQuery<Schema extends z.ZodType>(
  c: Context,
  schema: Schema | typeof NoParameters = NoParameters,
): z.output<Schema> {
  const parameters = c.req.url.includes("?") ? [...new URL(c.req.url).searchParams] : [];
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for (const [name] of parameters) (seen.has(name) ? repeated : seen).add(name);
  if (repeated.size > 0) throw givenTwice([...repeated]);
  const ofUnknown = () => "is not a parameter that is accepted here";
  return check(schema as Schema, Object.fromEntries(parameters), ofUnknown);
}

/**
 * The parameters in the path of a request, parsed by their schema.
 * @throws ApiError invalid_request when it is malformed, such as an id that is not a UUID.
 */
export function readParams<Schema extends z.ZodType>(
  c: Context,
  schema: Schema,
): z.output<Schema> {
  return check(schema, c.req.param(), () => "is not a part of this path");
}

async function readBytes(request: Request): Promise<Uint8Array> {
  const tooLarge = () => new ApiError("payload_too_large", "The request body is larger than 1 MiB");
  const declared = request.headers.get("Content-Length");
  if (Number(declared) > MAX_BODY_BYTES) throw tooLarge();
  // A server hands on as many bytes as were declared; taken at once, they cost a fraction.
  if (declared !== null) return new Uint8Array(await request.arrayBuffer());
  const pieces: BlobPart[] = [];
  let length = 0;
  // Counted while it arrives: a body without a Content-Length must not fill the memory first. Not by Hono's
  // body-limit, which copies the request and the server's abort signal with it.
  for await (const piece of request.body ?? []) {
    length += piece.length;
    if (length > MAX_BODY_BYTES) throw tooLarge();
    pieces.push(piece);
  }
  return new Uint8Array(await new Blob(pieces).arrayBuffer());
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new ApiError("invalid_request", "The request body is not valid UTF-8");
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const what = text.trim() === "" ? "is empty" : "is not valid JSON";
    throw new ApiError("invalid_request", `The request body ${what}; send a JSON object`);
  }
}

function parseObject(text: string): unknown {
  const value = parseJson(text);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new ApiError("invalid_request", "The request body must be a JSON object");
  }
  try {
    return parseStrictly(text);
  } catch (error) {
    if (error instanceof RepeatedKeys) throw givenTwice(error.keys);
    if (!(error instanceof RangeError)) throw error;
    throw new ApiError("invalid_request", "The request body is nested too deeply");
  }
}

function givenTwice(fields: string[]): ApiError {
  return invalidRequest(fields.map((field) => ({ field, message: "is given more than once" })));
}

/** @param ofUnknown the message about a key that the schema does not have. */
function check<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  ofUnknown: (key: string) => string,
): z.output<Schema> {
  const result = schema.safeParse(value, { error: explain });
  if (result.success) return result.data;
  throw invalidRequest(result.error.issues.flatMap((issue) => fieldErrors(issue, ofUnknown)));
}

function fieldErrors(
  issue: z.core.$ZodIssue,
  ofUnknown: (key: string) => string,
): FieldError[] {
  const path = issue.path.map(String);
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({
      field: [...path, key].join("."),
      message: ofUnknown(key),
    }));
  }
  return [{ field: path.join(".") || "body", message: issue.message }];
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
