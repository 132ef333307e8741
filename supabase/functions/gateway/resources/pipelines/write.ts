import * as z from "zod/mini";
import { writeIfMatch } from "../../../_shared/database/conditional_write.ts";
import { unlessRefused } from "../../../_shared/database/refusals.ts";
import { rows } from "../../../_shared/database/rows.ts";
import { ApiError } from "../../../_shared/errors.ts";
import { NOTHING, one } from "../../../_shared/http/answers.ts";
import { atLeastOne, described, IdParams, withDefaults } from "../../../_shared/http/fields.ts";
import { built, lazily } from "../../../_shared/lazily.ts";
import { operation, reply } from "../../../_shared/http/operation.ts";
import { addedRecord, changedRecord, requireArchived } from "../../records/settled_write.ts";
import { Pipeline } from "./row.ts";

const written = () => z.pick(built(Pipeline), { name: true, position: true, is_default: true });

/** Without a position, the pipeline becomes the last pipeline. */
const NewPipeline = lazily(() =>
  described(
    withDefaults(
      z.strictObject(z.partial(written(), { position: true, is_default: true }).shape),
      { is_default: false },
    ),
    { id: "NewPipeline" },
  )
);

const PipelineChanges = lazily(() =>
  described(atLeastOne(z.strictObject(z.partial(written()).shape)), { id: "PipelineChanges" })
);

const conflict = (message: string) => () => new ApiError("conflict", message);

const REFUSED_CHANGES = {
  archived: conflict("An archived pipeline cannot be changed"),
  default: conflict(
    "A company always has one default pipeline; make another one the default instead",
  ),
};

/** See the specification, 4.7 and 4.13, and docs/deals.md. */
export const pipelineWrites = [
  operation({
    id: "createPipeline",
    method: "POST",
    path: "/pipelines",
    scope: "write",
    body: NewPipeline,
    answers: () => ({ 201: one(Pipeline) }),
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
    changes: { table: "pipelines" },
    answers: () => ({ 200: one(Pipeline) }),
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
    answers: () => ({ 204: NOTHING }),
    conditional: true,
    errors: ["not_found", "conflict"],
  }, async ({ caller: { db }, params: { id }, ifMatch }) => {
    const result = await writeIfMatch(
      ifMatch,
      async (version) =>
        unlessRefused(await db.rpc("archive_pipeline", { pipeline_id: id, ...version })),
    );
    requireArchived("Pipeline", result, {});
    return reply(204, null);
  }),
];
