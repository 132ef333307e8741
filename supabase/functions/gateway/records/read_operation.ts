import type { PostgrestSingleResponse } from "@supabase/supabase-js";
import * as z from "zod/mini";
import { rows } from "../../_shared/database/rows.ts";
import { viewWith } from "../../_shared/database/table.ts";
import { ApiError } from "../../_shared/errors.ts";
import { one } from "../../_shared/http/answers.ts";
import { Id, IdParams } from "../../_shared/http/fields.ts";
import { lazily } from "../../_shared/lazily.ts";
import { type Operation, operation, reply } from "../../_shared/http/operation.ts";
import type { Caller } from "../../_shared/key/caller.ts";
import { type Archived, archivedParameter, archivedRecordConditions } from "./archived.ts";
import { survivorOf } from "./merged.ts";
import { columnsOf, type Condition, type Filterable, meeting } from "./conditions.ts";
import {
  type Projection,
  projectionParameters,
  select,
  withIncludedInOrder,
} from "./projection.ts";
import { recordById, type Resource } from "./resource.ts";

type Row = Record<string, unknown>;

/** The supabase-js query methods that are needed to read one record. */
interface Query extends PromiseLike<PostgrestSingleResponse<Row[]>>, Filterable<Query> {
  eq(column: string, value: string): Query;
  order(column: string, options: { ascending: boolean; referencedTable?: string }): Query;
  limit(count: number, options: { referencedTable: string }): Query;
}

/**
 * Creates an operation that returns one record of the key's company by id. For another company's
 * record, the operation returns the same 404 as for a record that does not exist.
 */
export function readOperation<const Name extends string>(
  { id, path, resource, by = "id" }: {
    id: Name;
    path: string;
    // deno-lint-ignore no-explicit-any -- a resource of rows of any shape
    resource: Resource<any, any>;
    /** The field that contains the record's id. The path parameter has the same name. */
    by?: string;
  },
): Operation<Name> {
  return operation({
    id,
    method: "GET",
    path,
    scope: "read",
    params: by === "id" ? IdParams : z.object({ [by]: Id }),
    query: lazily(() =>
      z.strictObject({ ...projectionParameters(resource), ...archivedParameter(resource) })
    ),
    answers: () => ({ 200: one(recordById(resource)) }),
    conditional: true,
    errors: ["not_found"],
  }, async ({ caller, params, query }) => {
    const given = (params as Record<string, string>)[by];
    const asked = query as Projection & { archived?: Archived };
    const conditions = archivedRecordConditions(resource, asked.archived);
    const recordOf = async (id: string) =>
      (await readRecords(caller, resource, asked, by, id, conditions))[0];
    const record = await recordOf(given);
    if (record) return reply(200, { data: record });
    const merged_into = await survivorOf(caller, resource, given);
    const survivor = merged_into === null ? undefined : await recordOf(merged_into);
    if (!survivor) throw new ApiError("not_found", `${resource.name} not found`);
    return reply(200, { data: { ...survivor, merged_into } });
  });
}

/**
 * Returns the records whose field has this value, in the form that callers receive. Reads only
 * records of the key's company.
 */
export async function readRecords(
  caller: Caller,
  resource: Resource,
  projection: Projection & { archived?: Archived },
  field: string,
  value: string,
  conditions: Condition[] = [],
): Promise<Row[]> {
  const { table } = resource;
  const selection = select(resource, projection);
  const view = viewWith(table, [field, ...columnsOf(conditions)]);
  const all = caller.reader.from(view).select(selection.columns) as unknown as Query;
  const asked = withIncludedInOrder(meeting(all, conditions), resource, projection);
  return rows(await asked.eq(field, value)).map(selection.answer);
}
