import { type FieldsOf, ROW, type Words } from "../../../_shared/http/api_words.ts";
import type { Pipeline } from "./row.ts";

const pipeline: FieldsOf<typeof Pipeline> = {
  ...ROW,
  name: "The name of the pipeline.",
  position:
    "The place of the pipeline in the list: 0, 1, 2 and so on. A number higher than the last " +
    "place means the last place.",
  is_default:
    "Whether the pipeline is the company's default pipeline. A company always has exactly one " +
    "default pipeline.",
  archived_at: "When the pipeline was archived; `null` while it is in use.",
};

/** The texts about pipelines in the API's description. */
export const words = {
  operations: {
    listPipelines: {
      tag: "Pipelines",
      summary: "List pipelines",
      description:
        "Lists the pipelines of your company, by position unless `sort` says otherwise. " +
        "`include=stages` adds the stages of each pipeline, by position.",
    },
    getPipeline: {
      tag: "Pipelines",
      summary: "Get a pipeline",
      description:
        "Returns one pipeline of your company, by its id; with `include=stages`, also its stages by position.",
    },
    createPipeline: {
      tag: "Pipelines",
      summary: "Create a pipeline",
      description:
        "Creates a pipeline without stages. With a `position`, the pipeline takes that place, and " +
        "the pipelines at and after that place move back. Without a `position`, it becomes the " +
        "last one. With `is_default: true`, it becomes the default pipeline in place of the " +
        "previous one.",
    },
    updatePipeline: {
      tag: "Pipelines",
      summary: "Update a pipeline",
      description:
        "Updates at least one field of a pipeline. A new `position` moves the pipeline, and the " +
        "other pipelines make room. `is_default: true` makes it the default pipeline in place of " +
        "the previous one. If `is_default` is `false` for the default pipeline, or if the " +
        "pipeline is archived, the answer is a 409.",
    },
    archivePipeline: {
      tag: "Pipelines",
      summary: "Archive a pipeline",
      description:
        "Archives a pipeline with its stages: lists no longer show them, and no deal can move " +
        "into them. Archiving the pipeline again changes nothing. The default pipeline, or a " +
        "pipeline with deals, cannot be archived: the answer is a 409.",
    },
  },
  schemas: {
    Pipeline: "A sales pipeline.",
    PipelineWithIncluded: "A sales pipeline, with the records that `include` adds.",
    NewPipeline: "A pipeline to create.",
    PipelineChanges: "Changes to a pipeline.",
  },
  fields: {
    Pipeline: pipeline,
    PipelineWithIncluded: {
      ...pipeline,
      stages: "The stages of the pipeline by position, with `include=stages`.",
    },
    NewPipeline: pipeline,
    PipelineChanges: pipeline,
  },
} satisfies Words;
