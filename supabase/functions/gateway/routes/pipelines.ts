import { Hono } from "hono";
import type { ApiEnv } from "../../_shared/authenticate.ts";
import { paging, PIPELINE_ORDER, respondWithPage } from "../../_shared/pagination.ts";
import { readQuery } from "../../_shared/validate.ts";

const PIPELINE = "id, company_id, name, position, is_default, created_at, updated_at";

const PipelineQuery = paging(PIPELINE_ORDER);

/** Specification, 4.7. */
export const pipelines = new Hono<ApiEnv>()
  .get("/", async (c) => {
    const page = readQuery(c, PipelineQuery);
    const query = c.var.db.from("pipelines").select(PIPELINE);
    return await respondWithPage(c, query, PIPELINE_ORDER, page);
  });
