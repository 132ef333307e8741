import { MAX_VALUES } from "../../supabase/functions/_shared/http/body.ts";
import type { Scope } from "../../supabase/functions/_shared/key/token.ts";
import { built } from "../../supabase/functions/_shared/lazily.ts";
import { readGatewayConfig } from "../../supabase/functions/gateway/gateway_config.ts";
import { gatewayOperations } from "../../supabase/functions/gateway/operations.ts";
import { anyPhone, type CompanyWithTemplate } from "./company.ts";
import { environment, stack } from "./test_stack.ts";

/** The local stack allows webhooks to its sandbox's receiver. */
const RECEIVER = `${stack.url}/sandbox/webhooks/tests`;

/** An event id that no company has. */
const EVENT_ID = `evt_${"0".repeat(32)}`;

/** A gateway route, with a request that succeeds. */
export interface Route {
  method: string;
  /** The declared path, such as `/contacts/:id`. */
  pattern: string;
  /** The table of the rows that the route returns. */
  table: string;
  /** The table, view or function that the route uses through the Data API. */
  asks: string;
  /** `any` if every valid key has access. */
  scope: Scope | "any";
  /** The status of a successful response. */
  success: number;
  /** The names of the route's query parameters. */
  parameters: string[];
  /** The maximum number of JSON values in the body. */
  maxValues: number;
  /** Whether the route returns a file. */
  isFile: boolean;
  /** The path, with the id of one of the company's rows. */
  path(company: CompanyWithTemplate): string;
  /** A body that succeeds for this company, or null if the route accepts no body. */
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
  "/messages/:id/media": (company) => `/messages/${company.media_message_id}/media`,
  "/messages/:id": (company) => `/messages/${company.message_id}`,
  "/teams/:id": (company) => `/teams/${company.team_id}`,
  "/members/:id": (company) => `/members/${company.member_id}`,
  "/templates/:id": (company) => `/templates/${company.template_id}`,
  "/events/:id": (company) => `/events/${company.event_id}`,
  "/search": () => "/search?q=15",
  "DELETE /pipelines/:id": (company) => `/pipelines/${company.spare_pipeline_id}`,
  // This stage has no deals.
  "DELETE /stages/:id": (company) => `/stages/${company.stage_ids[4]}`,
  "/sends/:message_id": (company) => `/sends/${company.sent_message_id}`,
  "/webhooks/:id": (company) => `/webhooks/${company.webhook_id}`,
  "DELETE /webhooks/:id": (company) => `/webhooks/${company.spare_webhook_id}`,
  "/webhooks/:id/rotate-secret": (company) => `/webhooks/${company.webhook_id}/rotate-secret`,
  "/webhooks/:id/test": (company) => `/webhooks/${company.webhook_id}/test`,
  "/webhooks/:id/replay": (company) => `/webhooks/${company.webhook_id}/replay`,
  "/webhooks/:id/deliveries": (company) => `/webhooks/${company.webhook_id}/deliveries`,
  "/webhooks/:id/deliveries/:event_id/redeliver": (company) =>
    `/webhooks/${company.webhook_id}/deliveries/${company.delivered_event_id}/redeliver`,
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
  "POST /webhooks": () => ({ url: RECEIVER, types: ["deal.won"] }),
  "PATCH /webhooks/:id": () => ({ types: ["deal.*"] }),
  "POST /webhooks/:id/rotate-secret": () => ({ overlap_hours: 1 }),
  "POST /webhooks/:id/replay": () => ({ since: new Date(Date.now() - 1000).toISOString() }),
  "PATCH /conversations/:id": ({ member_id, team_id }) => ({ assigned_to: member_id, team_id }),
};

/**
 * The view or function that a route uses through the Data API. All other routes read the view of
 * their table or write to the table.
 */
