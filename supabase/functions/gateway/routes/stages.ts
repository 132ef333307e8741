import { Hono } from "hono";
import * as z from "zod";
import type { ApiEnv } from "../../_shared/authenticate.ts";
import { type ListOrder, paging, respondWithPage } from "../../_shared/pagination.ts";
import { readQuery } from "../../_shared/validate.ts";

const STAGE = "id, company_id, pipeline_id, name, position, created_at, updated_at";

const ORDER: ListOrder = {
  list: "stages",
  ascending: true,
  columns: { pipeline_id: z.guid(), position: z.int32(), id: z.guid() },
};
const StageQuery = paging(ORDER).extend({ pipeline_id: z.guid().optional() });

/** Specification, 4.8. A pipeline that is not the company's has no stages here. */
export const stages = new Hono<ApiEnv>()
  .get("/", async (c) => {
    const { pipeline_id, ...page } = readQuery(c, StageQuery);
    let query = c.var.db.from("stages").select(STAGE);
    if (pipeline_id) query = query.eq("pipeline_id", pipeline_id);
    return await respondWithPage(c, query, ORDER, page);
  });
