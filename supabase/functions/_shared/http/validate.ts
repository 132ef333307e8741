import type { Context } from "hono";
import * as z from "zod";
import { ApiError, type FieldError, invalidRequest } from "../errors.ts";
import { InexactNumber, parseStrictly, RepeatedKeys } from "./strict_json.ts";

const MAX_BODY_BYTES = 1024 * 1024;

/** For `readQuery`, where a path takes none. */
export const NoParameters = z.strictObject({});

/**
 * The JSON object of a request as its schema answers it. Strict: what the schema does not name is
 * refused, so nothing that a caller sent is dropped in silence.
 *
 * @throws ApiError payload_too_large over 1 MiB; invalid_request naming every field that does not hold.
 */
export async function readBody<Schema extends z.ZodType>(
  c: Context,
  schema: Schema,
): Promise<z.output<Schema>> {
  readQuery(c, NoParameters);
  const text = decodeUtf8(await readBytes(c.req.raw));
  const [mediaType] = (c.req.header("Content-Type") ?? "").split(";");
  if (mediaType.trim().toLowerCase() !== "application/json") {
    throw invalidRequest([{ field: "Content-Type", message: "must be application/json" }]);
  }
  return check(schema, parseObject(text));
}

/**
 * The query parameters of a request as their schema answers them; each is a string before.
 * @throws ApiError invalid_request for an unknown, repeated or malformed parameter.
 */
export function readQuery<Schema extends z.ZodType>(c: Context, schema: Schema): z.output<Schema> {
  if (!c.req.url.includes("?")) return check(schema, {}, "parameter");
  const parameters = new URL(c.req.url).searchParams;
  const once = new Set<string>();
  const twice = new Set<string>();
  for (const name of parameters.keys()) (once.has(name) ? twice : once).add(name);
  if (twice.size > 0) throw repeated([...twice]);
  return check(schema, Object.fromEntries(parameters), "parameter");
}

const Id = z.object({ id: z.guid() });

/** The `{id}` of the path. @throws ApiError invalid_request when it is not a UUID. */
export function readId(c: Context): string {
  return check(Id, c.req.param()).id;
}

async function readBytes(request: Request): Promise<Uint8Array> {
  const tooLarge = () => new ApiError("payload_too_large", "The request body is larger than 1 MiB");
  const declared = request.headers.get("Content-Length");
  if (Number(declared) > MAX_BODY_BYTES) throw tooLarge();
  // A server hands on as many bytes as were declared; taken at once, they cost a fraction.
  if (declared !== null) return new Uint8Array(await request.arrayBuffer());
  const pieces: BlobPart[] = [];
  let length = 0;
  // Counted while it arrives: a body without a Content-Length must not fill the memory first.
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
    if (error instanceof RepeatedKeys) throw repeated(error.keys);
    if (!(error instanceof RangeError)) throw error;
    throw new ApiError("invalid_request", "The request body is nested too deeply");
  }
}

function repeated(fields: string[]): ApiError {
  return invalidRequest(fields.map((field) => ({ field, message: "is given more than once" })));
}

function check<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  kind: "field" | "parameter" = "field",
): z.output<Schema> {
  const result = schema.safeParse(value, { error: explain });
  if (result.success) return result.data;
  throw invalidRequest(result.error.issues.flatMap((issue) => fieldErrors(issue, kind)));
}

const READ_ONLY = new Set([
  "id",
  "company_id",
  "created_at",
  "updated_at",
  "last_message_at",
  "window_expires_at",
]);

function fieldErrors(issue: z.core.$ZodIssue, kind: string): FieldError[] {
  const path = issue.path.map(String);
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({
      field: [...path, key].join("."),
      message: kind === "field" && READ_ONLY.has(key)
        ? "is read-only"
        : `is not a ${kind} that is accepted here`,
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

/** zod's own messages speak of types and inputs; these follow a field's name and say what to send. */
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
