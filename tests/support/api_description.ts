// Checks every response of the functions, and every successful request, against openapi.json.
import { type JsonSchema } from "../../generate/openapi/json_schema.ts";
import { declaredParameters, valueOf, valuesByName } from "./query_text.ts";
import { SchemaValidator, withClosedObjects } from "./schema_validator.ts";

/** A request and its response. */
export interface Exchange {
  method: string;
  /** The path begins with the function's name, such as `/gateway/contacts?limit=2`. */
  url: URL;
  /** The body of the request, or null if it is a stream or not text. */
  sent: string | null;
  /** The Content-Type of the request. */
  contentType?: string | null;
  status: number;
  headers: Headers;
  body: string;
  /** Whether a proxy or the hosting platform may have added headers. */
  isBehindServer: boolean;
}

/**
 * The paths that the description omits. Some paths of the whatsapp function are only for the
 * channel and the operator's scheduler. The settings function is only for the settings page. The
 * gateway's root path lists the documents.
 */
export const UNDESCRIBED = /^\/whatsapp(?!\/messages([/?]|$))|^\/settings\/|^\/gateway\/?$/;

/** Headers that describe how a body was sent, and whether the connection remains open. */
const TRANSPORT = new Set(["content-type", "content-length", "connection"]);

interface FoundOperation {
  operation: JsonSchema;
  /** The object keys that lead to the operation in the document. */
  place: string[];
  params: Record<string, string>;
}

/** Checks exchanges against the API's description. */
export class ApiDescription {
  #document: JsonSchema;
  #answers: SchemaValidator;
  #wholeAnswers: SchemaValidator;
  #requests: SchemaValidator;

  constructor(document: JsonSchema) {
    this.#document = document;
    this.#answers = new SchemaValidator(withClosedObjects(document));
    this.#wholeAnswers = new SchemaValidator(withClosedObjects(withoutParts(document)));
    this.#requests = new SchemaValidator(document);
  }

  /**
   * A sentence that describes how a request or its response violates the description, or null if
   * both are valid.
   */
  violation(exchange: Exchange): string | null {
    const { method, url, status } = exchange;
    if (UNDESCRIBED.test(url.pathname)) return null;
    // An operation that accepts GET also accepts HEAD, which returns no body.
    const found = this.#find(method === "HEAD" ? "GET" : method, url.pathname);
    const problem = found
      ? this.#problemOf(exchange, found)
      : this.#problemOutside(exchange, url.pathname.split("/")[1]);
    return problem && `${method} ${url.pathname}${url.search} → ${status}: ${problem}`;
  }

