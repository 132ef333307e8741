import {
  type AcceptedVersions,
  writeOnCondition,
} from "../../_shared/database/conditional_write.ts";
import { rows } from "../../_shared/database/rows.ts";
import { NOTHING, one } from "../../_shared/http/answers.ts";
import { IdParams } from "../../_shared/http/fields.ts";
import { type Operation, operation, reply } from "../../_shared/http/operation.ts";
import type { Caller } from "../../_shared/key/caller.ts";
import { missing } from "./merged.ts";
import { recordSchema, type Resource } from "./resource.ts";
import { headersOf, onlyResult, outcomeOf } from "./written.ts";

/** An operation that archives or restores a resource's records. */
interface ArchiveDeclaration<Id extends string, Name extends string> {
  id: Id;
  path: string;
  // deno-lint-ignore no-explicit-any -- a resource of rows of any shape
  resource: Resource<any, any>;
  /** The database function that archives or restores the record. */
  by: Name;
}

/**
 * Creates an operation that archives a record. Archiving a record again changes nothing and
 * succeeds, even if `If-Match` contains a different version.
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
    answers: () => ({ 204: NOTHING }),
    conditional: true,
    errors: ["not_found", ...(resource.survivor ? ["conflict"] as const : [])],
  }, async ({ caller, params, ifMatch }) => {
    const isThere = await archive(caller, by, params.id, ifMatch);
    if (!isThere) throw await missing(caller, resource, params.id);
    return reply(204, null);
  });
}

async function archive(
  { db }: Caller,
  by: "archive_contact" | "archive_deal",
  id: string,
  ifMatch: AcceptedVersions,
): Promise<boolean> {
  return await writeOnCondition(
    ifMatch,
    async ({ accepted_versions }) => rows(await db.rpc(by, { id, accepted_versions })) === true,
  );
}

/**
 * Creates an operation that restores an archived record and returns the record. A record that is
 * not archived is returned unchanged.
 */
export function restoreOperation<const Id extends string>(
  { id, path, resource, by, conflicts }:
    & ArchiveDeclaration<Id, "restore_contact" | "restore_deal">
    /** For each field, the error message if another record now has the field's value. */
    & { conflicts: Record<string, string> },
): Operation<Id> {
  const { name } = resource;
  return operation({
    id,
    method: "POST",
    path,
    scope: "write",
    params: IdParams,
    answers: () => ({ 200: one(recordSchema(resource)) }),
    conditional: true,
    idempotent: true,
    errors: ["not_found", "conflict"],
  }, async ({ caller, params, idempotency }) => {
    const answer = await caller.db.rpc(by, {
      id: params.id,
      idempotency: idempotency ?? undefined,
    });
    const outcome = outcomeOf<Record<string, unknown>>(rows(answer), recordSchema(resource));
    const isGone = outcome.results[0].status === 404;
    if (isGone && !outcome.replayed) throw await missing(caller, resource, params.id);
    const { data } = onlyResult(outcome, { name, constraints: {}, conflicts });
    return reply(200, { data }, { headers: headersOf(outcome) });
  });
}
