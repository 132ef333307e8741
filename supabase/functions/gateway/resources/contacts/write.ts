import * as z from "zod/mini";
import { built, lazily } from "../../../_shared/lazily.ts";
import type { CompanyDb } from "../../../_shared/database/company_db.ts";
import { writeIfMatch, writeOnCondition } from "../../../_shared/database/conditional_write.ts";
import { conflict, writeRows, wrongField } from "../../../_shared/database/constraints.ts";
import { rows } from "../../../_shared/database/rows.ts";
import { invalidRequest } from "../../../_shared/errors.ts";
import { one } from "../../../_shared/http/answers.ts";
import { IdParams } from "../../../_shared/http/fields.ts";
import { operation, reply } from "../../../_shared/http/operation.ts";
import { CUSTOM_FIELDS_TOO_LARGE } from "../../custom_fields.ts";
import { batchOperation, BatchParameters } from "../../records/batch_operation.ts";
import { MERGED, missing } from "../../records/merged.ts";
import { headersOf, onlyResult, outcomeOf, recordOfRow } from "../../records/written.ts";
import {
  ContactChanges,
  ContactPatch,
  ContactPatchById,
  ContactToPut,
  NewContact,
  TOO_MANY_TAGS_AFTERWARDS,
} from "./input.ts";
import { CONTACT } from "./read.ts";
import { Contact } from "./row.ts";

// Writes contacts. Database functions determine which contact a phone number belongs to; see
// `public.write_contacts()`.

/** A contact in a batch response that would otherwise be too large. */
const LighterContact = lazily(() =>
  z.omit(built(Contact), { custom_fields: true }).register(z.globalRegistry, {
    id: "ContactWithoutCustomFields",
  })
);

const PHONE_TAKEN =
  "A contact with this phone, or another spelling of it, already exists; update that contact instead";

const EXTERNAL_ID_TAKEN =
  "A contact with this external_id already exists; update that contact instead";

/**
 * Returns the error message for a batch item that found an existing contact. The message says how a
 * batch can update existing contacts.
 */
const inBatch = (sentence: string) =>
  sentence.replace(
    "update that contact instead",
    "to update existing contacts too, send the batch with on_conflict=update, merge or keep",
  );

/** The error messages for the cases in which the database refuses a contact. */
const MEANINGS = {
  name: "Contact",
  constraints: {
    // A number with a large exponent is short in the request but long in the database.
    contacts_custom_fields_check: { field: "custom_fields", message: CUSTOM_FIELDS_TOO_LARGE },
    contacts_tags_check: { field: "tags", message: TOO_MANY_TAGS_AFTERWARDS },
    contacts_external_id_check: {
      field: "external_id",
      message: "is required with match=external_id, because it names the contact",
    },
  },
  conflicts: { phone: PHONE_TAKEN, external_id: EXTERNAL_ID_TAKEN },
  merged: { field: "id", message: MERGED },
};

/** The field that is used to find a contact. */
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
      on_conflict: z._default(
        z.enum(["update", "merge", "keep"], "must be update, merge or keep"),
        "update",
      ),
    }),
    body: ContactToPut,
    changes: {
      table: "contacts",
      canBeMerged: true,
      async find(db, { phone, external_id }, { match }) {
        if (match === "external_id" && !external_id) {
          throw invalidRequest([MEANINGS.constraints.contacts_external_id_check]);
        }
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
        z.enum(["update", "merge", "keep", "fail"], "must be update, merge, keep or fail"),
        "fail",
      ),
    }),
    meanings: ({ match, on_conflict }) => ({
      ...MEANINGS,
      // The other field can belong to another contact than the one that the batch would update.
      conflicts: on_conflict === "fail"
        ? { ...MEANINGS.conflicts, [match]: inBatch(MEANINGS.conflicts[match]) }
        : MEANINGS.conflicts,
    }),
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
    meanings: () => ({
      ...MEANINGS,
      constraints: {
        ...MEANINGS.constraints,
        contacts_tags_check: { field: "add_tags", message: TOO_MANY_TAGS_AFTERWARDS },
      },
    }),
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
    changes: { table: "contacts", canBeMerged: true },
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
 * The `match` argument of `write_contacts()`. Without this argument, `write_contacts()` finds
 * contacts by phone number.
 */
function by(match: z.output<typeof Match>) {
  return match === "phone" ? {} : { match };
}

/** The error messages for the constraints that a change to one contact can violate. */
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
    contacts_tags_check: wrongField("add_tags", TOO_MANY_TAGS_AFTERWARDS),
  };
}
