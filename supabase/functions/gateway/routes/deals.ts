import type { PostgrestSingleResponse } from "@supabase/supabase-js";
import { Hono } from "hono";
import * as z from "zod";
import type { ApiEnv } from "../../_shared/authenticate.ts";
import { ApiError } from "../../_shared/errors.ts";
import { atLeastOne, Money, requiredText } from "../../_shared/fields.ts";
import { newestFirst, paging, respondWithPage } from "../../_shared/pagination.ts";
import { rowsWithReferences } from "../../_shared/references.ts";
import { readBody, readId, readQuery } from "../../_shared/validate.ts";

const DEAL = "id, company_id, title, value, status, contact_id, stage_id, created_at, updated_at";

const ORDER = newestFirst("deals");
const DealQuery = paging(ORDER);

/** Specification, 4.5. A new deal is open; nothing else can be said of it. */
const NewDeal = z.strictObject({
  title: requiredText(255),
  contact_id: z.guid(),
  stage_id: z.guid(),
  value: Money.nullable().optional(),
});

const DealChanges = atLeastOne(
  NewDeal.omit({ contact_id: true })
    .extend({ status: z.enum(["open", "won", "lost"]) })
    .partial(),
);

/** Specification, 4.4 to 4.6. */
export const deals = new Hono<ApiEnv>()
  .get("/", async (c) => {
    const page = readQuery(c, DealQuery);
    return await respondWithPage(c, c.var.db.from("deals").select(DEAL), ORDER, page);
  })
  .post("/", async (c) => {
    const deal = await readBody(c, NewDeal);
    const data = inCompany(await c.var.db.from("deals").insert(deal).select(DEAL).single());
    return c.json({ data }, 201);
  })
  .patch("/:id", async (c) => {
    const id = readId(c);
    const changes = await readBody(c, DealChanges);
    const [data] = inCompany(
      await c.var.db.from("deals").update(changes).eq("id", id).select(DEAL),
    );
    if (!data) throw new ApiError("not_found", "Deal not found");
    return c.json({ data });
  });

function inCompany<Row>(answer: PostgrestSingleResponse<Row>): Row {
  return rowsWithReferences(answer, {
    deals_contact_fkey: { field: "contact_id", message: "is not a contact of your company" },
    deals_stage_fkey: { field: "stage_id", message: "is not a stage of your company" },
  });
}
