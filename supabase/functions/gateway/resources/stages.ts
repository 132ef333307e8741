import { Hono } from "hono";
import * as z from "zod";
import type { ApiEnv } from "../../_shared/key/authenticate.ts";
import { type CompanyDb, rows } from "../../_shared/database/company_db.ts";
import { invalidRequest } from "../../_shared/errors.ts";
import { type ListOrder, paging, respondWithPage } from "../../_shared/http/pagination.ts";
import { readQuery } from "../../_shared/http/validate.ts";

const STAGE = "id, company_id, pipeline_id, name, position, created_at, updated_at";

const ORDER: ListOrder = {
  list: "stages",
  ascending: true,
  columns: { pipeline_id: z.guid(), position: z.int32(), id: z.guid() },
};
const StageQuery = paging(ORDER).extend({ pipeline_id: z.guid().optional() });

/** Specification, 4.8. */
export const stages = new Hono<ApiEnv>()
  .get("/", async (c) => {
    const { pipeline_id, ...page } = readQuery(c, StageQuery);
    let query = c.var.db.from("stages").select(STAGE);
    if (pipeline_id) query = query.eq("pipeline_id", pipeline_id);
    const whenEmpty = pipeline_id ? () => requirePipeline(c.var.db, pipeline_id) : undefined;
    return await respondWithPage(c, query, ORDER, page, whenEmpty);
  });

/** Tells a pipeline without stages from one that the company does not have. */
async function requirePipeline(db: CompanyDb, id: string) {
  const [found] = rows(await db.from("pipelines").select("id").eq("id", id));
  if (found) return;
  throw invalidRequest([{ field: "pipeline_id", message: "is not a pipeline of your company" }]);
}
