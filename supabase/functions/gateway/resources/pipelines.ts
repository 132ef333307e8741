import * as z from "zod";
import { table } from "../../_shared/database/table.ts";
import { page } from "../../_shared/http/answers.ts";
import { requiredText, ROW, ROW_TIMES } from "../../_shared/http/fields.ts";
import { operation, reply } from "../../_shared/http/operation.ts";
import { orderBy, paging, readPage } from "../../_shared/http/pagination.ts";

/** A pipeline; specification, 2.4. */
export const Pipeline = z.object({
  ...ROW,
  name: requiredText(255),
  position: z.int32(),
  is_default: z.boolean(),
  ...ROW_TIMES,
}).meta({ id: "Pipeline" });
type Pipeline = z.output<typeof Pipeline>;

const PIPELINES = table("pipelines", Pipeline);
const ORDER = orderBy(PIPELINES, "position", "id");

/** Specification, 4.7. */
export const pipelines = [
  operation({
    id: "listPipelines",
    method: "GET",
    path: "/pipelines",
    scope: "read",
    query: paging(ORDER),
    answers: { 200: page(Pipeline) },
  }, async ({ caller, query }) => {
    const select = caller.db.from("pipelines").select<string, Pipeline>(PIPELINES.columns);
    return reply(200, await readPage(caller, select, ORDER, query));
  }),
];
