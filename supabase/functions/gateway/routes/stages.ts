import { Hono } from "hono";
import * as z from "zod";
import type { ApiEnv } from "../../_shared/authenticate.ts";
import { paging, respondWithPage, STAGE_ORDER } from "../../_shared/pagination.ts";
import { readQuery } from "../../_shared/validate.ts";

const STAGE = "id, company_id, pipeline_id, name, position, created_at, updated_at";

const StageQuery = paging(STAGE_ORDER).extend({ pipeline_id: z.guid().optional() });

/** Specification, 4.8. A pipeline that is not the company's has no stages here. */
export const stages = new Hono<ApiEnv>()
  .get("/", async (c) => {
    const { pipeline_id, ...page } = readQuery(c, StageQuery);
    let query = c.var.db.from("stages").select(STAGE);
    if (pipeline_id) query = query.eq("pipeline_id", pipeline_id);
    return await respondWithPage(c, query, STAGE_ORDER, page);
  });
