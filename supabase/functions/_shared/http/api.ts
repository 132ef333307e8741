import type { Context, Hono } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { Config } from "../config.ts";
import { callers } from "../key/caller.ts";
import type { Scope } from "../key/token.ts";
import { fieldsOfRow, readOnlyFields } from "./answers.ts";
import { countUsage } from "./count_usage.ts";
import { etagOf, isKnown, onlyVersion, readConditions } from "./conditional.ts";
import { deprecationHeaders, noteDeprecatedUse } from "./deprecation.ts";
import { logFrequentFailure, type Origin } from "../log.ts";
import { type ApiEnv, newHono } from "./env.ts";
import { requireAddress, serverUrl } from "./address.ts";
import { askedOf, type JudgedItem, readBatch } from "./batch_body.ts";
import { MAX_VALUES } from "./body.ts";
import { respondWithBytes } from "./bytes.ts";
import { headLength } from "./head_length.ts";
import { type ErrorAnswers, respondToError } from "./error_response.ts";
import { idempotencyOf, readIdempotencyKey, requireKeyOfBody } from "./idempotency.ts";
import { bodiesOf, type Operation, pathOf } from "./operation.ts";
import { requestId } from "./request_id.ts";
import { requireUnchanged } from "./sent_back.ts";
import { readBody, readParams, readQuery, requireNoBody } from "./validate.ts";

interface ApiOptions {
  /** The function's name, which is the first part of every path. */
  name: string;
  operations: Operation[];
  /**
   * The scope that a key must have for a request with an unknown path or method. Without this
   * scope, the caller receives an error about the key. Null means that any valid key is sufficient.
   */
  scopeOf(method: string): Scope | null;
  /**
   * Whether a request with a method that is not allowed is refused before its key is checked. This
   * applies only to paths without an id.
   */
  refusesMethodFirst?: boolean;
  errors?: Partial<ErrorAnswers>;
  /** Responds to a GET request for the function's own URL. The request needs no key. */
  welcome?(request: Request): Promise<{ body: string; headers: Record<string, string> }>;
}

/**
 * Creates one function of the API from its list of operations. A request is checked in this order:
 * key, scope, parameters, conditions and other headers, body. A caller without a valid key learns
 * only that the key is not valid.
 */
export function api(config: Config, options: ApiOptions): Hono<ApiEnv> {
  const { name, operations, scopeOf, refusesMethodFirst = false, errors, welcome } = options;
  const callerOf = callers(config);
  const app = newHono()
    // `countUsage` is added before the base path, so that it also counts requests outside of the
    // base path. For an unknown path, the code after `next()` in the last middleware does not run,
    // so `countUsage` must not be the last.
    .use(countUsage(config, name))
    .use(headLength)
    .use(requestId)
    .basePath(`/${name}`)
    .onError(respondToError(config, errors));

  const mount = (operation: Operation) => {
    const { id, method, path, scope, deprecated } = operation;
    const announced = deprecated ? deprecationHeaders(deprecated, config.docsUrl) : {};
    app.on(method, path, async (c) => {
      // The deprecation headers are set first, so that every response has them, even one that
      // refuses the key.
      for (const [name, value] of Object.entries(announced)) c.header(name, value);
      c.set("operation", operation);
      if (scope !== null) {
        const needed = scope === "any" ? null : scope;
        c.set("caller", await callerOf(c.req.raw.headers, needed, c.var.origin.requestId));
      }
      const { request, conditions, reply } = await handled(c, operation, config);
      const { status, body, json = JSON.stringify(body), pieces, bytes, headers } = reply;
      c.var.caller?.noteUse(c.var.origin);
      if (deprecated) noteDeprecatedUse(id, c.var.origin, c.var.caller);
      if (bytes) return await respondWithBytes(c, bytes, conditions);
      if (status === 204) return c.body(null, status, headers);
      const etag = await etagOf(operation, request.query, body, json);
      if (etag) c.header("ETag", etag);
      if (etag && isKnown(etag, conditions)) return c.body(null, 304);
      c.header("Content-Type", "application/json");
      if (pieces) {
        return c.body(streamOf(pieces, c.var.origin), status as ContentfulStatusCode, headers);
      }
      return c.body(json, status as ContentfulStatusCode, headers);
    });
  };
  // A request for `/contacts/changes` never reaches `/contacts/:id`, whatever its method is.
  const fixed = operations.filter(({ path }) => !path.includes("/:"));
  fixed.forEach(mount);
  for (const path of new Set(fixed.map(({ path }) => path))) app.all(path, (c) => c.notFound());
  operations.filter((operation) => !fixed.includes(operation)).forEach(mount);

  return app.notFound(async (c) => {
    const { method, path } = c.req;
    if (welcome && /^(GET|HEAD)$/.test(method) && path.replace(/\/$/, "") === `/${name}`) {
      const { body, headers } = await welcome(c.req.raw);
      return c.body(body, 200, headers);
    }
    // Correct requests do not need this module, so it is not loaded at the start.
    const { methodNotAllowed, refusedRoute } = await import("./refused_route.ts");
    const here = refusesMethodFirst ? fixed.filter((each) => pathOf(name, each) === path) : [];
    if (here.length > 0) throw methodNotAllowed(method, here);
    const caller = await callerOf(c.req.raw.headers, scopeOf(method), c.var.origin.requestId);
    c.set("caller", caller);
    // The key is checked first, because examining a long path takes time.
    await caller.judge();
    requireAddress(c.req);
    throw refusedRoute(name, operations, { method, path });
  });
}

