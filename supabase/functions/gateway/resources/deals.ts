import { Hono } from "hono";
import * as z from "zod";
import type { ApiEnv } from "../../_shared/key/authenticate.ts";
import { rows } from "../../_shared/database/company_db.ts";
import { ApiError } from "../../_shared/errors.ts";
import { atLeastOne, Money, requiredText } from "../../_shared/http/fields.ts";
import { newestFirst, paging, respondWithPage } from "../../_shared/http/pagination.ts";
import { unlessReferenceBroken } from "../../_shared/database/references.ts";
import { readBody, readId, readQuery } from "../../_shared/http/validate.ts";

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

const REFERENCES = {
  deals_contact_fkey: { field: "contact_id", message: "is not a contact of your company" },
  deals_stage_fkey: { field: "stage_id", message: "is not a stage of your company" },
};

/** Specification, 4.4 to 4.6. */
export const deals = new Hono<ApiEnv>()
  .get("/", async (c) => {
    const page = readQuery(c, DealQuery);
    return await respondWithPage(c, c.var.db.from("deals").select(DEAL), ORDER, page);
  })
  .post("/", async (c) => {
    const deal = await readBody(c, NewDeal);
    const query = c.var.db.from("deals").insert(deal).select(DEAL).single();
    const data = await unlessReferenceBroken(query.then(rows), REFERENCES);
    return c.json({ data }, 201);
  })
  .patch("/:id", async (c) => {
    const id = readId(c);
    const changes = await readBody(c, DealChanges);
    const query = c.var.db.from("deals").update(changes).eq("id", id).select(DEAL);
    const [data] = await unlessReferenceBroken(query.then(rows), REFERENCES);
    if (!data) throw new ApiError("not_found", "Deal not found");
    return c.json({ data });
  });
