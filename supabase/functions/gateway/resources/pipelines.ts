import * as z from "zod";
import { table } from "../../_shared/database/table.ts";
import { RequiredShortText, ROW_CHANGE, ROW_IDS } from "../../_shared/http/fields.ts";
import { choice, ordered, searchedText, time } from "../records/filters.ts";
import { listOperation } from "../records/list_operation.ts";
import { INTEGER, TRUE_OR_FALSE, UUID } from "../records/query_values.ts";
import { readOperation } from "../records/read_operation.ts";
import { resource } from "../records/resource.ts";
import { byId, byInteger, byText, byTime, orderBy } from "../records/sorting.ts";
import { STAGES } from "./stages.ts";

/** A pipeline; specification, 2.4. */
export const Pipeline = z.object({
  ...ROW_IDS,
  name: RequiredShortText,
  position: z.int32(),
  is_default: z.boolean(),
  ...ROW_CHANGE,
}).meta({ id: "Pipeline" });

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
  includes: {
    stages: {
      table: STAGES,
      listedBy: [{ column: "position", ascending: true }, { column: "id", ascending: true }],
    },
  },
});

/** Specification, 4.7 and 4.13. */
export const pipelines = [
  listOperation({ id: "listPipelines", path: "/pipelines", resource: PIPELINE }),

  readOperation({ id: "getPipeline", path: "/pipelines/:id", resource: PIPELINE }),
];
