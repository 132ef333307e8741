import * as z from "zod";
import type { CompanyDb } from "../../_shared/database/company_db.ts";
import { rows } from "../../_shared/database/rows.ts";
import { table } from "../../_shared/database/table.ts";
import { invalidRequest } from "../../_shared/errors.ts";
import { page } from "../../_shared/http/answers.ts";
import { Id, RequiredShortText, ROW_IDS, ROW_TIMES } from "../../_shared/http/fields.ts";
import { operation, reply } from "../../_shared/http/operation.ts";
import { orderBy, paging, readPage } from "../../_shared/http/pagination.ts";
import { readOperation } from "../../_shared/http/read_operation.ts";

/** A stage of a pipeline; specification, 2.4. */
export const Stage = z.object({
  ...ROW_IDS,
  pipeline_id: Id,
  name: RequiredShortText,
  position: z.int32(),
  ...ROW_TIMES,
}).meta({ id: "Stage" });
type Stage = z.output<typeof Stage>;

const STAGES = table("stages", Stage);
const ORDER = orderBy(STAGES, "pipeline_id", "position", "id");

/** Specification, 4.8 and 4.13. */
export const stages = [
  operation({
    id: "listStages",
    method: "GET",
    path: "/stages",
    scope: "read",
    query: paging(ORDER).extend(Stage.pick({ pipeline_id: true }).partial().shape),
    answers: { 200: page(Stage) },
  }, async ({ caller, query: { pipeline_id, ...query } }) => {
    let select = caller.db.from("stages").select<string, Stage>(STAGES.columns);
    if (pipeline_id) select = select.eq("pipeline_id", pipeline_id);
    const whenEmpty = pipeline_id ? () => requirePipeline(caller.db, pipeline_id) : undefined;
    return reply(200, await readPage(caller, select, ORDER, query, whenEmpty));
  }),

  readOperation({ id: "getStage", path: "/stages/:id", table: STAGES, name: "Stage" }),
];

/** Refuses a pipeline that the company does not have. One without stages is an empty list. */
async function requirePipeline(db: CompanyDb, id: string) {
  const [found] = rows(await db.from("pipelines").select("id").eq("id", id));
  if (found) return;
  throw invalidRequest([{ field: "pipeline_id", message: "is not a pipeline of your company" }]);
}
