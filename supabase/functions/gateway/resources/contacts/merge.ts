import * as z from "zod/mini";
import { writeOnCondition } from "../../../_shared/database/conditional_write.ts";
import { rows } from "../../../_shared/database/rows.ts";
import { one } from "../../../_shared/http/answers.ts";
import { Id, IdParams } from "../../../_shared/http/fields.ts";
import { operation, reply } from "../../../_shared/http/operation.ts";
import { logEvent } from "../../../_shared/log.ts";
import { MERGED } from "../../records/merged.ts";
import { headersOf, type Meanings, onlyResult, outcomeOf } from "../../records/written.ts";
import { Contact } from "./row.ts";

const Merging = z.strictObject({ from: Id }).register(z.globalRegistry, { id: "Merging" });

/** The error messages for the cases in which the database does not merge two contacts. */
const MEANINGS: Meanings = {
  name: "Contact",
  constraints: {
    merge_from_another: {
      field: "from",
      message: "must not be the contact in the path",
    },
    merge_custom_fields_fit: {
      field: "from",
      message: "has custom_fields that do not fit into the contact in the path; remove some first",
    },
    merge_from_known: { field: "from", message: "is not a contact of your company" },
    merge_from_not_archived: {
      field: "from",
      message: "is an archived contact; restore it first",
    },
    merge_from_not_erased: {
      field: "from",
      message: "is a contact whose person was erased; nothing is left to merge",
    },
  },
  merged: { field: "id", message: MERGED },
  conflicts: {
    from:
      "The contact in from was merged into another contact; name that contact instead: its id is in existing_id",
  },
};

/**
 * Merges two contacts into one. Merging the same contacts again returns the same response
 * (specification, 4.27).
 */
export const merging = operation({
  id: "mergeContact",
  method: "POST",
  path: "/contacts/:id/merge",
  scope: "write",
  params: IdParams,
  body: Merging,
  answers: () => ({ 200: one(Contact) }),
  conditional: true,
  takesIfMatch: true,
  idempotent: true,
  errors: ["not_found", "conflict"],
}, async ({ caller: { db }, params: { id }, body, ifMatch, idempotency, origin }) => {
  const answer = await writeOnCondition(ifMatch, async (condition) => {
    const merge = { id, from_id: body.from, ...condition, idempotency: idempotency ?? undefined };
    return rows(await db.rpc("merge_contact", merge));
  });
  const outcome = outcomeOf<Contact>(answer, Contact);
  const { data } = onlyResult(outcome, MEANINGS);
  if (!outcome.replayed) {
    logEvent(origin, "contact_merged", { contact_id: data.id, from: body.from });
  }
  return reply(200, { data }, { headers: headersOf(outcome) });
});
