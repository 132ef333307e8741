import { rows } from "../../../_shared/database/rows.ts";
import { invalidRequest } from "../../../_shared/errors.ts";
import type { Caller } from "../../../_shared/key/caller.ts";
import { type Condition, meeting } from "../../records/conditions.ts";
import { choice, ordered, searchedText, time } from "../../records/filters.ts";
import { listOperation } from "../../records/list_operation.ts";
import { INTEGER, UUID } from "../../records/query_values.ts";
import { readOperation } from "../../records/read_operation.ts";
import { resource } from "../../records/resource.ts";
import { byId, byInteger, byText, byTime, orderBy } from "../../records/sorting.ts";
import { STAGES } from "./row.ts";

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

/** See the specification, 4.8 and 4.13, and docs/deals.md. */
export const stageReads = [
  listOperation({
    id: "listStages",
    path: "/stages",
    resource: STAGE,
    whenEmpty: requirePipeline,
  }),

  readOperation({ id: "getStage", path: "/stages/:id", resource: STAGE }),
];

/**
 * Throws an error if the company has none of the pipelines in the filter. If the company has at
 * least one of them, the operation returns an empty list.
 */
export async function requirePipeline(
  { caller, query: { pipeline_id } }: { caller: Caller; query: Record<string, unknown> },
): Promise<void> {
  if (!pipeline_id) return await caller.judge();
  const ofPipelines = (pipeline_id as Condition[]).map((each) => ({ ...each, column: "id" }));
  const ids = caller.reader.from("own_pipelines").select("id").limit(1);
  const [found] = rows(await meeting(ids, ofPipelines));
  if (found) return;
  throw invalidRequest([{ field: "pipeline_id", message: "is not a pipeline of your company" }]);
}