const ASKED: Record<string, string> = {
  "GET /me": "rpc/own_key",
  "GET /messages/:id/media": "rpc/media_of_message",
  "GET /events": "rpc/list_events",
  "GET /events/:id": "rpc/find_event",
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
  "GET /webhooks": "rpc/list_webhooks",
  "GET /webhooks/:id": "rpc/get_webhook",
  "POST /webhooks": "rpc/create_webhook",
  "PATCH /webhooks/:id": "rpc/change_webhook",
  "DELETE /webhooks/:id": "rpc/delete_webhook",
  "POST /webhooks/:id/rotate-secret": "rpc/rotate_webhook_secret",
  "POST /webhooks/:id/test": "rpc/test_webhook",
  "POST /webhooks/:id/replay": "rpc/replay_webhook",
  "GET /webhooks/:id/deliveries": "rpc/webhook_deliveries",
  "POST /webhooks/:id/deliveries/:event_id/redeliver": "rpc/redeliver_event",
};

/**
 * A configuration without connections, because only the declarations of the operations are read
 * here.
 */
const NOWHERE = await readGatewayConfig(environment({ supabaseUrl: "http://127.0.0.1:9" }));

/**
 * Every operation of the gateway that needs a key. The list comes from the gateway, so it includes
 * every new operation.
 */
export const routes: Route[] = gatewayOperations(NOWHERE).flatMap(
  ({ method, path, scope, answers, query, bytes: isFile = false, maxValues = MAX_VALUES }) => {
    if (scope === null) return [];
    const body = BODIES[`${method} ${path}`] ?? null;
    const isWithoutBody = method === "GET" || method === "DELETE" ||
      /[/](restore|test|redeliver)$/.test(path);
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
    // These bodies create a new record where possible, so the expected status is the highest
    // declared one.
    const success = Math.max(...Object.keys(answers()).map(Number));
    const { shape = {} } = query ? built(query) : {};
    const limits = { scope, parameters: Object.keys(shape), maxValues, isFile };
    return [{ method, pattern: path, table, asks, ...limits, success, path: ownPath, body }];
  },
);

function isOfChanges(path: string): boolean {
  return path.endsWith("/changes");
}

/**
 * The last resource name in the path is also the table name, except for members and histories.
 */
function tableOf(path: string): string {
  const isName = (part: string) =>
    !part.startsWith(":") &&
    !/^(changes|batch|restore|erase|export|media|rotate-secret|test|replay|redeliver|deliveries)$/
      .test(part);
  const name = path.split("/").findLast(isName)!;
  if (name === "history") return "deal_history";
  return name === "members" ? "company_members" : name;
}

/** The database function that returns the changes of a table. */
export function feedOf(table: string): string {
  return `${table.replace(/s$/, "")}_changes`;
}

/** The routes that return pages of a list or of changes. The log of events is not included. */
export const pageRoutes = routes.filter(({ method, pattern }) =>
  method === "GET" && !/[/]:\w+$/.test(pattern) &&
  !/^[/](search|me|events)$|[/](export|media)$|^[/]webhooks/.test(pattern)
);
/** The routes that return the changes of a table. */
export const changesRoutes = pageRoutes.filter(({ pattern }) => isOfChanges(pattern));
/** The routes that return a list. */
export const listRoutes = pageRoutes.filter((route) => !changesRoutes.includes(route));
/** The routes that accept a body. */
export const bodyRoutes = routes.filter(({ body }) => body !== null);
/** The routes with a row's id in their path: operations on the row, and lists that belong to it. */
export const idRoutes = routes.filter(({ pattern }) =>
  // An event id is not a row id.
  pattern.includes("/:") && pattern !== "/events/:id"
);

/** The name of the id parameter in a route's path. */
export function idNameOf({ pattern }: Route): string {
  return /:(\w+)/.exec(pattern)![1];
}

/** Whether a route writes many records. */
export function isOfBatch({ pattern }: Pick<Route, "pattern">): boolean {
  return pattern.endsWith("/batch");
}

/** A route's path with this id. */
export function pathWith({ pattern }: Route, id: string): string {
  return pattern.replace(/:\w+/, id).replace(":event_id", EVENT_ID);
}

/**
 * A route's request body for this path. If the body must confirm an id, it contains the id from the
 * path.
 */
export function bodyAt({ body }: Route, company: CompanyWithTemplate, path: string) {
  const json = body?.(company);
  return json && "confirm" in json ? { ...json, confirm: path.split("/")[2] } : json;
}
