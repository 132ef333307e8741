// Tests that every list query returns the same rows as a filter over all rows in memory.
import assert from "node:assert/strict";
import * as fc from "fast-check";
import {
  addressOf,
  anyQuery,
  filtersOf,
  membersOf,
  type Query,
  schemaOf,
} from "../support/any_query.ts";
import { call } from "../support/calls.ts";
import { rowsOf } from "../support/company_rows.ts";
import { comparable, type FoundRow, inOrder, meets, orderOf } from "../support/found_rows.ts";
import { newOddCompany } from "../support/odd_company.ts";
import { withDatabase } from "../support/test_stack.ts";

// A second company has the same rows. The queries of `company` must not find the second company's
// rows.
const [company] = await Promise.all([newOddCompany(), newOddCompany()]);
await withDatabase(async (sql) => {
  for (const table of ["contacts", "deals"]) {
    await sql`
      update ${sql(table)} set archived_at = now()
      where id in (
        select id from ${sql(table)} where company_id = ${company.id} order by id limit 12)
    `;
  }
});
const rows = await rowsOf(company);

for (const [path, own] of Object.entries(rows)) {
  const filters = filtersOf(path).map(([name]) => name);

  Deno.test(`${path} returns the same rows as a filter over all rows in memory`, async () => {
    const property = (first?: string) =>
      fc.asyncProperty(anyQuery(path, own, first), (query) => assertFound(path, query));
    for (const filter of filters) await fc.assert(property(filter), { numRuns: 1 });
    await fc.assert(property(), { numRuns: 10 });
  });
}

async function assertFound(path: string, query: Query) {
  const address = addressOf(path.replace("{id}", company.conversation_id), query);
  const { status, body } = await call(company.keys.read, "GET", address);
  if (/^\/(stages|deals)$/.test(path) && !hasOwnPipeline(query)) return assert.equal(status, 422);
  assert.equal(status, 200, JSON.stringify(body));
  const { limit = "50", sort, include_total, fields, include = "", archived, ...filters } = query;
  const found = rows[path].filter((row) =>
    isShown(row, archived) &&
    Object.entries(filters).every(([name, text]) => meets(row, name, text))
  );
  const page = (await inOrder(found, orderOf(path, sort))).slice(0, Number(limit));
  const asked = [...fields?.split(",") ?? recordOf(path), ...include.split(",")];
  const members = membersOf(path).filter((name) => asked.includes(name));
  const expected = page.map((row) => answered(row, members, archived));
  assert.deepEqual(body.data, expected);
  assert.equal(
    JSON.stringify(body.data),
    JSON.stringify(expected),
    "the fields are in the same order",
  );

  const { next_cursor, ...pagination } = body.pagination;
  const has_more = found.length > page.length;
  const total = { total: found.length, total_relation: "eq" };
  assert.deepEqual(pagination, {
    ...{ limit: Number(limit), has_more },
    ...(include_total === "true" && total),
  });
  assert.equal(next_cursor !== null, has_more);
}

/** Whether a read with this value of `archived` returns the row. */
function isShown({ archived_at = null }: FoundRow, archived = "exclude"): boolean {
  return archived === "include" || (archived_at !== null) === (archived === "only");
}

/**
 * Whether the query is accepted: it has no pipeline filter, or its filter matches a pipeline of the
 * company.
 */
function hasOwnPipeline({ pipeline_id }: Query): boolean {
  return !pipeline_id ||
    rows["/pipelines"].some(({ id }) => meets({ pipeline_id: id }, "pipeline_id", pipeline_id));
}

/**
 * A row in the format of a response, with only these fields. A field may be a related record.
 */
function answered(row: FoundRow, members: string[], archived?: string): FoundRow {
  return Object.fromEntries(
    members.map((name) => [name, name in row ? row[name] : included(row, name, archived)]),
  );
}

function included(row: FoundRow, name: string, archived = "exclude"): unknown {
  if (name === "stages") {
    // All stages of an archived pipeline are archived. Other pipelines may also have archived
    // stages.
    const own = rows["/stages"].filter((stage) =>
      stage.pipeline_id === row.id && (archived !== "exclude" || isShown(stage))
    );
    return own.toSorted((one, other) =>
      one.position - other.position || (one.id < other.id ? -1 : 1)
    )
      .map((stage) => answered(stage, recordOf("/stages")));
  }
  if (name.endsWith("s")) return newest(row.id, `/${name}`, archived);
  const path = `/${name}s`;
  const found = rows[path].find(({ id }) => id === row[`${name}_id`]);
  return answered(found!, recordOf(path));
}

/** The ten newest records of a contact. */
function newest(contact_id: string, path: string, archived: string): FoundRow {
  const own = rows[path].filter((row) =>
    row.contact_id === contact_id && (archived !== "exclude" || isShown(row))
  );
  const sorted = own.toSorted((one, other) => {
    const later = comparable("time", other.created_at) - comparable("time", one.created_at);
    return later === 0n ? (one.id < other.id ? 1 : -1) : Number(later);
  });
  const data = sorted.slice(0, 10).map((row) => answered(row, recordOf(path)));
  return { data, has_more: own.length > 10 };
}

/** The fields of a record, without the fields that `include` adds. */
function recordOf(path: string): string[] {
  return schemaOf(path, "fields").items.enum;
}
