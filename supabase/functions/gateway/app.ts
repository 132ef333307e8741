import { Hono } from "hono";
import { type ApiEnv, authenticate } from "../_shared/authenticate.ts";
import type { Scope } from "../_shared/company_db.ts";
import type { Config } from "../_shared/config.ts";
import { requestId } from "../_shared/request_id.ts";
import { respondToError } from "../_shared/respond.ts";
import { health } from "./health.ts";
import { noRoute } from "./no_route.ts";
import { contacts } from "./routes/contacts.ts";
import { conversations } from "./routes/conversations.ts";
import { deals } from "./routes/deals.ts";
import { pipelines } from "./routes/pipelines.ts";
import { stages } from "./routes/stages.ts";

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
