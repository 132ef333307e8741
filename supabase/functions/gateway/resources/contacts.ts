import * as z from "zod";
import type { CompanyDb } from "../../_shared/database/company_db.ts";
import { writeIfMatch } from "../../_shared/database/conditional_write.ts";
import { conflict, writeRows, wrongField } from "../../_shared/database/constraints.ts";
import { rows } from "../../_shared/database/rows.ts";
import { asInView, table } from "../../_shared/database/table.ts";
import { ApiError } from "../../_shared/errors.ts";
import { one } from "../../_shared/http/answers.ts";
import {
  atLeastOne,
  Email,
  IdParams,
  Phone,
  readOnly,
  requiredText,
  ROW_CHANGE,
  ROW_IDS,
  ShortText,
  Timestamp,
  withDefaults,
} from "../../_shared/http/fields.ts";
import { operation, reply } from "../../_shared/http/operation.ts";
import { CUSTOM_FIELDS_TOO_LARGE, CustomFields } from "../custom_fields.ts";
import {
  choice,
  list,
  optionalChoice,
  optionalTime,
  searchedText,
  text,
  time,
} from "../records/filters.ts";
import { changesOperation } from "../records/changes_operation.ts";
import { listOperation } from "../records/list_operation.ts";
import { ANY_CASE, oneOf, PHONE, TRUE_OR_FALSE, UUID } from "../records/query_values.ts";
import { readOperation } from "../records/read_operation.ts";
import { resource } from "../records/resource.ts";
import { byText, byTime, newestFirst } from "../records/sorting.ts";

const MAX_TAGS = 50;
const Tag = requiredText(64);

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
  erased_at: readOnly(Timestamp.nullable()),
  ...ROW_CHANGE,
}).meta({ id: "Contact" });
type Contact = z.output<typeof Contact>;

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
});

const MAX_TAGS_SENT = 1000;
const TOO_MANY_TAGS = `must have at most ${MAX_TAGS} different tags`;

/** Tags in a request; repeats are dropped. */
const SentTags = z.array(z.unknown())
  .max(MAX_TAGS_SENT, TOO_MANY_TAGS) // before any of them is checked
  .pipe(z.array(Tag))
  .transform((tags) => [...new Set(tags)])
  .refine((tags) => tags.length <= MAX_TAGS, TOO_MANY_TAGS)
  .meta({ type: "array", maxItems: MAX_TAGS_SENT, items: { type: "string", ...Tag.meta() } });

/**
 * Specification, 2.1: creating and updating have the same input, and both require phone. On an update, a field
 * that is left out keeps its value, and null clears a field that may be null.
 */
const ContactChanges = Contact
  .pick({
    phone: true,
    name: true,
    email: true,
    temperature: true,
    tags: true,
    source: true,
    job_title: true,
    empresa: true,
    custom_fields: true,
    do_not_contact: true,
    is_active: true,
  })
  .partial().strict()
  .extend({ phone: Phone, tags: SentTags.optional() })
  .meta({ id: "ContactChanges" });

/**
 * The same changes as a JSON Merge Patch: phone may be left out, and custom fields are merged key by key, by the
 * database, in the statement that writes.
 */
const ContactPatch = atLeastOne(ContactChanges.partial()).meta({ id: "ContactPatch" });
const StoredPatch = ContactPatch.transform(({ custom_fields, ...others }) =>
  custom_fields ? { ...others, custom_fields_patch: custom_fields } : others
);

/** The same input; a field that is left out takes its default. */
const NewContact = withDefaults(ContactChanges, {
  temperature: "warm",
  tags: [],
  source: "api",
  custom_fields: {},
  do_not_contact: false,
  is_active: true,
}).meta({ id: "NewContact" });

/** Specification, 4.1 to 4.3 and 4.13. */
export const contacts = [
  listOperation({ id: "listContacts", path: "/contacts", resource: CONTACT }),

  changesOperation({
    id: "listContactChanges",
    path: "/contacts/changes",
    resource: CONTACT,
    feed: "contact_changes",
  }),

  readOperation({ id: "getContact", path: "/contacts/:id", resource: CONTACT }),

  operation({
    id: "createContact",
    method: "POST",
    path: "/contacts",
    scope: "write",
    body: NewContact,
    answers: { 201: one(Contact) },
    conditional: true,
    errors: ["conflict"],
  }, async ({ caller: { db }, body }) => {
    const data = await writeRows(
      () => db.from("contacts").insert(body).select<string, Contact>(CONTACTS.columns).single(),
      constraintMeanings(db, body.phone),
    );
    return reply(201, { data: asInView(data) });
  }),

  operation({
    id: "updateContact",
    method: "PATCH",
    path: "/contacts/:id",
    scope: "write",
    params: IdParams,
    body: ContactChanges,
    mergePatch: StoredPatch,
    answers: { 200: one(Contact) },
    conditional: true,
    errors: ["not_found", "conflict"],
  }, async ({ caller: { db }, params: { id }, body, ifMatch }) => {
    const [data] = await writeIfMatch(ifMatch, (version) =>
      writeRows(
        () =>
          db.from("contacts").update({ ...body, ...version }).eq("id", id)
            .select<string, Contact>(CONTACTS.columns),
        constraintMeanings(db, body.phone),
      ));
    if (!data) throw new ApiError("not_found", "Contact not found");
    return reply(200, { data: asInView(data) });
  }),
];

/** The meanings of the constraints that a write of a contact can break, with this phone if it writes one. */
function constraintMeanings(db: CompanyDb, phone?: string) {
  return {
    ...(phone !== undefined && {
      contacts_one_per_phone: conflict(
        async () => rows(await db.rpc("contact_id_by_phone", { phone })),
        "A contact with this phone, or another spelling of it, exists already; update that one instead",
      ),
    }),
    // A number with a large exponent is short in the request, and long in the database.
    contacts_custom_fields_check: wrongField("custom_fields", CUSTOM_FIELDS_TOO_LARGE),
  };
}
