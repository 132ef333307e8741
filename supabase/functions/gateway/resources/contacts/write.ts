import * as z from "zod/mini";
import type { CompanyDb } from "../../../_shared/database/company_db.ts";
import { writeIfMatch, writeOnCondition } from "../../../_shared/database/conditional_write.ts";
import { conflict, writeRows, wrongField } from "../../../_shared/database/constraints.ts";
import { rows } from "../../../_shared/database/rows.ts";
import { one } from "../../../_shared/http/answers.ts";
import {
  atLeastOne,
  changesById,
  described,
  IdParams,
  Phone,
  withDefaults,
} from "../../../_shared/http/fields.ts";
import { lazily, operation, reply } from "../../../_shared/http/operation.ts";
import { CUSTOM_FIELDS_TOO_LARGE } from "../../custom_fields.ts";
import { batchOperation, BatchParameters } from "../../records/batch_operation.ts";
import { MERGED, missing } from "../../records/merged.ts";
import { headersOf, onlyResult, outcomeOf, recordOfRow } from "../../records/written.ts";
import { Contact, MAX_TAGS, Tag } from "./row.ts";
import { CONTACT } from "./read.ts";

// How contacts are written. Functions of the database decide which contact a phone belongs to; see
// public.write_contacts().

const MAX_TAGS_SENT = 1000;

const TOO_MANY_TAGS = `must have at most ${MAX_TAGS} different tags`;

/** Tags in a request; duplicates are removed. */
const SentTags = z.pipe(
  z.pipe(
    z.array(z.unknown()).check(z.maxLength(MAX_TAGS_SENT, TOO_MANY_TAGS)), // before any tag is read
    z.array(Tag),
  ),
  z.transform((tags) => [...new Set(tags)]),
).check(z.refine((tags) => tags.length <= MAX_TAGS, TOO_MANY_TAGS)).register(z.globalRegistry, {
  type: "array",
  maxItems: MAX_TAGS_SENT,
  items: { type: "string", ...z.globalRegistry.get(Tag) },
});

/**
 * Creating and updating have the same input, and both require phone (specification, 2.1). On an
 * update, a field that is left out keeps its value, and null clears a field that may be null.
 */
const input = () =>
  z.extend(
    z.strictObject(
      z.partial(z.pick(Contact, {
        phone: true,
        external_id: true,
        name: true,
        email: true,
        temperature: true,
        tags: true,
        source: true,
        job_title: true,
        empresa: true,
        custom_fields: true,
        do_not_contact: true,
        marketing_opt_out: true,
        is_active: true,
      })).shape,
    ),
    { phone: Phone, tags: z.optional(SentTags) },
  );

/** Says how to leave out the phone, which every caller of an update tries first. */
const PhoneOfChanges = z.clone(Phone, {
  ...Phone.def,
  error: ({ input }) =>
    input === undefined
      ? "is required in application/json; to change other fields only, send Content-Type: " +
        "application/merge-patch+json"
      : undefined,
});

const ContactChanges = lazily(() =>
  described(z.extend(input(), { phone: PhoneOfChanges }), { id: "ContactChanges" })
);

/**
 * The same changes as a JSON Merge Patch: phone may be left out, and the database merges custom
 * fields key by key in the statement that writes.
 */
const ContactPatch = lazily(() =>
  z.pipe(
    described(atLeastOne(z.partial(input())), { id: "ContactPatch" }),
    z.transform(({ custom_fields, ...others }) =>
      custom_fields ? { ...others, custom_fields_patch: custom_fields } : others
    ),
  )
);

/** The input for a new contact. A field that is left out gets its default. */
const NewContact = lazily(() =>
  described(
    withDefaults(input(), {
      temperature: "warm",
      tags: [],
      source: "api",
      custom_fields: {},
      do_not_contact: false,
      marketing_opt_out: false,
      is_active: true,
    }),
    { id: "NewContact" },
  )
);

/**
 * The input for the contact with this phone. In an existing contact, a field that is left out keeps
 * its value. In a new contact, it gets its default.
 */
export const ContactToPut = lazily(() => described(input(), { id: "ContactToPut" }));

const ContactPatchById = lazily(() =>
  described(changesById(z.partial(input())), { id: "ContactPatchById" })
);

/** A contact in the answer to a batch that would otherwise be too large. */
const LighterContact = z.omit(Contact, { custom_fields: true }).register(z.globalRegistry, {
  id: "ContactWithoutCustomFields",
});

