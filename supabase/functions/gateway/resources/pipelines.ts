import * as z from "zod";
import { writeIfMatch } from "../../_shared/database/conditional_write.ts";
import { rows } from "../../_shared/database/rows.ts";
import { table } from "../../_shared/database/table.ts";
import { ApiError } from "../../_shared/errors.ts";
import { NOTHING, one } from "../../_shared/http/answers.ts";
import {
  atLeastOne,
  IdParams,
  Position,
  readOnly,
  RequiredShortText,
  ROW_CHANGE,
  ROW_IDS,
  Timestamp,
  withDefaults,
} from "../../_shared/http/fields.ts";
import { operation, reply } from "../../_shared/http/operation.ts";
import { choice, ordered, searchedText, time } from "../records/filters.ts";
import { listOperation } from "../records/list_operation.ts";
import { INTEGER, TRUE_OR_FALSE, UUID } from "../records/query_values.ts";
import { readOperation } from "../records/read_operation.ts";
import { resource } from "../records/resource.ts";
import { addedRecord, changedRecord, requireArchived } from "../records/settled_write.ts";
import { byId, byInteger, byText, byTime, orderBy } from "../records/sorting.ts";
import { STAGES } from "./stages.ts";

/** A pipeline; specification, 2.4. */
export const Pipeline = z.object({
  ...ROW_IDS,
  name: RequiredShortText,
  position: Position,
  is_default: z.boolean(),
  archived_at: readOnly(Timestamp.nullable()),
  ...ROW_CHANGE,
}).meta({ id: "Pipeline" });
type Pipeline = z.output<typeof Pipeline>;

const PIPELINE = resource({
  table: table("pipelines", Pipeline, "own_pipelines"),
  name: "Pipeline",
  filters: {
    id: choice("id", UUID),
    name: searchedText("name", "name_words"),
    position: ordered("position", INTEGER),
    is_default: choice("is_default", TRUE_OR_FALSE),
    created_at: time("created_at"),
    updated_at: time("updated_at"),
  },
  sorts: {
    position: byInteger("position"),
    name: byText("name_sort"),
    created_at: byTime("created_at"),
    updated_at: byTime("updated_at"),
  },
  order: orderBy("position", byInteger("position"), byId()),
  archives: {},
  includes: {
    stages: {
      table: STAGES,
      leavesOutArchived: true,
      listedBy: [{ column: "position", ascending: true }, { column: "id", ascending: true }],
    },
  },
});

const Written = Pipeline.pick({ name: true, position: true, is_default: true });

/** Without a position, it becomes the last one. */
const NewPipeline = withDefaults(
  Written.partial({ position: true, is_default: true }).strict(),
  { is_default: false },
).meta({ id: "NewPipeline" });

const PipelineChanges = atLeastOne(Written.partial().strict()).meta({ id: "PipelineChanges" });

const conflict = (message: string) => () => new ApiError("conflict", message);

const REFUSED_CHANGES = {
  archived: conflict("An archived pipeline cannot be changed"),
  default: conflict(
    "A company has one default pipeline; make another one the default, and this one no longer is",
  ),
};

const REFUSED_ARCHIVING = {
  default: conflict("The default pipeline cannot be archived; make another one the default first"),
  has_deals: conflict(
    "The pipeline has deals, which may be archived ones; move them to stages of another pipeline first",
  ),
};

/** Specification, 4.7 and 4.13; docs/deals.md. */
export const pipelines = [
  listOperation({ id: "listPipelines", path: "/pipelines", resource: PIPELINE }),

  readOperation({ id: "getPipeline", path: "/pipelines/:id", resource: PIPELINE }),

  operation({
    id: "createPipeline",
    method: "POST",
    path: "/pipelines",
    scope: "write",
    body: NewPipeline,
    answers: { 201: one(Pipeline) },
    conditional: true,
    idempotent: true,
    errors: ["not_found"],
  }, async ({ caller: { db }, body, idempotency }) => {
    const added = rows(await db.rpc("add_pipeline", { pipeline: body, idempotency }));
    const { data, headers } = addedRecord<Pipeline>("Pipeline", added);
    return reply(201, { data }, { headers });
  }),

  operation({
    id: "updatePipeline",
    method: "PATCH",
    path: "/pipelines/:id",
    scope: "write",
    params: IdParams,
    body: PipelineChanges,
    mergePatch: PipelineChanges,
    answers: { 200: one(Pipeline) },
    conditional: true,
    errors: ["not_found", "conflict"],
  }, async ({ caller: { db }, params: { id }, body, ifMatch }) => {
    const changed = await writeIfMatch(ifMatch, async (version) => {
      const changes = { ...body, ...version };
      return rows(await db.rpc("change_pipeline", { pipeline_id: id, changes }));
    });
    return reply(200, { data: changedRecord<Pipeline>("Pipeline", changed, REFUSED_CHANGES) });
  }),

  operation({
    id: "archivePipeline",
    method: "DELETE",
    path: "/pipelines/:id",
    scope: "write",
    params: IdParams,
    answers: { 204: NOTHING },
    conditional: true,
    errors: ["not_found", "conflict"],
  }, async ({ caller: { db }, params: { id }, ifMatch }) => {
    const result = await writeIfMatch(
      ifMatch,
      async (version) => rows(await db.rpc("archive_pipeline", { pipeline_id: id, ...version })),
    );
    requireArchived("Pipeline", result, REFUSED_ARCHIVING);
    return reply(204, null);
  }),
];
