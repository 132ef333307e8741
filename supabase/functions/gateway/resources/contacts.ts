import type { PostgrestSingleResponse } from "@supabase/supabase-js";
import { Hono } from "hono";
import * as z from "zod";
import type { ApiEnv } from "../../_shared/key/authenticate.ts";
import { type CompanyDb, rows, violates } from "../../_shared/database/company_db.ts";
import { rowsUnlessTaken } from "../../_shared/database/conflict.ts";
import { ApiError, invalidRequest } from "../../_shared/errors.ts";
import { Email, Phone, requiredText, text } from "../../_shared/http/fields.ts";
import { newestFirst, paging, respondWithPage } from "../../_shared/http/pagination.ts";
import { readBody, readId, readQuery } from "../../_shared/http/validate.ts";
import { CUSTOM_FIELDS_TOO_LARGE, CustomFields } from "../custom_fields.ts";

const CONTACT =
  "id, company_id, name, email, phone, temperature, tags, source, job_title, empresa, custom_fields, do_not_contact, is_active, created_at, updated_at";

const ORDER = newestFirst("contacts");
const ContactQuery = paging(ORDER);

const Tags = z.array(z.unknown())
  .max(1000, "must have at most 50 different tags") // before each of them is looked at
  .pipe(z.array(requiredText(64)))
  .transform((tags) => [...new Set(tags)])
  .refine((tags) => tags.length <= 50, "must have at most 50 different tags");

/**
 * Specification, 2.1: one input shape for creating and updating, with phone required on both. What
 * is left out keeps its value, or takes the stored default; null clears a field that may be empty.
 */
const ContactInput = z.strictObject({
  phone: Phone,
  name: text(255).nullable().optional(),
  email: Email.nullable().optional(),
  temperature: z.enum(["cold", "warm", "hot"]).optional(),
  tags: Tags.optional(),
  source: text(255).optional(),
  job_title: text(255).nullable().optional(),
  empresa: text(255).nullable().optional(),
  custom_fields: CustomFields.optional(),
  do_not_contact: z.boolean().optional(),
  is_active: z.boolean().optional(),
});

/** Specification, 4.1 to 4.3. */
export const contacts = new Hono<ApiEnv>()
  .get("/", async (c) => {
    const page = readQuery(c, ContactQuery);
    return await respondWithPage(c, c.var.db.from("contacts").select(CONTACT), ORDER, page);
  })
  .post("/", async (c) => {
    const contact = await readBody(c, ContactInput);
    const data = await rowsUnlessPhoneTaken(
      c.var.db,
      contact.phone,
      () => c.var.db.from("contacts").insert(contact).select(CONTACT).single(),
    );
    return c.json({ data }, 201);
  })
  .patch("/:id", async (c) => {
    const id = readId(c);
    const contact = await readBody(c, ContactInput);
    const [data] = await rowsUnlessPhoneTaken(
      c.var.db,
      contact.phone,
      () => c.var.db.from("contacts").update(contact).eq("id", id).select(CONTACT),
    );
    if (!data) throw new ApiError("not_found", "Contact not found");
    return c.json({ data });
  });

async function rowsUnlessPhoneTaken<Row>(
  db: CompanyDb,
  phone: string,
  write: () => PromiseLike<PostgrestSingleResponse<Row>>,
): Promise<Row> {
  try {
    return await rowsUnlessTaken(
      write,
      "contacts_one_per_phone",
      async () => rows(await db.rpc("contact_id_by_phone", { phone })),
      "A contact with this phone, or another spelling of it, exists already; update that one instead",
    );
  } catch (error) {
    // Small numbers with large exponents are short in JSON and long in the database.
    if (!violates(error, "contacts_custom_fields_check")) throw error;
    throw invalidRequest([{ field: "custom_fields", message: CUSTOM_FIELDS_TOO_LARGE }]);
  }
}
