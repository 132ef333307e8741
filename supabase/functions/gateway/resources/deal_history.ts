import * as z from "zod";
import { rows } from "../../_shared/database/rows.ts";
import { table } from "../../_shared/database/table.ts";
import { ApiError } from "../../_shared/errors.ts";
import { Id, IdParams, Timestamp, verbatim } from "../../_shared/http/fields.ts";
import type { Caller } from "../../_shared/key/caller.ts";
import { isAnyOf } from "../records/conditions.ts";
import { choice, time } from "../records/filters.ts";
import { listOperation } from "../records/list_operation.ts";
import { oneOf, UUID } from "../records/query_values.ts";
import { resource } from "../records/resource.ts";
import { byId, byTime } from "../records/sorting.ts";

const Moved = z.object({
  id: Id,
  kind: z.enum(["created", "stage_changed", "status_changed"]),
  from: verbatim(255).nullable(),
  to: verbatim(255).nullable(),
  at: Timestamp,
});

const StoredMove = Moved.extend({ api_key_id: Id.nullable(), user_id: Id.nullable() });

/** Who made a change: an API key, or a person who has signed in. */
export const ByKey = z.object({ api_key_id: Id }).meta({ id: "ByKey" });
export const ByPerson = z.object({ user_id: Id }).meta({ id: "ByPerson" });

/** What happened to a deal; docs/deals.md. */
export const DealHistoryEntry = Moved.extend({ by: z.union([ByKey, ByPerson]).nullable() })
  .meta({ id: "DealHistoryEntry" });

const RENAMED = { from: "from_value", to: "to_value" } as const;

const DEAL_HISTORY = resource({
  table: table("deal_history", StoredMove, "own_deal_history", RENAMED),
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
    kind: choice("kind", oneOf(Moved.shape.kind.options)),
    at: time("at"),
  },
  sorts: { at: byTime("at") },
  // No two entries of a deal have the same time.
  order: { name: "-at", columns: [byTime("at"), byId()], ascending: false },
});

/** The history of one deal, newest first. */
export const dealHistory = listOperation({
  id: "listDealHistory",
  path: "/deals/:id/history",
  resource: DEAL_HISTORY,
  params: IdParams,
  within: ({ id }) => isAnyOf("deal_id", [id]),
  whenEmpty: async ({ caller, params }) => await requireDeal(caller, params.id),
  errors: ["not_found"],
});

/** Refuses a deal that the company does not have. With filters, the history of one may be an empty list. */
async function requireDeal({ reader }: Caller, id: string) {
  const [found] = rows(await reader.from("own_deals").select("id").eq("id", id));
  if (!found) throw new ApiError("not_found", "Deal not found");
}
