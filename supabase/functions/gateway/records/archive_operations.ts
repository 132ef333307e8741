import * as z from "zod";
import {
  acceptedNumbers,
  type AcceptedVersions,
  presentVersion,
} from "../../_shared/database/conditional_write.ts";
import { rows } from "../../_shared/database/rows.ts";
import { ApiError, preconditionFailed } from "../../_shared/errors.ts";
import { NOTHING, one } from "../../_shared/http/answers.ts";
import { IdParams } from "../../_shared/http/fields.ts";
import { REPLAYED } from "../../_shared/http/idempotency.ts";
import { type Operation, operation, reply } from "../../_shared/http/operation.ts";
import type { Caller } from "../../_shared/key/caller.ts";
import { recordSchema, type Resource } from "./resource.ts";

/** An operation that archives or restores the records of a resource. */
interface ArchiveDeclaration<Id extends string, Name extends string> {
  id: Id;
  path: string;
  // deno-lint-ignore no-explicit-any -- a resource of rows of any shape
  resource: Resource<any, any>;
  /** The function of the database that does it. */
  by: Name;
}

/**
 * An operation that archives a record. Archived again, it stays as it is, whatever the condition of the request: what
 * was asked for is done.
 */
export function archiveOperation<const Id extends string>(
  { id, path, resource, by }: ArchiveDeclaration<Id, "archive_contact" | "archive_deal">,
): Operation<Id> {
  return operation({
    id,
    method: "DELETE",
    path,
    scope: "write",
    params: IdParams,
    answers: { 204: NOTHING },
    conditional: true,
    errors: ["not_found"],
  }, async ({ caller, params, ifMatch }) => {
    const isThere = await archive(caller, by, params.id, ifMatch);
    if (!isThere) throw new ApiError("not_found", `${resource.name} not found`);
    return reply(204, null);
  });
}

async function archive(
  { db }: Caller,
  by: "archive_contact" | "archive_deal",
  id: string,
  ifMatch: AcceptedVersions,
): Promise<boolean> {
  // Left out when any will do: the generated types know no null.
  const accepted_versions = acceptedNumbers(ifMatch) ?? undefined;
  try {
    return rows(await db.rpc(by, { id, accepted_versions })) === true;
  } catch (error) {
    const present = presentVersion(error);
    throw present === null ? error : preconditionFailed(`"${present}"`);
  }
}

/** What the database answers to a restoring. */
type Restored =
  & { replayed: boolean }
  & (
    | { status: 404 }
    | { status: 409; existing_id: string }
    /** Without a row when that is gone since an earlier request with the same Idempotency-Key. */
    | { status: 200; data?: Record<string, unknown> }
  );

/** An operation that restores an archived record, and answers it. One that is not archived is answered as it is. */
export function restoreOperation<const Id extends string>(
  { id, path, resource, by, taken }:
    & ArchiveDeclaration<Id, "restore_contact" | "restore_deal">
    /** The sentence of a conflict, where there can be one. */
    & { taken?: string },
): Operation<Id> {
  const record = recordSchema(resource);
  const fields = Object.keys(record.shape);
  return operation({
    id,
    method: "POST",
    path,
    scope: "write",
    params: IdParams,
    answers: { 200: one(record) },
    conditional: true,
    idempotent: true,
    errors: ["not_found", ...(taken ? ["conflict"] as const : [])],
  }, async ({ caller: { db }, params, idempotency }) => {
    const answer = await db.rpc(by, { id: params.id, idempotency: idempotency ?? undefined });
    const restored = rows(answer) as unknown as Restored;
    if (restored.status === 409) {
      const { existing_id } = restored;
      throw new ApiError("conflict", taken!, { body: { existing_id } });
    }
    if (restored.status === 404 || !restored.data) {
      throw new ApiError("not_found", `${resource.name} not found`);
    }
    const { data, replayed } = restored;
    // jsonb keeps no order.
    const row = Object.fromEntries(fields.map((field) => [field, data[field]]));
    return reply(200, { data: row as z.output<typeof record> }, {
      headers: replayed ? REPLAYED : undefined,
    });
  });
}
