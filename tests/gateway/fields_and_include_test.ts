// Tests `fields`, which selects the returned fields, and `include`, which adds related records, on
// lists and single records. A request with either parameter needs only one round trip.
import assert from "node:assert/strict";
import { membersOf, schemaOf } from "../support/any_query.ts";
import { assertField, call } from "../support/calls.ts";
import { newCompany } from "../support/company.ts";
import { newOddCompany } from "../support/odd_company.ts";
import { rowsOf } from "../support/company_rows.ts";
import { ownGateway, watchedStack } from "../support/own_functions.ts";
import { until } from "../support/started.ts";
import { withDatabase } from "../support/test_stack.ts";

const company = await newOddCompany();
const rows = await rowsOf(company);
const { keys, conversation_id } = company;

/** The lists, each with the path of one record that is not archived. */
const READS = Object.entries(rows).map(([list, all]) => {
  const { id } = all.find(({ archived_at }) => !archived_at)!;
  const [, name] = /(\w+)$/.exec(list)!;
  return { list, path: list.replace("{id}", conversation_id), record: `/${name}/${id}` };
});

/** The URLs of the requests to the Data API. */
const asked: URL[] = [];
const database = watchedStack(({ url }) => {
  asked.push(new URL(url));
  return null;
});
Deno.test.afterAll(() => database[Symbol.asyncDispose]());
const request = await ownGateway(database.url);
// The gateway records a key's use at most once in five minutes, after the response. So only this
// first request causes an additional statement.
await request(keys.read, "GET", "/pipelines");
await until(() => database.seen.length >= 2);

/** Asserts that a response needed only one statement, and returns the records in the response. */
async function records(address: string): Promise<Record<string, unknown>[]> {
  database.seen.length = 0;
  const { status, body } = await request(keys.read, "GET", address);
  assert.equal(status, 200, `${address} ${JSON.stringify(body)}`);
  assert.equal(database.seen.length, 1, address);
  const found = [body.data].flat();
  assert.ok(found.length > 0, address);
  return found;
}

for (const { list, path, record } of READS) {
  const fields: string[] = schemaOf(list, "fields").items.enum;
  const includes: string[] = schemaOf(list, "include")?.items.enum ?? [];
  const id = list === "/sends" ? "message_id" : "id";

  Deno.test(`${list}: fields limits a record to the named fields, in the order of the whole record and in one round trip`, async () => {
    const [whole] = await records(record);
    assert.deepEqual(Object.keys(whole), fields);
    const asked = [...fields.map((field) => [field]), fields.toReversed(), [
      fields[2],
      id,
      id,
      fields[1],
    ]];
    for (const names of asked) {
      const expected = fields.filter((name) => names.includes(name));
      const [one] = await records(`${record}?fields=${names}`);
      assert.deepEqual(Object.entries(one), expected.map((name) => [name, whole[name]]));
    }
    for (const row of await records(`${path}?fields=${fields[2]},${id}&limit=200`)) {
      assert.deepEqual(Object.keys(row), [id, fields[2]]);
    }
  });

  Deno.test(`${list}: include adds whole, sorted records of the same company in one round trip`, async () => {
    for (const address of [`${path}?limit=200`, `${record}?`]) {
      for (const names of [...includes.map((name) => [name]), includes.toReversed()]) {
        if (names.length === 0) continue;
        const found = await records(`${address}&include=${names}`);
        for (const row of found) {
          assert.deepEqual(
            Object.keys(row),
            membersOf(list).filter((name) => !includes.includes(name) || names.includes(name)),
          );
        }
        for (const row of await records(`${address}&include=${names}&fields=company_id`)) {
          assert.deepEqual(Object.keys(row), [
            "company_id",
            ...includes.filter((name) => names.includes(name)),
          ]);
        }
        for (
          const [name, added] of found.flatMap((row) =>
            names.map((name) => [name, row[name]] as const)
          )
        ) {
          const { data = added } = added as { data?: unknown };
          for (const each of [data].flat() as Record<string, unknown>[]) {
            const ofList = `/${name.replace(/s?$/, "s")}`;
            assert.deepEqual(Object.keys(each), schemaOf(ofList, "fields").items.enum);
            assert.equal(each.company_id, company.id);
          }
        }
      }
    }
  });

  Deno.test(`${list}: a request for one record refuses list parameters and unknown names`, async () => {
    for (const query of ["limit=1", "sort=id", "id=x", "q=a", "include_total=true", "cursor=x"]) {
      assertField(await call(keys.read, "GET", `${record}?${query}`), query.split("=")[0]);
    }
    assertField(await call(keys.read, "GET", `${record}?fields=colour`), "fields");
    assertField(await call(keys.read, "GET", `${record}?include=colour`), "include");
  });
}

Deno.test("the query sorts a pipeline's stages explicitly and does not rely on the order of an index", async () => {
  await records("/pipelines?include=stages");
  assert.equal(asked.at(-1)!.searchParams.get("stages.order"), "position.asc,id.asc");
});

Deno.test("`include` adds a contact's ten newest deals and ten newest conversations, and shows whether there are more", async () => {
  const { id, contact_id, account_id, stage_ids: [stage_id], keys } = await newCompany();
  const [ten, eleven] = await withDatabase(async (sql) => {
    await sql`
      insert into conversations (company_id, contact_id, messaging_account_id, status, created_at)
      select ${id}, ${contact_id}, ${account_id}, 'closed', timestamptz '2030-01-01Z' - n * interval '1 day'
      from generate_series(1, 9) n
    `;
    await sql`
      insert into deals (company_id, contact_id, stage_id, title, created_at, archived_at)
      select ${id}, ${contact_id}, ${stage_id}, 'Deal ' || n, timestamptz '2030-01-01Z' - n * interval '1 day',
        case when n = 1 then now() end
      from generate_series(1, 11) n
    `;
    return await Promise.all(
      ["conversations", "deals"].map((table) =>
        sql`select id from ${
          sql(table)
        } where contact_id = ${contact_id} order by created_at desc, id desc`
      ),
    );
  });
  const idsOf = ({ data }: { data: { id: string }[] }) => data.map(({ id }) => id);
  for (const path of ["/contacts?", `/contacts/${contact_id}?`]) {
    for (const archived of ["exclude", "include"]) {
      const query = `${path}fields=id&include=deals,conversations&archived=${archived}`;
      const { body } = await call(keys.read, "GET", query);
      const [{ deals, conversations }] = [body.data].flat();
      const first = archived === "exclude" ? 1 : 0;
      assert.deepEqual(idsOf(deals), eleven.slice(first, first + 10).map(({ id }) => id));
      assert.deepEqual(idsOf(conversations), ten.map(({ id }) => id));
      assert.deepEqual([deals.has_more, conversations.has_more], [true, false]);
    }
  }
});
