import * as z from "zod/mini";
import { readConfig } from "../../supabase/functions/_shared/config.ts";
import { MAX_VALUES } from "../../supabase/functions/_shared/http/body.ts";
import type { Scope } from "../../supabase/functions/_shared/key/token.ts";
import { gatewayOperations } from "../../supabase/functions/gateway/operations.ts";
import { anyPhone, type CompanyWithTemplate } from "./company.ts";
import { environment } from "./test_stack.ts";

/** A route of the gateway, with a request that succeeds. */
export interface Route {
  method: string;
  /** The path as it is declared, such as `/contacts/:id`. */
  pattern: string;
  /** The table of the rows that it returns. */
  table: string;
  /** What its one statement uses at the Data API: a table, a view or a function. */
  asks: string;
  /** `any` when every valid key is enough. */
  scope: Scope | "any";
  /** The status of a successful answer. */
  success: number;
  /** The names of the parameters in its query. */
  parameters: string[];
  /** The maximum number of JSON values in its body. */
  maxValues: number;
  /** The path, with the id of a row of this company. */
  path(company: CompanyWithTemplate): string;
  /** A body that succeeds for this company, or null if the route accepts none. */
  body: ((company: CompanyWithTemplate) => Record<string, unknown>) | null;
}

const OWN_ROW: Record<string, (company: CompanyWithTemplate) => string> = {
  "/contacts/:id": (company) => `/contacts/${company.contact_id}`,
  // This contact is already archived, so archiving it again changes nothing.
  "DELETE /contacts/:id": (company) => `/contacts/${company.archived_contact_id}`,
  "/contacts/:id/restore": (company) => `/contacts/${company.archived_contact_id}/restore`,
  "/contacts/:id/erase": (company) => `/contacts/${company.erasable_contact_id}/erase`,
  "/contacts/:id/merge": (company) => `/contacts/${company.contact_id}/merge`,
  "/contacts/:id/export": (company) => `/contacts/${company.contact_id}/export`,
  "/deals/:id": (company) => `/deals/${company.deal_id}`,
  "DELETE /deals/:id": (company) => `/deals/${company.archived_deal_id}`,
  "/deals/:id/restore": (company) => `/deals/${company.archived_deal_id}/restore`,
  "/deals/:id/history": (company) => `/deals/${company.deal_id}/history`,
  "/pipelines/:id": (company) => `/pipelines/${company.pipeline_id}`,
  "/stages/:id": (company) => `/stages/${company.stage_ids[0]}`,
  "/conversations/:id": (company) => `/conversations/${company.conversation_id}`,
  "/conversations/:id/messages": (company) => `/conversations/${company.conversation_id}/messages`,
  "/messages/:id": (company) => `/messages/${company.message_id}`,
  "/teams/:id": (company) => `/teams/${company.team_id}`,
  "/members/:id": (company) => `/members/${company.member_id}`,
  "/templates/:id": (company) => `/templates/${company.template_id}`,
  "/search": () => "/search?q=15",
  "DELETE /pipelines/:id": (company) => `/pipelines/${company.spare_pipeline_id}`,
  // This stage has no deals.
  "DELETE /stages/:id": (company) => `/stages/${company.stage_ids[4]}`,
  "/sends/:message_id": (company) => `/sends/${company.sent_message_id}`,
};

const BODIES: Record<string, (company: CompanyWithTemplate) => Record<string, unknown>> = {
  "POST /contacts": () => ({ phone: anyPhone() }),
  "PUT /contacts": () => ({ phone: anyPhone() }),
  "POST /contacts/batch": () => ({ items: [{ phone: anyPhone() }] }),
  "PATCH /contacts/batch": ({ contact_id }) => ({ items: [{ id: contact_id, phone: anyPhone() }] }),
  "PATCH /contacts/:id": () => ({ phone: anyPhone() }),
  "POST /contacts/:id/erase": ({ erasable_contact_id }) => ({ confirm: erasable_contact_id }),
  "POST /contacts/:id/merge": ({ mergeable_contact_id }) => ({ from: mergeable_contact_id }),
  "POST /deals": ({ contact_id, stage_ids }) => ({
    title: "Deal",
    contact_id,
    stage_id: stage_ids[0],
  }),
  "POST /deals/batch": ({ contact_id, stage_ids }) => ({
    items: [{ title: "Deal", contact_id, stage_id: stage_ids[0] }],
  }),
  "PATCH /deals/batch": ({ deal_id, stage_ids }) => ({
    items: [{ id: deal_id, stage_id: stage_ids[1] }],
  }),
  "PATCH /deals/:id": ({ stage_ids }) => ({ stage_id: stage_ids[1] }),
  "POST /pipelines": () => ({ name: "Renewals" }),
  "PATCH /pipelines/:id": () => ({ name: "Sales" }),
  "POST /stages": ({ pipeline_id }) => ({ pipeline_id, name: "Signed" }),
  "PATCH /stages/:id": () => ({ name: "New lead" }),
  "PATCH /conversations/:id": ({ member_id, team_id }) => ({ assigned_to: member_id, team_id }),
};

