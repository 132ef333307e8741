import * as z from "zod";
import type { CompanyDb } from "../../_shared/database/company_db.ts";
import { writeIfMatch, writeOnCondition } from "../../_shared/database/conditional_write.ts";
import { conflict, writeRows, wrongField } from "../../_shared/database/constraints.ts";
import { rows } from "../../_shared/database/rows.ts";
import { asInView } from "../../_shared/database/table.ts";
import { one } from "../../_shared/http/answers.ts";
import {
  atLeastOne,
  changesById,
  IdParams,
  Phone,
  withDefaults,
} from "../../_shared/http/fields.ts";
import { operation, reply } from "../../_shared/http/operation.ts";
import { CUSTOM_FIELDS_TOO_LARGE } from "../custom_fields.ts";
import { batchOperation, BatchParameters } from "../records/batch_operation.ts";
import { MERGED, missing } from "../records/merged.ts";
import { headersOf, onlyResult, outcomeOf } from "../records/written.ts";
import { CONTACT, Contact, CONTACTS, MAX_TAGS, Tag } from "./contacts.ts";

// How contacts are written. Functions of the database say who a phone belongs to; see public.write_contacts().

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
const INPUT = Contact
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
  .extend({ phone: Phone, tags: SentTags.optional() });
const ContactChanges = INPUT.meta({ id: "ContactChanges" });

/**
 * The same changes as a JSON Merge Patch: phone may be left out, and custom fields are merged key by key, by the
 * database, in the statement that writes.
 */
const ContactPatch = atLeastOne(INPUT.partial()).meta({ id: "ContactPatch" });
const StoredPatch = ContactPatch.transform(({ custom_fields, ...others }) =>
  custom_fields ? { ...others, custom_fields_patch: custom_fields } : others
);

/** The same input; a field that is left out takes its default. */
const NewContact = withDefaults(INPUT, {
  temperature: "warm",
  tags: [],
  source: "api",
  custom_fields: {},
  do_not_contact: false,
  is_active: true,
}).meta({ id: "NewContact" });

/**
 * The same input for the contact of the phone: a field that is left out keeps its value, or takes its default in a
 * contact that is created.
 */
export const ContactToPut = INPUT.meta({ id: "ContactToPut" });

const ContactPatchById = changesById(INPUT.partial()).meta({ id: "ContactPatchById" });

/** A contact as a batch answers it where all of them together would be too large. */
const LighterContact = Contact.omit({ custom_fields: true })
  .meta({ id: "ContactWithoutCustomFields" });

const PHONE_TAKEN =
  "A contact with this phone, or another spelling of it, exists already; update that one instead";

/** What it means that a contact cannot be written. */
const MEANINGS = {
  name: "Contact",
  constraints: {
    // A number with a large exponent is short in the request, and long in the database.
    contacts_custom_fields_check: { field: "custom_fields", message: CUSTOM_FIELDS_TOO_LARGE },
  },
  conflict: { field: "phone", message: PHONE_TAKEN },
  merged: { field: "id", message: MERGED },
};

/** Specification, 4.2, 4.3, 4.20 and 4.21. */
export const contactWrites = [
  operation({
    id: "createContact",
    method: "POST",
    path: "/contacts",
    scope: "write",
    body: NewContact,
    idempotent: true,
    answers: { 201: one(Contact) },
    conditional: true,
    errors: ["not_found", "conflict"],
  }, async ({ caller: { db }, body, idempotency }) => {
    const answer = await db.rpc("write_contacts", { items: [body], atomic: true, idempotency });
    const outcome = outcomeOf<Contact>(rows(answer), Contact);
    const { data } = onlyResult(outcome, MEANINGS);
    return reply(201, { data }, { headers: headersOf(outcome) });
  }),

  operation({
    id: "putContact",
    method: "PUT",
    path: "/contacts",
    scope: "write",
    query: z.strictObject({
      on_conflict: z.enum(["update", "keep"], "must be update or keep").default("update"),
    }),
    body: ContactToPut,
    answers: { 200: one(Contact), 201: one(Contact) },
    conditional: true,
  }, async ({ caller: { db }, query: { on_conflict }, body, ifMatch }) => {
    const answer = await writeOnCondition(ifMatch, async (condition) => {
      const write = { items: [body], on_conflict, atomic: true, ...condition };
      return rows(await db.rpc("write_contacts", write));
    });
    const { status, data } = onlyResult(outcomeOf<Contact>(answer, Contact), MEANINGS);
    return reply(status, { data });
  }),

  batchOperation({
    id: "writeContacts",
    method: "POST",
    path: "/contacts/batch",
    row: Contact,
    lighterRow: LighterContact,
    item: ContactToPut,
    body: "ContactBatch",
    query: BatchParameters.extend({
      on_conflict: z.enum(["update", "keep", "fail"], "must be update, keep or fail")
        .default("fail"),
    }),
    meanings: MEANINGS,
    async write({ caller: { db }, query: { on_conflict }, items, atomic, idempotency }) {
      const answer = await db.rpc("write_contacts", { items, on_conflict, atomic, idempotency });
      return outcomeOf(rows(answer), Contact);
    },
  }),

  batchOperation({
    id: "updateContacts",
    method: "PATCH",
    path: "/contacts/batch",
    row: Contact,
    lighterRow: LighterContact,
    item: ContactPatchById,
    body: "ContactPatchBatch",
    meanings: MEANINGS,
    async write({ caller: { db }, items, atomic }) {
      return outcomeOf(rows(await db.rpc("patch_contacts", { items, atomic })), Contact);
    },
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
  }, async ({ caller, params: { id }, body, ifMatch }) => {
    const { db } = caller;
    const [data] = await writeIfMatch(ifMatch, (version) =>
      writeRows(
        () =>
          db.from("contacts").update({ ...body, ...version }).eq("id", id)
            .select<string, Contact>(CONTACTS.columns),
        constraintMeanings(db, body.phone),
      ));
    if (!data) throw await missing(caller, CONTACT, id);
    return reply(200, { data: asInView(data) });
  }),
];

/** The meanings of the constraints that a change of one contact can break, with this phone if it writes one. */
function constraintMeanings(db: CompanyDb, phone?: string) {
  return {
    ...(phone !== undefined && {
      contacts_one_per_phone: conflict(
        async () => rows(await db.rpc("contact_id_by_phone", { phone })),
        PHONE_TAKEN,
      ),
    }),
    contacts_custom_fields_check: wrongField("custom_fields", CUSTOM_FIELDS_TOO_LARGE),
  };
}
