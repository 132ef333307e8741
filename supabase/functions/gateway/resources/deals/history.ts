import * as z from "zod/mini";
import { lazily } from "../../../_shared/lazily.ts";
import { rows } from "../../../_shared/database/rows.ts";
import { table } from "../../../_shared/database/table.ts";
import { ApiError } from "../../../_shared/errors.ts";
import { Id, IdParams, Timestamp, verbatim } from "../../../_shared/http/fields.ts";
import type { Caller } from "../../../_shared/key/caller.ts";
import { isAnyOf } from "../../records/conditions.ts";
import { choice, time } from "../../records/filters.ts";
import { listOperation } from "../../records/list_operation.ts";
import { oneOf, UUID } from "../../records/query_values.ts";
import { resource } from "../../records/resource.ts";
import { byId, byTime } from "../../records/sorting.ts";

const KINDS = ["created", "stage_changed", "status_changed"] as const;

const moved = () =>
  z.object({
    id: Id,
    kind: z.enum(KINDS),
    from: z.nullable(verbatim(255)),
    to: z.nullable(verbatim(255)),
    at: Timestamp,
  });

const StoredMove = lazily(() =>
  z.extend(moved(), { api_key_id: z.nullable(Id), user_id: z.nullable(Id) })
);

/** The author of a change: an API key or a signed-in user. */
export const ByKey = lazily(() =>
  z.object({ api_key_id: Id }).register(z.globalRegistry, { id: "ByKey" })
);

export const ByPerson = lazily(() =>
  z.object({ user_id: Id }).register(z.globalRegistry, { id: "ByPerson" })
);

/** An entry in a deal's history; see docs/deals.md. */
export const DealHistoryEntry = lazily(() =>
  z.extend(moved(), { by: z.nullable(z.union([ByKey, ByPerson])) })
    .register(z.globalRegistry, { id: "DealHistoryEntry" })
);

const DEAL_HISTORY = resource({
  table: table("deal_history", StoredMove, "own_deal_history"),
  name: "DealHistoryEntry",
  answered: {
    schema: DealHistoryEntry,
    of: ({ api_key_id, user_id, ...moved }) => ({
      ...moved,
      by: api_key_id ? { api_key_id } : user_id ? { user_id } : null,
    }),
  },
  filters: {
    id: choice("id", UUID),
    kind: choice("kind", oneOf(KINDS)),
    at: time("at"),
  },
  sorts: { at: byTime("at") },
  // No two entries in a deal's history have the same time.
  order: { name: "-at", columns: [byTime("at"), byId()], ascending: false },
});

/** Returns one deal's history, newest first. */
export const dealHistory = listOperation({
  id: "listDealHistory",
  path: "/deals/:id/history",
  resource: DEAL_HISTORY,
  params: IdParams,
  within: ({ id }) => isAnyOf("deal_id", [id]),
  whenEmpty: async ({ caller, params }) => await requireDeal(caller, params.id),
  errors: ["not_found"],
});

/**
 * Throws an error if the company does not have the deal. If the request has filters, the history of
 * an existing deal may be an empty list.
 */
async function requireDeal({ reader }: Caller, id: string) {
  const [found] = rows(await reader.from("own_deals").select("id").eq("id", id));
  if (!found) throw new ApiError("not_found", "Deal not found");
}
