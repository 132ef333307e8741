import * as z from "zod";
import { table } from "../../_shared/database/table.ts";
import {
  Email,
  Phone,
  readOnly,
  requiredText,
  ROW_CHANGE,
  ROW_IDS,
  ShortText,
  Timestamp,
} from "../../_shared/http/fields.ts";
import { CustomFields } from "../custom_fields.ts";
import {
  choice,
  list,
  optionalChoice,
  optionalTime,
  searchedText,
  text,
  time,
} from "../records/filters.ts";
import { archiveOperation, restoreOperation } from "../records/archive_operations.ts";
import { changesOperation } from "../records/changes_operation.ts";
import { listOperation } from "../records/list_operation.ts";
import { ANY_CASE, oneOf, PHONE, TRUE_OR_FALSE, UUID } from "../records/query_values.ts";
import { readOperation } from "../records/read_operation.ts";
import { resource } from "../records/resource.ts";
import { byText, byTime, newestFirst } from "../records/sorting.ts";

export const MAX_TAGS = 50;
export const Tag = requiredText(64);

/** A contact; specification, 2.1. */
export const Contact = z.object({
  ...ROW_IDS,
  name: ShortText.nullable(),
  email: Email.nullable(),
  // The channel hides the phones of some people.
  phone: Phone.nullable(),
  temperature: z.enum(["cold", "warm", "hot"]),
  tags: z.array(Tag).max(MAX_TAGS),
  source: ShortText,
  job_title: ShortText.nullable(),
  empresa: ShortText.nullable(),
  custom_fields: CustomFields,
  do_not_contact: z.boolean(),
  do_not_contact_source: readOnly(z.enum(["manual", "word"]).nullable()),
  do_not_contact_at: readOnly(Timestamp.nullable()),
  marketing_opt_out_at: readOnly(Timestamp.nullable()),
  is_active: z.boolean(),
  archived_at: readOnly(Timestamp.nullable()),
  erased_at: readOnly(Timestamp.nullable()),
  ...ROW_CHANGE,
}).meta({ id: "Contact" });
export type Contact = z.output<typeof Contact>;

/** How contacts are read from the database. */
export const CONTACTS = table("contacts", Contact, "own_contacts");

export const CONTACT = resource({
  table: CONTACTS,
  name: "Contact",
  filters: {
    id: choice("id", UUID),
    name: searchedText("name", "name_words"),
    email: searchedText("email_key", "email_words", ANY_CASE),
    phone: optionalChoice("phone_key", PHONE),
    temperature: choice("temperature", oneOf(Contact.shape.temperature.options)),
    tags: list("tags"),
    source: text("source"),
    job_title: searchedText("job_title", "job_title_words"),
    empresa: searchedText("empresa", "empresa_words"),
    do_not_contact: choice("do_not_contact", TRUE_OR_FALSE),
    marketing_opt_out_at: optionalTime("marketing_opt_out_at"),
    is_active: choice("is_active", TRUE_OR_FALSE),
    created_at: time("created_at"),
    updated_at: time("updated_at"),
  },
  words: ["name_words", "email_words", "phone_words", "empresa_words"],
  members: "custom_fields",
  sorts: {
    created_at: byTime("created_at"),
    updated_at: byTime("updated_at"),
    name: byText("name_sort"),
  },
  order: newestFirst(),
  archives: { keptIn: { phone_key: "archived_phone_key" }, erasedIn: "erased_at" },
  survivor: "survivor_of_contact",
  besides: { column: "phone_key", by: "contacts_of_further_phones" },
});

/** Specification, 4.1 and 4.13. */
export const contacts = [
  listOperation({ id: "listContacts", path: "/contacts", resource: CONTACT }),

  changesOperation({
    id: "listContactChanges",
    path: "/contacts/changes",
    resource: CONTACT,
    feed: "contact_changes",
  }),

  readOperation({ id: "getContact", path: "/contacts/:id", resource: CONTACT }),

  archiveOperation({
    id: "archiveContact",
    path: "/contacts/:id",
    resource: CONTACT,
    by: "archive_contact",
  }),

  restoreOperation({
    id: "restoreContact",
    path: "/contacts/:id/restore",
    resource: CONTACT,
    by: "restore_contact",
    conflict: {
      field: "phone",
      message:
        "Another contact has this contact's phone by now; archive that one first, or go on with it",
    },
  }),
];
