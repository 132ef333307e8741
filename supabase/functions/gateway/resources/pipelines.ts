import * as z from "zod";
import { table } from "../../_shared/database/table.ts";
import { RequiredShortText, ROW_IDS, ROW_TIMES } from "../../_shared/http/fields.ts";
import { listOperation } from "../../_shared/http/list_operation.ts";
import { orderBy } from "../../_shared/http/pagination.ts";
import { readOperation } from "../../_shared/http/read_operation.ts";

/** A pipeline; specification, 2.4. */
export const Pipeline = z.object({
  ...ROW_IDS,
  name: RequiredShortText,
  position: z.int32(),
  is_default: z.boolean(),
  ...ROW_TIMES,
}).meta({ id: "Pipeline" });

const PIPELINES = table("pipelines", Pipeline);
const ORDER = orderBy(PIPELINES, "position", "id");

/** Specification, 4.7 and 4.13. */
export const pipelines = [
  listOperation({ id: "listPipelines", path: "/pipelines", order: ORDER }),

  readOperation({ id: "getPipeline", path: "/pipelines/:id", table: PIPELINES, name: "Pipeline" }),
];
