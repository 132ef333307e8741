import * as z from "zod/mini";
import { writeIfMatch } from "../../../_shared/database/conditional_write.ts";
import { writeRows, wrongField } from "../../../_shared/database/constraints.ts";
import { rows } from "../../../_shared/database/rows.ts";
import { ApiError, invalidRequest } from "../../../_shared/errors.ts";
import { NOTHING, one } from "../../../_shared/http/answers.ts";
import { atLeastOne, described, Id, IdParams } from "../../../_shared/http/fields.ts";
import { built, lazily } from "../../../_shared/lazily.ts";
import { operation, reply } from "../../../_shared/http/operation.ts";
import { addedRecord, changedRecord, requireArchived } from "../../records/settled_write.ts";
import { Stage } from "./row.ts";

const written = () => z.pick(built(Stage), { pipeline_id: true, name: true, position: true });

/** Without a position, the stage becomes the last stage in its pipeline. */
const NewStage = lazily(() =>
  z.strictObject(z.partial(written(), { position: true }).shape).register(
    z.globalRegistry,
    { id: "NewStage" },
  )
);

const StageChanges = lazily(() =>
  described(atLeastOne(z.strictObject(z.partial(written()).shape)), { id: "StageChanges" })
);

/** The error messages for the constraints that writing a stage can violate. */
const CONSTRAINT_MEANINGS = {
  stages_pipeline_fkey: wrongField(
    "pipeline_id",
    "is not a pipeline of your company, or is archived",
  ),
};

const REFUSED_CHANGES = {
  archived: () => new ApiError("conflict", "An archived stage cannot be changed"),
};

const wrongTarget = (message: string) => () =>
  invalidRequest([{ field: "move_deals_to", message }]);

const REFUSED_ARCHIVING = {
  has_deals: wrongTarget(
    "is required, because the stage has deals: name the stage that they move to",
  ),
  same_stage: wrongTarget("must not be the stage that is archived"),
  unknown_stage: wrongTarget("is not a stage of your company, or is archived"),
};

/** See the specification, 4.8 and 4.13, and docs/deals.md. */
export const stageWrites = [
  operation({
    id: "createStage",
    method: "POST",
    path: "/stages",
    scope: "write",
    body: NewStage,
    answers: () => ({ 201: one(Stage) }),
    conditional: true,
    idempotent: true,
    errors: ["not_found", "conflict"],
  }, async ({ caller: { db }, body, idempotency }) => {
    const added = await writeRows(
      () => db.rpc("add_stage", { stage: body, idempotency }),
      CONSTRAINT_MEANINGS,
    );
    const { data, headers } = addedRecord<Stage>("Stage", added);
    return reply(201, { data }, { headers });
  }),

  operation({
    id: "updateStage",
    method: "PATCH",
    path: "/stages/:id",
    scope: "write",
    params: IdParams,
    body: StageChanges,
    mergePatch: StageChanges,
    changes: { table: "stages" },
    answers: () => ({ 200: one(Stage) }),
    conditional: true,
    errors: ["not_found", "conflict"],
  }, async ({ caller: { db }, params: { id }, body, ifMatch }) => {
    const changed = await writeIfMatch(ifMatch, (version) =>
      writeRows(
        () => db.rpc("change_stage", { stage_id: id, changes: { ...body, ...version } }),
        CONSTRAINT_MEANINGS,
      ));
    return reply(200, { data: changedRecord<Stage>("Stage", changed, REFUSED_CHANGES) });
  }),

  operation({
    id: "archiveStage",
    method: "DELETE",
    path: "/stages/:id",
    scope: "write",
    params: IdParams,
    query: z.strictObject({ move_deals_to: z.optional(Id) }),
    answers: () => ({ 204: NOTHING }),
    conditional: true,
    errors: ["not_found"],
  }, async ({ caller: { db }, params: { id }, query, ifMatch }) => {
    const result = await writeIfMatch(
      ifMatch,
      async (version) =>
        rows(await db.rpc("archive_stage", { stage_id: id, ...query, ...version })),
    );
    requireArchived("Stage", result, REFUSED_ARCHIVING);
    return reply(204, null);
  }),
];
