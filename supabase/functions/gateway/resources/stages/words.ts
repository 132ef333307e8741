import { type FieldsOf, ROW, type Words } from "../../../_shared/http/api_words.ts";
import type { Stage } from "./row.ts";

const stage: FieldsOf<typeof Stage> = {
  ...ROW,
  pipeline_id: "The stage's pipeline.",
  name: "The stage's name.",
  position:
    "The stage's position in its pipeline: 0, 1, 2 and so on. A number higher than the last " +
    "position means the last position.",
  archived_at: "When the stage was archived. `null` while the stage is in use.",
};

/** The descriptions of stages in the OpenAPI document. */
export const words = {
  operations: {
    listStages: {
      tag: "Pipelines",
      summary: "List stages",
      description:
        "Lists the stages of all pipelines, or of the pipelines in `pipeline_id`. Unless `sort` " +
        "says otherwise, the stages are grouped by pipeline and, within a pipeline, ordered by " +
        "position. If your company has none of the pipelines in `pipeline_id`, the request " +
        "returns a 422.",
    },
    getStage: {
      tag: "Pipelines",
      summary: "Get a stage",
      description: "Returns one of your company's stages by id.",
    },
    createStage: {
      tag: "Pipelines",
      summary: "Create a stage",
      description:
        "Creates a stage in a pipeline. If `position` is set, the stage is inserted at that " +
        "position, and the positions of all stages from there on increase by 1. Otherwise, the " +
        "stage becomes the pipeline's last stage. If the pipeline has 100 stages, or 1000 stages " +
        "including archived ones, the request returns a 409.",
    },
    updateStage: {
      tag: "Pipelines",
      summary: "Update a stage",
      description:
        "Updates at least one field of a stage. A new `position` moves the stage, and the " +
        "positions of other stages are adjusted. A new `pipeline_id` moves the stage and its " +
        "deals to that pipeline. For an archived stage, the request returns a 409. The request " +
        "also returns a 409 if the new pipeline has 100 stages, or 1000 stages including archived " +
        "ones.",
    },
    archiveStage: {
      tag: "Pipelines",
      summary: "Archive a stage",
      description:
        "Archives a stage. Lists no longer contain the stage, and no deal can move into it. All " +
        "its deals move together to the stage in `move_deals_to`, and each deal's history shows " +
        "the move. If the stage has deals and the request has no `move_deals_to`, the request " +
        "returns a 422. Archiving the stage again changes nothing.",
    },
  },
  schemas: {
    Stage: "A step in a pipeline.",
    NewStage: "A stage to create.",
    StageChanges: "Changes to a stage.",
  },
  fields: {
    Stage: stage,
    NewStage: stage,
    StageChanges: stage,
  },
} satisfies Words;
