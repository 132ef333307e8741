import { type FieldsOf, ROW, type Words } from "../../../_shared/http/api_words.ts";
import type { Stage } from "./row.ts";

const stage: FieldsOf<typeof Stage> = {
  ...ROW,
  pipeline_id: "The pipeline of the stage.",
  name: "The name of the stage.",
  position: "The place of the stage in its pipeline: 0, 1, 2 and so on. A number higher than " +
    "the last place means the last place.",
  archived_at: "When the stage was archived; `null` while it is in use.",
};

/** The texts about stages in the API's description. */
export const words = {
  operations: {
    listStages: {
      tag: "Pipelines",
      summary: "List stages",
      description:
        "Lists the stages of all pipelines, or of the pipelines in `pipeline_id`. Unless `sort` " +
        "says otherwise, the stages are grouped by pipeline and, within a pipeline, ordered by " +
        "position. If your company does not have one of these pipelines, the answer is a 422.",
    },
    getStage: {
      tag: "Pipelines",
      summary: "Get a stage",
      description: "Returns one stage of your company, by its id.",
    },
    createStage: {
      tag: "Pipelines",
      summary: "Create a stage",
      description:
        "Creates a stage of a pipeline. With a `position`, the stage takes that place, and the " +
        "stages at and after that place move back. Without a `position`, it becomes the last " +
        "stage of the pipeline.",
    },
    updateStage: {
      tag: "Pipelines",
      summary: "Update a stage",
      description:
        "Updates at least one field of a stage. A new `position` moves the stage, and the other " +
        "stages make room. A new `pipeline_id` moves the stage and its deals to that pipeline. " +
        "An archived stage cannot be changed: the answer is a 409.",
    },
    archiveStage: {
      tag: "Pipelines",
      summary: "Archive a stage",
      description:
        "Archives a stage: lists no longer show it, and no deal can move into it. All its deals " +
        "move together to the stage in `move_deals_to`, and the history of each deal shows the " +
        "move. If a stage has deals and the request has no `move_deals_to`, the answer is a 422. " +
        "Archiving the stage again changes nothing.",
    },
  },
  schemas: {
    Stage: "A step of a pipeline.",
    NewStage: "A stage to create.",
    StageChanges: "Changes to a stage.",
  },
  fields: {
    Stage: stage,
    NewStage: stage,
    StageChanges: stage,
  },
} satisfies Words;
