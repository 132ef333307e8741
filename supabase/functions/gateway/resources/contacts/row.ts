import * as z from "zod/mini";
import { lazily } from "../../../_shared/lazily.ts";
import { table } from "../../../_shared/database/table.ts";
import {
  Email,
  MaybeTime,
  Phone,
  readOnly,
  RequiredShortText,
  requiredText,
  ROW_CHANGE,
  ROW_IDS,
  ShortText,
} from "../../../_shared/http/fields.ts";
import { CustomFields } from "../../custom_fields.ts";

export const MAX_TAGS = 50;

export const TEMPERATURES = ["cold", "warm", "hot"] as const;

export const Tag = lazily(() => requiredText(64));

/** A contact (specification, 2.1). */
export const Contact = lazily(() =>
  z.object({
    ...ROW_IDS,
    external_id: z.nullable(RequiredShortText),
    name: z.nullable(ShortText),
    email: z.nullable(Email),
    // The channel hides some people's phone numbers.
    phone: z.nullable(Phone),
    temperature: z.enum(TEMPERATURES),
    tags: z.array(Tag).check(z.maxLength(MAX_TAGS)),
    source: ShortText,
    job_title: z.nullable(ShortText),
    empresa: z.nullable(ShortText),
    custom_fields: CustomFields,
    do_not_contact: z.boolean(),
    do_not_contact_source: readOnly(z.nullable(z.enum(["manual", "word"]))),
    do_not_contact_at: MaybeTime,
    marketing_opt_out: z.boolean(),
    marketing_opt_out_source: readOnly(
      z.nullable(z.enum(["button", "word", "preference", "status", "manual"])),
    ),
    marketing_opt_out_at: MaybeTime,
    is_active: z.boolean(),
    archived_at: MaybeTime,
    erased_at: MaybeTime,
    ...ROW_CHANGE,
  }).register(z.globalRegistry, { id: "Contact" })
);

export type Contact = z.output<typeof Contact>;

/** How contacts are read from the database. */
export const CONTACTS = table("contacts", Contact, "own_contacts", "own_plain_contacts", {
  view: "own_searched_contacts",
  columns: [
    ...["name_words", "email_words", "phone_words", "empresa_words"],
    ...["id", "company_id", "created_at", "archived_at"],
  ],
});