/** The statements of routes that neither read the view of their table nor write the table. */
const ASKED: Record<string, string> = {
  "GET /me": "rpc/own_key",
  "POST /contacts": "rpc/write_contacts",
  "PUT /contacts": "rpc/write_contacts",
  "POST /contacts/batch": "rpc/write_contacts",
  "PATCH /contacts/batch": "rpc/patch_contacts",
  "POST /deals": "rpc/write_deals",
  "POST /deals/batch": "rpc/write_deals",
  "PATCH /deals/batch": "rpc/patch_deals",
  "POST /pipelines": "rpc/add_pipeline",
  "PATCH /pipelines/:id": "rpc/change_pipeline",
  "DELETE /pipelines/:id": "rpc/archive_pipeline",
  "POST /stages": "rpc/add_stage",
  "PATCH /stages/:id": "rpc/change_stage",
  "DELETE /stages/:id": "rpc/archive_stage",
  "DELETE /contacts/:id": "rpc/archive_contact",
  "POST /contacts/:id/restore": "rpc/restore_contact",
  "POST /contacts/:id/erase": "rpc/erase_contact",
  "POST /contacts/:id/merge": "rpc/merge_contact",
  "DELETE /deals/:id": "rpc/archive_deal",
  "POST /deals/:id/restore": "rpc/restore_deal",
};

/** A configuration that connects to nothing: only the declarations of the operations are read here. */
const NOWHERE = await readConfig(environment({ supabaseUrl: "http://127.0.0.1:9" }));

/**
 * Every operation of the gateway that needs a key. The list is the gateway's own, so every new
 * operation is included.
 */
export const routes: Route[] = gatewayOperations(NOWHERE).flatMap(
  ({ method, path, scope, answers, query, maxValues = MAX_VALUES }) => {
    if (scope === null) return [];
    const body = BODIES[`${method} ${path}`] ?? null;
    const isWithoutBody = method === "GET" || method === "DELETE" || path.endsWith("/restore");
    if (!isWithoutBody && !body) {
      throw new Error(`${method} ${path} needs a body in tests`);
    }
    if (path.includes(":") && !OWN_ROW[path]) throw new Error(`${path} needs a row in tests`);
    const ownPath = OWN_ROW[`${method} ${path}`] ?? OWN_ROW[path] ?? (() => path);
    const table = tableOf(path);
    const asks = ASKED[`${method} ${path}`] ??
      (isOfChanges(path)
        ? `rpc/${feedOf(table)}`
        : path === "/search"
        ? "rpc/search_records"
        : method === "GET"
        ? `own_${/^(messages|sends|deal_history)$/.test(table) ? "" : "plain_"}${
          table.replace("company_", "")
        }`
        : table);
    // Where possible, a body of these tests creates a new record.
    const success = Math.max(...Object.keys(answers()).map(Number));
    const { shape = {} } = (query instanceof z.ZodMiniLazy ? query._zod.innerType : query) ?? {};
    const limits = { scope, parameters: Object.keys(shape), maxValues };
    return [{ method, pattern: path, table, asks, ...limits, success, path: ownPath, body }];
  },
);

function isOfChanges(path: string): boolean {
  return path.endsWith("/changes");
}

/**
 * The last part of the path that names a resource is also the table's name, except for members and
 * histories.
 */
function tableOf(path: string): string {
  const isName = (part: string) =>
    !part.startsWith(":") && !/^(changes|batch|restore|erase|export)$/.test(part);
  const name = path.split("/").findLast(isName)!;
  if (name === "history") return "deal_history";
  return name === "members" ? "company_members" : name;
}

/** The database function that returns the changes of a table. */
export function feedOf(table: string): string {
  return `${table.replace(/s$/, "")}_changes`;
}

/** The routes that return pages: lists and changes. */
export const pageRoutes = routes.filter(({ method, pattern }) =>
  method === "GET" && !/[/]:\w+$/.test(pattern) &&
  !/^[/](search|me)$|[/]export$/.test(pattern)
);
/** The routes that return the changes of a table. */
export const changesRoutes = pageRoutes.filter(({ pattern }) => isOfChanges(pattern));
/** The routes that return a list. */
export const listRoutes = pageRoutes.filter((route) => !changesRoutes.includes(route));
/** The routes that accept a body. */
export const bodyRoutes = routes.filter(({ body }) => body !== null);
/** The routes with a row's id in their path: those of the row, and lists that belong to the row. */
export const idRoutes = routes.filter(({ pattern }) => pattern.includes("/:"));

/** The name of the id in the path of a route. */
export function idNameOf({ pattern }: Route): string {
  return /:(\w+)/.exec(pattern)![1];
}

/** Whether a route writes many records. */
export function isOfBatch({ pattern }: Pick<Route, "pattern">): boolean {
  return pattern.endsWith("/batch");
}

/** The path of a route with this id. */
export function pathWith({ pattern }: Route, id: string): string {
  return pattern.replace(/:\w+/, id);
}

/**
 * The body of a route for this path. If the body must confirm the id of the row, it confirms the id
 * of the path.
 */
export function bodyAt({ body }: Route, company: CompanyWithTemplate, path: string) {
  const json = body?.(company);
  return json && "confirm" in json ? { ...json, confirm: path.split("/")[2] } : json;
}