/** Reads a request and handles it. A batch keeps its caller's turn until it is handled. */
async function handled(c: Context<ApiEnv>, operation: Operation, config: Config) {
  const { promise: end, resolve } = Promise.withResolvers<void>();
  try {
    const { request, conditions } = await read(c, operation, config, end);
    return { request, conditions, reply: await operation.handle(request) };
  } finally {
    resolve();
  }
}

/**
 * Parses a request with the schemas of its operation.
 * @param end resolves when the request is handled.
 */
async function read(
  c: Context<ApiEnv>,
  operation: Operation,
  config: Config,
  end: Promise<void>,
) {
  const { caller, origin } = c.var;
  requireAddress(c.req);
  const params = operation.params && readParams(c.req.param(), operation.params);
  const query = readQuery(c.req.url, operation.query);
  const conditions = readConditions(c.req.raw.headers, operation);
  const key = readIdempotencyKey(c.req.raw.headers, operation);
  c.set("isRepeatable", key !== null);
  let body: unknown;
  const { answers, batch, changes, maxValues = MAX_VALUES } = operation;
  const judge = async () => await caller?.judgeUnlessKnown();
  const arriving = async (arrived: Promise<void>) => await caller?.arrivesUntil(arrived);
  const reading = { maxValues, timeoutMs: config.bodyTimeoutMs, judge, arriving };
  const file = operation.file && c.req.raw;
  if (!operation.body && !file) await requireNoBody(c.req.raw, reading);
  else if (operation.body) {
    const readOnly = () => Object.values(answers()).flatMap(readOnlyFields);
    if (batch) {
      // The turn begins after the bytes have arrived, because a slow sender must not keep a turn.
      const turn = async () => await caller?.turnUntil(end);
      body = await readBatch(c.req.raw, batch, { ...reading, turn });
    } else {
      const merged = changes?.canBeMerged ? ["merged_into"] : [];
      const ofRecord = () =>
        changes ? [...Object.values(answers()).flatMap(fieldsOfRow), ...merged] : [];
      const read = await readBody(c.req.raw, bodiesOf(operation), readOnly, reading, ofRecord);
      body = read.body;
      if (changes && caller && Object.keys(read.sentBack).length > 0) {
        const id = changes.find ? await changes.find(caller.db, body, query) : params!.id as string;
        const version = await requireUnchanged(caller.db, changes.table, id, read.sentBack);
        if (version !== null) conditions.ifMatch = onlyVersion(version, conditions.ifMatch);
      }
    }
    requireKeyOfBody(c.req.raw.headers, operation, body);
  }
  const { ifMatch } = conditions;
  const asked = operation.batch ? askedOf(body as { items: JudgedItem[] }) : body;
  const idempotency = key && await idempotencyOf(key, operation, params, { query, body: asked });
  const server = () => serverUrl(c.req.raw, config.supabaseUrl);
  const request = { caller, params, query, body, file, ifMatch, idempotency, origin, server };
  return { request: request as Parameters<Operation["handle"]>[0], conditions };
}

/**
 * A streamed response body. After a failure, the connection is closed abruptly, so that no client
 * treats the body as complete.
 */
function streamOf(pieces: AsyncIterable<string>, origin: Origin): ReadableStream<Uint8Array> {
  const logged = async function* () {
    try {
      yield* pieces;
    } catch (error) {
      logFrequentFailure(origin, "answer_broken_off", error);
      throw error;
    }
  };
  return ReadableStream.from(logged()).pipeThrough(new TextEncoderStream());
}
