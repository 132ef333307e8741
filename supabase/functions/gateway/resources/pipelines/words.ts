import { type FieldsOf, ROW, type Words } from "../../../_shared/http/api_words.ts";
import type { Pipeline } from "./row.ts";

const pipeline: FieldsOf<typeof Pipeline> = {
  ...ROW,
  name: "The pipeline's name.",
  position:
    "The pipeline's position in the list: 0, 1, 2 and so on. A number higher than the last " +
    "position means the last position.",
  is_default:
    "Whether the pipeline is the company's default pipeline. A company always has exactly one " +
    "default pipeline.",
  archived_at: "When the pipeline was archived. `null` while the pipeline is in use.",
};

/** The descriptions of pipelines in the OpenAPI document. */
export const words = {
  operations: {
    listPipelines: {
      tag: "Pipelines",
      summary: "List pipelines",
      description: "Lists your company's pipelines, by position unless `sort` says otherwise. " +
        "`include=stages` adds each pipeline's stages, by position.",
    },
    getPipeline: {
      tag: "Pipelines",
      summary: "Get a pipeline",
      description:
        "Returns one of your company's pipelines by id. `include=stages` adds the pipeline's " +
        "stages, by position.",
    },
    createPipeline: {
      tag: "Pipelines",
      summary: "Create a pipeline",
      description:
        "Creates a pipeline without stages. If `position` is set, the pipeline is inserted at " +
        "that position, and the positions of all pipelines from there on increase by 1. " +
        "Otherwise, the pipeline becomes the last pipeline. With `is_default: true`, it becomes " +
        "the default pipeline in place of the previous default pipeline.",
    },
    updatePipeline: {
      tag: "Pipelines",
      summary: "Update a pipeline",
      description:
        "Updates at least one field of a pipeline. A new `position` moves the pipeline, and the " +
        "positions of other pipelines are adjusted. `is_default: true` makes it the default " +
        "pipeline in place of the previous default pipeline. The request returns a 409 if it " +
        "sets `is_default: false` for the default pipeline, or if the pipeline is archived.",
    },
    archivePipeline: {
      tag: "Pipelines",
      summary: "Archive a pipeline",
      description:
        "Archives a pipeline with its stages. Lists no longer contain them, and no deal can move " +
        "into them. Archiving the pipeline again changes nothing. If the pipeline is the default " +
        "pipeline or has deals, even archived ones, it cannot be archived, and the request " +
        "returns a 409.",
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
      stages: "The pipeline's stages by position. Present only with `include=stages`.",
    },
    NewPipeline: pipeline,
    PipelineChanges: pipeline,
  },
} satisfies Words;