  #find(method: string, path: string): FoundOperation | null {
    if (/[a-z]/.test(method)) return null; // HTTP methods are case-sensitive
    const paths: Record<string, JsonSchema> = this.#document.paths;
    // A path without parameters takes precedence over matching paths with parameters (OpenAPI 3.1,
    // Paths Object).
    const candidates = Object.hasOwn(paths, path) ? { [path]: paths[path] } : paths;
    for (const [pattern, item] of Object.entries<JsonSchema>(candidates)) {
      const operation = item[method.toLowerCase()];
      const params = operation && match(pattern, path);
      if (params) return { operation, params, place: ["paths", pattern, method.toLowerCase()] };
    }
    return null;
  }

  #problemOf(exchange: Exchange, found: FoundOperation): string | null {
    const place = [...found.place, "responses", String(exchange.status)];
    const answer = found.operation.responses[exchange.status];
    if (!answer) return "the status is not declared";
    const [declared, at] = this.#resolved(answer, place);
    return this.#problemOfAnswer(exchange, declared, at) ??
      (exchange.status < 300 ? this.#problemOfRequest(exchange, found) : null);
  }

  /**
   * Describes what is wrong with a response to an unknown path, or to a method that the path does
   * not accept.
   */
  #problemOutside(exchange: Exchange, name: string): string | null {
    const place = ["x-answers-of-no-operation", name, String(exchange.status)];
    const outside: JsonSchema = this.#document["x-answers-of-no-operation"];
    if (!outside[name]) return null; // not a function of this API
    const declared = outside[name][exchange.status];
    if (declared) return this.#problemOfAnswer(exchange, declared, place);
    // Each function checks the key before the path, and all operations return the same response to
    // a refused key.
    const [path, item] = Object.entries<JsonSchema>(this.#document.paths)
      .find(([path]) => path.split("/")[1] === name) ?? [];
    const [method, operation] = Object.entries<JsonSchema>(item ?? {})[0] ?? [];
    const shared = operation?.responses[exchange.status];
    if (!shared || exchange.status < 400) return "no operation has this answer";
    const [answer, at] = this.#resolved(shared, [
      ...["paths", path!, method, "responses"],
      String(exchange.status),
    ]);
    return this.#problemOfAnswer(exchange, answer, at);
  }

  #resolved(answer: JsonSchema, place: string[]): [JsonSchema, string[]] {
    if (!answer.$ref) return [answer, place];
    const name = answer.$ref.split("/").at(-1);
    return [this.#document.components.responses[name], ["components", "responses", name]];
  }

  #problemOfAnswer(
    { method, url, headers, body, isBehindServer }: Exchange,
    answer: JsonSchema,
    place: string[],
  ): string | null {
    const problem = this.#problemOfHeaders(headers, answer, isBehindServer);
    if (problem) return problem;
    if (method === "HEAD") return body === "" ? null : "HEAD has a body";
    if (!answer.content) return body === "" ? null : "it has a body";
    if (answer.content["*/*"]) return null; // a file
    if (!headers.get("Content-Type")?.startsWith("application/json")) return "it is not JSON";
    const schema = [...place, "content", "application/json", "schema"];
    const answers = url.searchParams.has("fields") ? this.#answers : this.#wholeAnswers;
    return answers.problemAt(schema, JSON.parse(body));
  }

  #problemOfHeaders(headers: Headers, answer: JsonSchema, isBehindServer: boolean): string | null {
    const declared: [string, JsonSchema][] = Object.entries<JsonSchema>(answer.headers)
      .map(([name, header]) => {
        const reference = header.$ref?.split("/").at(-1);
        return [name, reference ? this.#document.components.headers[reference] : header];
      });
    for (const [name, { required, schema }] of declared) {
      const value = headers.get(name);
      if (value === null && required) return `the header ${name} is missing`;
      if (value === null) continue;
      const problem = this.#answers.problemBySchema(schema, valueOf(value, schema));
      if (problem) return `the header ${name} ${problem}`;
    }
    const known = new Set(declared.map(([name]) => name.toLowerCase()));
    const ours = /^(allow|retry-after)$/;
    const other = [...headers.keys()].find((name) =>
      !known.has(name) && !TRANSPORT.has(name) && (!isBehindServer || ours.test(name))
    );
    return other ? `the header ${other} is not declared` : null;
  }

  /** Describes what is wrong with a request that should not have succeeded. */
  #problemOfRequest(
    { url, sent, contentType, body: answer }: Exchange,
    { operation, params, place }: FoundOperation,
  ): string | null {
    const given = { path: Object.entries(params), query: url.searchParams };
    const withPlus = new URLSearchParams(url.search.replaceAll("+", "%2B"));
    for (const place of ["path", "query"] as const) {
      const declared = declaredParameters(this.#document, operation, place);
      const values = valuesByName(given[place], declared);
      const plusValues = place === "query" ? valuesByName(withPlus, declared) : values;
      for (const { name, required, schema } of declared) {
        const value = values[name];
        if (value === undefined && required) return `it succeeded without ${name}`;
        if (value === undefined) continue;
        // In a URL, a plain `+` is a space, or a plus sign if the API's `plus_sign` rule allows it.
        const problem = this.#requests.problemBySchema(schema, value) &&
          this.#requests.problemBySchema(schema, plusValues[name]);
        if (problem) return `it succeeded although ${name} ${problem}`;
      }
      const other = Object.keys(values).find((name) =>
        !declared.some((each) => each.name === name)
      );
      if (other) return `it succeeded with the parameter ${other}`;
    }
    if (!operation.requestBody || sent === null) return null;
    const mediaType = (contentType ?? "application/json").split(";")[0].trim().toLowerCase();
    if (!operation.requestBody.content[mediaType]) return `it succeeded with ${mediaType}`;
    const schema = [...place, "requestBody", "content", mediaType, "schema"];
    const body = withoutSentBack(withoutFailed(JSON.parse(sent), answer), answer, operation);
    if (body === null) return null;
    const problem = this.#requests.problemAt(schema, body) &&
      this.#requests.problemAt(schema, trimmed(body));
    return problem && `it succeeded although the body ${problem}`;
  }
}

/** The read-only fields of a record. An update ignores them if they are unchanged. */
const READ_ONLY = new Set(
  ("id,company_id,contact_id,phone_number_id,do_not_contact_source,do_not_contact_at," +
    "marketing_opt_out_at,marketing_opt_out_source,last_message_at,window_expires_at,won_at,lost_at,stage_changed_at," +
    "archived_at,erased_at,created_at,updated_at,version,merged_into").split(","),
);

/** The body of an update, without the read-only fields that are unchanged. */
function withoutSentBack(body: unknown, answer: string, { operationId }: JsonSchema): unknown {
  if (!/^(update[A-Z][a-z]+[^s]|putContact)$/.test(operationId) || !answer) return body;
  return Object.fromEntries(
    Object.entries(body as object).filter(([name]) => !READ_ONLY.has(name)),
  );
}

/**
 * The body of a successful request. For a batch, the body keeps only the items that succeeded
 * according to the response.
 */
function withoutFailed(sent: JsonSchema, answer: string): unknown {
  const { data, summary } = JSON.parse(answer || "{}");
  if (!summary || !Array.isArray(sent.items)) return sent;
  const items = sent.items.filter((_: unknown, index: number) => data[index].status < 300);
  // If no item succeeded, there is nothing to compare.
  return items.length > 0 ? { ...sent, items } : null;
}

/** The parameters in a path, or null if the path does not match this pattern. */
function match(pattern: string, path: string): Record<string, string> | null {
  const [expected, actual] = [pattern, path].map((each) => each.split("/"));
  if (expected.length !== actual.length) return null;
  const params: Record<string, string> = {};
  for (const [at, part] of expected.entries()) {
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    if (name && actual[at] !== "") params[name] = actual[at];
    else if (part !== actual[at]) return null;
  }
  return params;
}

/**
 * Applies the `trimmed` rule: whitespace around a string is removed before its length is checked.
 */
function trimmed(value: unknown): unknown {
  if (typeof value === "string") return value.trim();
  if (Array.isArray(value)) return value.map(trimmed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, trimmed(item)]));
}

/**
 * The same document, but responses contain only complete records, as if the `fields` parameter did
 * not exist.
 */
function withoutParts(document: JsonSchema): JsonSchema {
  return JSON.parse(JSON.stringify(document), (_key, value) => {
    if (!value?.anyOf?.[1]?.$ref?.endsWith("Part")) return value;
    const [whole, _part, ...others] = value.anyOf;
    return others.length === 0 ? whole : { anyOf: [whole, ...others] };
  });
}
