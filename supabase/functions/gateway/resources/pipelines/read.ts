import { table } from "../../../_shared/database/table.ts";
import { choice, ordered, searchedText, time } from "../../records/filters.ts";
import { listOperation } from "../../records/list_operation.ts";
import { INTEGER, TRUE_OR_FALSE, UUID } from "../../records/query_values.ts";
import { readOperation } from "../../records/read_operation.ts";
import { resource } from "../../records/resource.ts";
import { byId, byInteger, byText, byTime, orderBy } from "../../records/sorting.ts";
import { STAGES } from "../stages/row.ts";
import { Pipeline } from "./row.ts";

const PIPELINE = resource({
  table: table("pipelines", Pipeline, "own_pipelines", "own_plain_pipelines"),
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

/** See the specification, 4.7 and 4.13, and docs/deals.md. */
export const pipelineReads = [
  listOperation({ id: "listPipelines", path: "/pipelines", resource: PIPELINE }),

  readOperation({ id: "getPipeline", path: "/pipelines/:id", resource: PIPELINE }),
];
