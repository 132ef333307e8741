import { gateway } from "../../supabase/functions/gateway/app.ts";
import { anyPhone, type Company } from "./company.ts";

/** A route of the gateway, with a request that succeeds. */
export interface Route {
  method: string;
  /** As declared: `/contacts/:id`. */
  pattern: string;
  scope: "read" | "write";
  /** The path of a company's own row. */
  path(company: Company): string;
  /** A body that this company may send; null where the route takes none. */
  body: ((company: Company) => Record<string, unknown>) | null;
}

const OWN_ROW: Record<string, (company: Company) => string> = {
  "/contacts/:id": (company) => `/contacts/${company.contact_id}`,
  "/deals/:id": (company) => `/deals/${company.deal_id}`,
  "/conversations/:id": (company) => `/conversations/${company.conversation_id}`,
};

const BODIES: Record<string, (company: Company) => Record<string, unknown>> = {
  "POST /contacts": () => ({ phone: anyPhone() }),
  "PATCH /contacts/:id": () => ({ phone: anyPhone() }),
  "POST /deals": ({ contact_id, stage_ids }) => ({
    title: "Deal",
    contact_id,
    stage_id: stage_ids[0],
  }),
  "PATCH /deals/:id": ({ stage_ids }) => ({ stage_id: stage_ids[1] }),
  "PATCH /conversations/:id": ({ member_id, team_id }) => ({ assigned_to: member_id, team_id }),
};

/** The gateway with a configuration that reaches nothing; its route table is what counts here. */
const app = gateway({
  supabaseUrl: "http://127.0.0.1:9",
  publishableKey: "none",
  signingKey: { key: new Uint8Array(32), alg: "HS256" },
  databaseTimeoutMs: 1,
});

/** Every route that the gateway has, taken from its own table, so that a new one is covered at once. */
export const routes: Route[] = app.routes
  // A monitor's route owes nothing of what the others do: it has no key and no rows.
  .filter(({ method, path }) => method !== "ALL" && path !== "/gateway/health")
  .map(({ method, path }) => {
    const pattern = path.replace(/^\/gateway/, "");
    const body = BODIES[`${method} ${pattern}`] ?? null;
    if (method !== "GET" && !body) throw new Error(`${method} ${pattern} needs a body in tests`);
    if (pattern.includes(":") && !OWN_ROW[pattern]) {
      throw new Error(`${pattern} needs a row in tests`);
    }
    return {
      method,
      pattern,
      scope: method === "GET" ? "read" : "write",
      path: OWN_ROW[pattern] ?? (() => pattern),
      body,
    };
  });

export const listRoutes = routes.filter(({ method }) => method === "GET");
export const bodyRoutes = routes.filter(({ body }) => body !== null);
export const idRoutes = routes.filter(({ pattern }) => pattern.endsWith("/:id"));