const PHONE_TAKEN =
  "A contact with this phone, or another spelling of it, already exists; update that one instead";

const EXTERNAL_ID_TAKEN = "A contact with this external_id already exists; update that one instead";

/** The sentence about an item of a batch, which says how a batch updates known contacts. */
const inBatch = (sentence: string) =>
  sentence.replace(
    "update that one instead",
    "to update existing contacts too, send the batch with on_conflict=update or on_conflict=keep",
  );

/** What it means for the caller when the database refuses a contact. */
const MEANINGS = {
  name: "Contact",
  constraints: {
    // A number with a large exponent is short in the request, but long in the database.
    contacts_custom_fields_check: { field: "custom_fields", message: CUSTOM_FIELDS_TOO_LARGE },
    contacts_external_id_check: {
      field: "external_id",
      message: "is required with match=external_id, because it names the contact",
    },
  },
  conflicts: { phone: PHONE_TAKEN, external_id: EXTERNAL_ID_TAKEN },
  merged: { field: "id", message: MERGED },
};

/** The field by which a contact is found. */
const Match = z._default(
  z.enum(["phone", "external_id"], "must be phone or external_id"),
  "phone",
);

/** See the specification, 4.2, 4.3, 4.20 and 4.21. */
export const contactWrites = [
  operation({
    id: "createContact",
    method: "POST",
    path: "/contacts",
    scope: "write",
    body: NewContact,
    idempotent: true,
    answers: () => ({ 201: one(Contact) }),
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
      match: Match,
      on_conflict: z._default(z.enum(["update", "keep"], "must be update or keep"), "update"),
    }),
    body: ContactToPut,
    changes: {
      table: "contacts",
      async find(db, { phone, external_id }, { match }) {
        return rows(
          match === "phone"
            ? await db.rpc("contact_id_by_phone", { phone })
            : await db.rpc("contact_id_by_external_id", { external_id }),
        );
      },
    },
    answers: () => ({ 200: one(Contact), 201: one(Contact) }),
    conditional: true,
    errors: ["conflict"],
  }, async ({ caller: { db }, query: { match, on_conflict }, body, ifMatch }) => {
    const answer = await writeOnCondition(ifMatch, async (condition) => {
      const write = { items: [body], on_conflict, atomic: true, ...condition, ...by(match) };
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
    query: z.extend(BatchParameters, {
      match: Match,
      on_conflict: z._default(
        z.enum(["update", "keep", "fail"], "must be update, keep or fail"),
        "fail",
      ),
    }),
    meanings: {
      ...MEANINGS,
      conflicts: { phone: inBatch(PHONE_TAKEN), external_id: inBatch(EXTERNAL_ID_TAKEN) },
    },
    async write({ caller: { db }, query: { match, on_conflict }, items, atomic, idempotency }) {
      const write = { items, on_conflict, atomic, idempotency, ...by(match) };
      const answer = await db.rpc("write_contacts", write);
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
    mergePatch: ContactPatch,
    changes: { table: "contacts" },
    answers: () => ({ 200: one(Contact) }),
    conditional: true,
    errors: ["not_found", "conflict"],
  }, async ({ caller, params: { id }, body, ifMatch }) => {
    const { db } = caller;
    const [data] = await writeIfMatch(ifMatch, (version) =>
      writeRows(
        () => db.from("contacts").update({ ...body, ...version }).eq("id", id).select(),
        constraintMeanings(db, body),
      ));
    if (!data) throw await missing(caller, CONTACT, id);
    return reply(200, { data: recordOfRow(Contact, data) });
  }),
];

/**
 * The argument `match` of write_contacts(). Without it, write_contacts() finds contacts by phone.
 */
function by(match: z.output<typeof Match>) {
  return match === "phone" ? {} : { match };
}

/** The meanings of the constraints that a change of one contact can break. */
function constraintMeanings(
  db: CompanyDb,
  { phone, external_id }: { phone?: string; external_id?: string | null },
) {
  return {
    ...(external_id && {
      contacts_one_per_external_id: conflict(
        async () => rows(await db.rpc("contact_id_by_external_id", { external_id })),
        EXTERNAL_ID_TAKEN,
      ),
    }),
    ...(phone !== undefined && {
      contacts_one_per_phone: conflict(
        async () => rows(await db.rpc("contact_id_by_phone", { phone })),
        PHONE_TAKEN,
      ),
    }),
    contacts_custom_fields_check: wrongField("custom_fields", CUSTOM_FIELDS_TOO_LARGE),
  };
}
