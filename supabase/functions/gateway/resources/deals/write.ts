import * as z from "zod/mini";
import type { CompanyDb } from "../../../_shared/database/company_db.ts";
import { writeIfMatch } from "../../../_shared/database/conditional_write.ts";
import { conflict, writeRows, wrongField } from "../../../_shared/database/constraints.ts";
import { rows } from "../../../_shared/database/rows.ts";
import { ApiError } from "../../../_shared/errors.ts";
import { one } from "../../../_shared/http/answers.ts";
import { atLeastOne, changesById, described, IdParams } from "../../../_shared/http/fields.ts";
import { built, lazily } from "../../../_shared/lazily.ts";
import { operation, reply } from "../../../_shared/http/operation.ts";
import { archiveOperation, restoreOperation } from "../../records/archive_operations.ts";
import { batchOperation, BatchParameters } from "../../records/batch_operation.ts";
import { headersOf, onlyResult, outcomeOf, recordOfRow } from "../../records/written.ts";
import { DEAL } from "./read.ts";
import { Deal } from "./row.ts";

/** A new deal is open, so its status is not an input (specification, 4.5). */
const NewDeal = lazily(() =>
  z.strictObject(
    z.partial(
      z.pick(built(Deal), {
        title: true,
        contact_id: true,
        stage_id: true,
        value: true,
        external_id: true,
      }),
      { external_id: true, value: true },
    ).shape,
  ).register(z.globalRegistry, { id: "NewDeal" })
);

const changes = () =>
  z.strictObject(
    z.partial(
      z.pick(built(Deal), {
        title: true,
        value: true,
        stage_id: true,
        status: true,
        external_id: true,
      }),
    ).shape,
  );

const DealChanges = lazily(() => described(atLeastOne(changes()), { id: "DealChanges" }));

const DealChangesById = lazily(() => described(changesById(changes()), { id: "DealChangesById" }));

/** The error messages for the cases in which the database refuses a deal. */
const MEANINGS = {
  name: "Deal",
  constraints: {
    deals_contact_fkey: { field: "contact_id", message: "is not a contact of your company" },
    deals_contact_not_archived: {
      field: "contact_id",
      message: "is an archived contact; restore it first",
    },
    deals_contact_not_erased: {
      field: "contact_id",
      message: "is a contact whose person was erased; name another contact",
    },
    deals_stage_fkey: {
      field: "stage_id",
      message: "is not a stage of your company, or is archived",
    },
    deals_contact_kept: {
      field: "contact_id",
      message: "is not the contact of the deal with this external_id; a deal keeps its contact",
    },
  },
  conflicts: {
    external_id: "A deal with this external_id already exists; update that deal instead",
  },
  merged: {
    field: "contact_id",
    message:
      "The contact of the deal was merged into another contact; name that contact instead: its id is in existing_id",
  },
};

/** The error messages for the constraints that a change to one deal can violate. */
function constraintMeanings(db: CompanyDb, external_id?: string | null) {
  const wrong = Object.entries(MEANINGS.constraints).map(([name, { field, message }]) => {
    return [name, wrongField(field, message)];
  });
  return {
    ...Object.fromEntries(wrong),
    ...(external_id && {
      deals_one_per_external_id: conflict(
        async () => rows(await db.rpc("deal_id_by_external_id", { external_id })),
        MEANINGS.conflicts.external_id,
      ),
    }),
  };
}

/** See the specification, 4.4 to 4.6 and 4.13. */
export const dealWrites = [
  operation({
    id: "createDeal",
    method: "POST",
    path: "/deals",
    scope: "write",
    body: NewDeal,
    idempotent: true,
    answers: () => ({ 201: one(Deal) }),
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
    query: z.extend(BatchParameters, {
      on_conflict: z._default(
        z.enum(["update", "merge", "keep", "fail"], "must be update, merge, keep or fail"),
        "fail",
      ),
    }),
    meanings: () => ({
      ...MEANINGS,
      conflicts: {
        external_id:
          "A deal with this external_id already exists; to update existing deals too, send the batch with on_conflict=update, merge or keep",
      },
    }),
    async write({ caller: { db }, query: { on_conflict }, items, atomic, idempotency }) {
      const answer = await db.rpc("write_deals", { items, on_conflict, atomic, idempotency });
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
    meanings: () => MEANINGS,
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
    changes: { table: "deals" },
    answers: () => ({ 200: one(Deal) }),
    conditional: true,
    errors: ["not_found", "conflict"],
  }, async ({ caller: { db }, params: { id }, body, ifMatch }) => {
    const [data] = await writeIfMatch(ifMatch, (version) =>
      writeRows(
        () => db.from("deals").update({ ...body, ...version }).eq("id", id).select(),
        constraintMeanings(db, body.external_id),
      ));
    if (!data) throw new ApiError("not_found", "Deal not found");
    return reply(200, { data: recordOfRow(Deal, data) });
  }),

  archiveOperation({ id: "archiveDeal", path: "/deals/:id", resource: DEAL, by: "archive_deal" }),

  restoreOperation({
    id: "restoreDeal",
    path: "/deals/:id/restore",
    resource: DEAL,
    by: "restore_deal",
    conflicts: {
      external_id:
        "Another deal now has this deal's external_id; archive that deal first, or give it another external_id",
    },
  }),
];
