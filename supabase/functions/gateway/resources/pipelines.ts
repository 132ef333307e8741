import { Hono } from "hono";
import * as z from "zod";
import type { ApiEnv } from "../../_shared/key/authenticate.ts";
import { type ListOrder, paging, respondWithPage } from "../../_shared/http/pagination.ts";
import { readQuery } from "../../_shared/http/validate.ts";

const PIPELINE = "id, company_id, name, position, is_default, created_at, updated_at";

const ORDER: ListOrder = {
  list: "pipelines",
  ascending: true,
  columns: { position: z.int32(), id: z.guid() },
};
const PipelineQuery = paging(ORDER);

/** Specification, 4.7. */
export const pipelines = new Hono<ApiEnv>()
  .get("/", async (c) => {
    const page = readQuery(c, PipelineQuery);
    const query = c.var.db.from("pipelines").select(PIPELINE);
    return await respondWithPage(c, query, ORDER, page);
  });
