import * as z from "zod";
import { writeIfMatch } from "../../_shared/database/conditional_write.ts";
import { writeRows, wrongField } from "../../_shared/database/constraints.ts";
import { asInView, table } from "../../_shared/database/table.ts";
import { rows } from "../../_shared/database/rows.ts";
import { ApiError } from "../../_shared/errors.ts";
import { one } from "../../_shared/http/answers.ts";
import {
  atLeastOne,
  changesById,
  Id,
  IdParams,
  Money,
  readOnly,
  RequiredShortText,
  ROW_CHANGE,
  ROW_IDS,
  Timestamp,
} from "../../_shared/http/fields.ts";
import { operation, reply } from "../../_shared/http/operation.ts";
import { batchOperation } from "../records/batch_operation.ts";
import { choice, optionalAmount, searchedText, sortedTime, time } from "../records/filters.ts";
import { archiveOperation, restoreOperation } from "../records/archive_operations.ts";
import { changesOperation } from "../records/changes_operation.ts";
import { listOperation } from "../records/list_operation.ts";
import { oneOf, UUID } from "../records/query_values.ts";
import { readOperation } from "../records/read_operation.ts";
import { resource } from "../records/resource.ts";
import { byAmount, byText, byTime, newestFirst } from "../records/sorting.ts";
import { headersOf, onlyResult, outcomeOf } from "../records/written.ts";
import { CONTACTS } from "./contacts.ts";
import { dealHistory } from "./deal_history.ts";
import { STAGES } from "./stages.ts";

/** A deal; specification, 2.2. */
export const Deal = z.object({
  ...ROW_IDS,
  title: RequiredShortText,
  value: Money.nullable(),
  status: z.enum(["open", "won", "lost"]),
  contact_id: Id,
  stage_id: Id,
  won_at: readOnly(Timestamp.nullable()),
  lost_at: readOnly(Timestamp.nullable()),
  stage_changed_at: readOnly(Timestamp),
  archived_at: readOnly(Timestamp.nullable()),
  ...ROW_CHANGE,
}).meta({ id: "Deal" });
type Deal = z.output<typeof Deal>;

const DEALS = table("deals", Deal, "own_deals");

export const DEAL = resource({
  table: DEALS,
  name: "Deal",
  filters: {
    id: choice("id", UUID),
    title: searchedText("title", "words"),
    value: optionalAmount("value", "value_sort"),
    status: choice("status", oneOf(Deal.shape.status.options)),
    contact_id: choice("contact_id", UUID),
    stage_id: choice("stage_id", UUID),
    won_at: sortedTime("won_sort"),
    lost_at: sortedTime("lost_sort"),
    stage_changed_at: time("stage_changed_at"),
    created_at: time("created_at"),
    updated_at: time("updated_at"),
  },
  words: ["words"],
  sorts: {
    created_at: byTime("created_at"),
    updated_at: byTime("updated_at"),
    title: byText("title_sort"),
    value: byAmount("value_sort"),
    won_at: byTime("won_sort"),
    lost_at: byTime("lost_sort"),
    stage_changed_at: byTime("stage_changed_at"),
  },
  order: newestFirst(),
  archives: {},
  includes: { contact: { table: CONTACTS }, stage: { table: STAGES } },
});

/** Specification, 4.5. A new deal is open, so its status is not an input. */
const NewDeal = Deal
  .pick({ title: true, contact_id: true, stage_id: true, value: true })
  .partial({ value: true }).strict()
  .meta({ id: "NewDeal" });

const CHANGES = Deal.pick({ title: true, value: true, stage_id: true, status: true })
  .partial().strict();
const DealChanges = atLeastOne(CHANGES).meta({ id: "DealChanges" });
const DealChangesById = changesById(CHANGES).meta({ id: "DealChangesById" });

/** The fields that are wrong when a write of a deal breaks a constraint. */
const MEANINGS = {
  name: "Deal",
  constraints: {
    deals_contact_fkey: { field: "contact_id", message: "is not a contact of your company" },
    deals_contact_not_archived: {
      field: "contact_id",
      message: "is an archived contact; restore it first",
    },
    deals_stage_fkey: {
      field: "stage_id",
      message: "is not a stage of your company, or is archived",
    },
  },
  merged: {
    field: "contact_id",
    message: "The contact of the deal was merged into another one; name that one instead: its id " +
      "is existing_id",
  },
};

/** The meanings of the constraints that the change of one deal can break. */
const CONSTRAINT_MEANINGS = Object.fromEntries(
  Object.entries(MEANINGS.constraints).map(([name, { field, message }]) => [
    name,
    wrongField(field, message),
  ]),
);

/** Specification, 4.4 to 4.6 and 4.13. */
export const deals = [
  listOperation({ id: "listDeals", path: "/deals", resource: DEAL }),

  changesOperation({
    id: "listDealChanges",
    path: "/deals/changes",
    resource: DEAL,
    feed: "deal_changes",
  }),

  readOperation({ id: "getDeal", path: "/deals/:id", resource: DEAL }),

  dealHistory,

  operation({
    id: "createDeal",
    method: "POST",
    path: "/deals",
    scope: "write",
    body: NewDeal,
    idempotent: true,
    answers: { 201: one(Deal) },
    conditional: true,
    errors: ["not_found", "conflict"],
  }, async ({ caller: { db }, body, idempotency }) => {
    const answer = await db.rpc("write_deals", { items: [body], atomic: true, idempotency });
    const outcome = outcomeOf<Deal>(rows(answer), Deal);
    const { data } = onlyResult(outcome, MEANINGS);
    return reply(201, { data }, { headers: headersOf(outcome) });
  }),

  batchOperation({
    id: "createDeals",
    method: "POST",
    path: "/deals/batch",
    row: Deal,
    item: NewDeal,
    body: "NewDealBatch",
    meanings: MEANINGS,
    async write({ caller: { db }, items, atomic, idempotency }) {
      const answer = await db.rpc("write_deals", { items, atomic, idempotency });
      return outcomeOf(rows(answer), Deal);
    },
  }),

  batchOperation({
    id: "updateDeals",
    method: "PATCH",
    path: "/deals/batch",
    row: Deal,
    item: DealChangesById,
    body: "DealChangesBatch",
    meanings: MEANINGS,
    async write({ caller: { db }, items, atomic }) {
      return outcomeOf(rows(await db.rpc("patch_deals", { items, atomic })), Deal);
    },
  }),

  operation({
    id: "updateDeal",
    method: "PATCH",
    path: "/deals/:id",
    scope: "write",
    params: IdParams,
    body: DealChanges,
    mergePatch: DealChanges,
    answers: { 200: one(Deal) },
    conditional: true,
    errors: ["not_found"],
  }, async ({ caller: { db }, params: { id }, body, ifMatch }) => {
    const [data] = await writeIfMatch(ifMatch, (version) =>
      writeRows(
        () =>
          db.from("deals").update({ ...body, ...version }).eq("id", id)
            .select<string, Deal>(DEALS.columns),
        CONSTRAINT_MEANINGS,
      ));
    if (!data) throw new ApiError("not_found", "Deal not found");
    return reply(200, { data: asInView(data) });
  }),

  archiveOperation({ id: "archiveDeal", path: "/deals/:id", resource: DEAL, by: "archive_deal" }),

  restoreOperation({
    id: "restoreDeal",
    path: "/deals/:id/restore",
    resource: DEAL,
    by: "restore_deal",
  }),
];
