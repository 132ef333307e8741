import * as z from "zod/mini";
import { rows } from "../../../_shared/database/rows.ts";
import { invalidRequest } from "../../../_shared/errors.ts";
import { one } from "../../../_shared/http/answers.ts";
import { Id, IdParams } from "../../../_shared/http/fields.ts";
import { REPLAYED } from "../../../_shared/http/idempotency.ts";
import { operation, reply } from "../../../_shared/http/operation.ts";
import { logEvent } from "../../../_shared/log.ts";
import { missing } from "../../records/merged.ts";
import { inFormOf } from "../../records/written.ts";
import { Contact } from "./row.ts";
import { CONTACT } from "./read.ts";

/** The database's response to an erasure. */
interface Erased {
  replayed: boolean;
  /** The number of erased rows of each kind. Null if the person was already erased. */
  erased: Record<string, number> | null;
  /** Null if the company does not have the contact. */
  data: Record<string, unknown> | null;
}

const Confirmation = z.clone(Id, {
  ...Id.def,
  error: ({ input }) =>
    input === null
      ? undefined
      : `${input === undefined ? "is required; it " : ""}must be the id of the contact in the path`,
});

const Erasing = z.strictObject({ confirm: Confirmation }).register(z.globalRegistry, {
  id: "Erasing",
});

/** Erases a person permanently. Erasing the same person again returns the same response. */
export const erasing = operation({
  id: "eraseContact",
  method: "POST",
  path: "/contacts/:id/erase",
  scope: "write",
  params: IdParams,
  body: Erasing,
  answers: () => ({ 200: one(Contact) }),
  conditional: true,
  idempotent: true,
  errors: ["not_found", "conflict"],
}, async ({ caller, params: { id }, body, idempotency, origin }) => {
  if (body.confirm.toLowerCase() !== id.toLowerCase()) {
    const message = "must be the id of the contact in the path; nothing was erased";
    throw invalidRequest([{ field: "confirm", message }]);
  }
  const answer = rows(
    await caller.db.rpc("erase_contact", { id, idempotency: idempotency ?? undefined }),
  ) as unknown as Erased; // the jsonb value from `erase_contact()`
  const row = answer.data;
  if (!row) throw await missing(caller, CONTACT, id);
  if (answer.erased) logEvent(origin, "contact_erased", { contact_id: id, ...answer.erased });
  const data = inFormOf(Contact, row);
  return reply(200, { data: data as z.output<typeof Contact> }, {
    headers: answer.replayed ? REPLAYED : undefined,
  });
});
