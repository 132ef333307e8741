import * as z from "zod";
import { writeIfMatch } from "../../_shared/database/conditional_write.ts";
import { writeRows, wrongField } from "../../_shared/database/constraints.ts";
import { rows } from "../../_shared/database/rows.ts";
import { table } from "../../_shared/database/table.ts";
import { ApiError, invalidRequest } from "../../_shared/errors.ts";
import { NOTHING, one } from "../../_shared/http/answers.ts";
import {
  atLeastOne,
  Id,
  IdParams,
  Position,
  readOnly,
  RequiredShortText,
  ROW_CHANGE,
  ROW_IDS,
  Timestamp,
} from "../../_shared/http/fields.ts";
import { operation, reply } from "../../_shared/http/operation.ts";
import type { Caller } from "../../_shared/key/caller.ts";
import { type Condition, meeting } from "../records/conditions.ts";
import { choice, ordered, searchedText, time } from "../records/filters.ts";
import { listOperation } from "../records/list_operation.ts";
import { INTEGER, UUID } from "../records/query_values.ts";
import { readOperation } from "../records/read_operation.ts";
import { resource } from "../records/resource.ts";
import { addedRecord, changedRecord, requireArchived } from "../records/settled_write.ts";
import { byId, byInteger, byText, byTime, orderBy } from "../records/sorting.ts";

/** A stage of a pipeline; specification, 2.4. */
export const Stage = z.object({
  ...ROW_IDS,
  pipeline_id: Id,
  name: RequiredShortText,
  position: Position,
  archived_at: readOnly(Timestamp.nullable()),
  ...ROW_CHANGE,
}).meta({ id: "Stage" });
type Stage = z.output<typeof Stage>;

/** How stages are read from the database. */
export const STAGES = table("stages", Stage, "own_stages");

const STAGE = resource({
  table: STAGES,
  name: "Stage",
  filters: {
    id: choice("id", UUID),
    pipeline_id: choice("pipeline_id", UUID),
    name: searchedText("name", "name_words"),
    position: ordered("position", INTEGER),
    created_at: time("created_at"),
    updated_at: time("updated_at"),
  },
  sorts: {
    position: byInteger("position"),
    name: byText("name_sort"),
    created_at: byTime("created_at"),
    updated_at: byTime("updated_at"),
  },
  order: orderBy("pipeline_id", byId("pipeline_id"), byInteger("position"), byId()),
  archives: {},
});

const Written = Stage.pick({ pipeline_id: true, name: true, position: true });

/** Without a position, it becomes the last one of its pipeline. */
const NewStage = Written.partial({ position: true }).strict().meta({ id: "NewStage" });

const StageChanges = atLeastOne(Written.partial().strict()).meta({ id: "StageChanges" });

/** The meanings of the constraints that a write of a stage can break. */
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
  has_deals: wrongTarget("is required, because the stage has deals: name the stage they move to"),
  same_stage: wrongTarget("must be another stage than the one to archive"),
  unknown_stage: wrongTarget("is not a stage of your company, or is archived"),
};

/** Specification, 4.8 and 4.13; docs/deals.md. */
export const stages = [
  listOperation({
    id: "listStages",
    path: "/stages",
    resource: STAGE,
    async whenEmpty({ caller, query: { pipeline_id } }) {
      await (pipeline_id ? requirePipeline(caller, pipeline_id as Condition[]) : caller.judge());
    },
  }),

  readOperation({ id: "getStage", path: "/stages/:id", resource: STAGE }),

  operation({
    id: "createStage",
    method: "POST",
    path: "/stages",
    scope: "write",
    body: NewStage,
    answers: { 201: one(Stage) },
    conditional: true,
    idempotent: true,
    errors: ["not_found"],
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
    answers: { 200: one(Stage) },
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
    query: z.strictObject({ move_deals_to: Id.optional() }),
    answers: { 204: NOTHING },
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

/** Refuses pipelines that the company does not have. One without stages is an empty list. */
async function requirePipeline({ reader }: Caller, conditions: Condition[]) {
  const ofPipelines = conditions.map((each) => ({ ...each, column: "id" }));
  const ids = reader.from("own_pipelines").select("id").limit(1);
  const [found] = rows(await meeting(ids, ofPipelines));
  if (found) return;
  throw invalidRequest([{ field: "pipeline_id", message: "is not a pipeline of your company" }]);
}
