import type { Context, Hono } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { ApiError } from "../_shared/errors.ts";
import { requireAddress, serverUrl } from "../_shared/http/address.ts";
import { type ApiEnv, newHono } from "../_shared/http/env.ts";
import { respondToError } from "../_shared/http/error_response.ts";
import { methodNotAllowed } from "../_shared/http/refused_route.ts";
import type { Operation } from "../_shared/http/operation.ts";
import { requestId } from "../_shared/http/request_id.ts";
import { readBody, readParams, readQuery, requireNoBody } from "../_shared/http/validate.ts";
import { browserAccess } from "./browser_access.ts";
import { settingsOperations } from "./operations.ts";
import { personOf } from "./person.ts";
import type { PersonRequest } from "./person_operation.ts";
import type { SettingsConfig } from "./settings_config.ts";

/** The maximum number of JSON values in the body of an operation. */
const MAX_VALUES = 100;

/**
 * The function for signed-in users of the settings page. It accepts no API key. Each operation
 * needs a secret that only the functions have. The database decides what the user may do.
 */
export function settings(config: SettingsConfig): Hono<ApiEnv> {
  const operations = settingsOperations(config);
  const app = newHono()
    .use(browserAccess)
    .use(requestId)
    .basePath("/settings")
    .onError(respondToError(config));

  for (const operation of operations) {
    const { method, path } = operation;
    app.on(method, path, async (c) => {
      c.set("operation", operation);
      const { status, body } = await operation.handle(await read(c, operation, config));
      return c.json(body, status as ContentfulStatusCode);
    });
  }
  for (const path of new Set(operations.map(({ path }) => path))) {
    app.all(path, (c) => {
      throw methodNotAllowed(c.req.method, operations.filter((each) => each.path === path));
    });
  }
  return app.notFound(() => {
    const paths = [...new Set(operations.map(({ path }) => `/settings${path}`))];
    throw new ApiError(
      "route_not_found",
      `The path does not exist; the paths are ${paths.join(", ")}`,
    );
  });
}

/** Parses a request with the schemas of its operation. */
async function read(c: Context<ApiEnv>, operation: Operation, config: SettingsConfig) {
  const person = personOf(config, c.req.raw.headers, c.var.origin);
  requireAddress(c.req);
  const params = operation.params && readParams(c.req.param(), operation.params);
  const query = readQuery(c.req.url, operation.query);
  const reading = {
    maxValues: MAX_VALUES,
    timeoutMs: config.bodyTimeoutMs,
    judge: async () => {},
  };
  let body: unknown;
  if (operation.body) {
    const schemas = { "application/json": operation.body };
    ({ body } = await readBody(c.req.raw, schemas, () => [], reading));
  } else await requireNoBody(c.req.raw, reading);
  const server = () => serverUrl(c.req.raw, config.supabaseUrl);
  const request = { person, params, query, body, origin: c.var.origin, server };
  return request as unknown as Parameters<Operation["handle"]>[0] & PersonRequest<never>;
}
