import { Hono } from "hono";
import { type ApiEnv, authenticate } from "../_shared/key/authenticate.ts";
import type { Scope } from "../_shared/database/company_db.ts";
import type { Config } from "../_shared/config.ts";
import { requestId } from "../_shared/http/request_id.ts";
import { respondToError } from "../_shared/http/error_response.ts";
import { health } from "./health.ts";
import { noRoute } from "../_shared/http/no_route.ts";
import { contacts } from "./resources/contacts.ts";
import { conversations } from "./resources/conversations.ts";
import { deals } from "./resources/deals.ts";
import { pipelines } from "./resources/pipelines.ts";
import { stages } from "./resources/stages.ts";

/** The gateway: contacts, deals, pipelines, stages and conversations of the key's company. */
export function gateway(config: Config): Hono<ApiEnv> {
  const app = new Hono<ApiEnv>()
    .basePath("/gateway")
    .onError(respondToError())
    .use(requestId)
    .get("/health", health(config))
    .use(authenticate(config, scopeOf))
    .route("/contacts", contacts)
    .route("/deals", deals)
    .route("/pipelines", pipelines)
    .route("/stages", stages)
    .route("/conversations", conversations);
  return app.notFound(noRoute(app.routes));
}

/** Specification, part 5: reading methods need read; creating, changing and deleting ones need write. */
function scopeOf(method: string): Scope {
  if (method === "OPTIONS") return null;
  return method === "GET" || method === "HEAD" ? "read" : "write";
}
