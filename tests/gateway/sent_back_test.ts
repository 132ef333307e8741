// Tests that a caller can read a record, change a field, and send the whole record back.
import assert from "node:assert/strict";
import { assertField, call } from "../support/calls.ts";
import { newCompany } from "../support/company.ts";
import { mergesOf } from "../support/merging.ts";
import { ownGateway, watchedStack } from "../support/own_functions.ts";

const [company, foreign] = [await newCompany(), await newCompany()];
const { keys: { all, read, write } } = company;
const patch = { "Content-Type": "application/merge-patch+json" };

/**
 * For each record type: a change that PATCH accepts, and a field that PATCH cannot change, with a
 * new value.
 */
const RECORDS: [path: string, change: Record<string, unknown>, field: string, other: unknown][] = [
  [
    `/contacts/${company.contact_id}`,
    { name: "New" },
    "marketing_opt_out_at",
    "2026-01-01T00:00:00Z",
  ],
  [`/deals/${company.deal_id}`, { title: "New" }, "contact_id", foreign.contact_id],
  [`/conversations/${company.conversation_id}`, { status: "pending" }, "phone_number_id", "1"],
  [`/pipelines/${company.pipeline_id}`, { name: "New" }, "archived_at", "2026-01-01T00:00:00Z"],
  [`/stages/${company.stage_ids[0]}`, { name: "New" }, "created_at", null],
];

async function readRecord(path: string) {
  const { status, body } = await call(read, "GET", path);
  assert.equal(status, 200, path);
  return body.data;
}

for (const [path, change, field, other] of RECORDS) {
  const name = path.replace(/[0-9a-f-]{36}/, "{id}");

  Deno.test(`PATCH ${name} accepts a whole record from a response, even with a key that can only write`, async () => {
    for (const headers of [patch, undefined]) {
      const record = await readRecord(path);
      // Many programs send a time in another format than the API.
      const created_at = new Date(record.created_at).toISOString();
      const json = { ...record, ...change, created_at };
      const { status, body } = await call(write, "PATCH", path, { json, headers });
      assert.equal(status, 200, JSON.stringify(body));
      const { updated_at: _, version: __, ...kept } = body.data;
      const { updated_at: ___, version: ____, ...expected } = { ...record, ...change };
      assert.deepEqual(kept, expected);
      assert.notEqual(body.data.version, record.version);
    }
  });

  Deno.test(`PATCH ${name} refuses changed read-only fields, names them, and writes nothing`, async () => {
    const record = await readRecord(path);
    const json = { ...record, ...change, name: undefined, [field]: other, version: "1" };
    const answer = await call(write, "PATCH", path, { json, headers: patch });
    assert.deepEqual(
      answer.body.details?.map((each: { field: string }) => each.field).sort(),
      [field, "version"].sort(),
    );
    assertField(answer, field, /^is read-only, and the record has another value; leave it out$/);
    assert.deepEqual(await readRecord(path), record);
  });

  Deno.test(`PATCH ${name} with read-only fields reveals nothing about another company's record`, async () => {
    const json = { ...await readRecord(path), ...change };
    const answer = await call(foreign.keys.all, "PATCH", path, { json, headers: patch });
    assert.deepEqual([answer.status, answer.body.code], [404, "not_found"]);
  });
}

Deno.test("if a record has changed since the caller read it, sending the old record back changes nothing, because the version differs", async () => {
  const path = `/deals/${company.deal_id}`;
  const record = await readRecord(path);
  await call(all, "PATCH", path, { json: { title: "Meanwhile" } });
  const answer = await call(all, "PATCH", path, { json: { ...record, title: "Mine" } });
  assertField(answer, "version", /^is read-only/);
  assertField(answer, "updated_at", /^is read-only/);
  assert.equal((await readRecord(path)).title, "Meanwhile");
});

Deno.test("PUT /contacts accepts a whole contact from a response, and refuses read-only fields for a new contact", async () => {
  const record = await readRecord(`/contacts/${company.contact_id}`);
  const put = (json: object) => call(all, "PUT", "/contacts", { json });
  const { status, body } = await put({ ...record, job_title: "Buyer" });
  assert.deepEqual([status, body.data.id, body.data.job_title], [200, record.id, "Buyer"]);
  const changed = await put({ ...body.data, created_at: "2026-01-01T00:00:00Z" });
  assertField(changed, "created_at", /^is read-only, and/);
  assert.equal(changed.body.details.length, 1);
  assertField(await put({ ...body.data, phone: "+4930123456" }), "id", "is read-only");
});

Deno.test("an error about a whole record names only the invalid fields", async () => {
  const path = `/contacts/${company.contact_id}`;
  const record = await readRecord(path);
  const fieldsFor = async (change: object, method = "PATCH", to = path) => {
    const { body } = await call(all, method, to, { json: { ...record, ...change } });
    return body.details;
  };
  const typo = [{
    field: "nmae",
    message: "is not a field that is accepted here; did you mean name?",
  }];
  assert.deepEqual(await fieldsFor({ nmae: "x" }), typo);
  assert.deepEqual(await fieldsFor({ nmae: "x" }, "PUT", "/contacts"), typo);
  const email = [{ field: "email", message: "must be an email address" }];
  assert.deepEqual(await fieldsFor({ email: "bad" }), email);
});

Deno.test("a contact that was read with a merged contact's id can be sent back in an update of the survivor", async () => {
  const { merged, ask } = mergesOf(company);
  const { survivor, other } = await merged();
  const record = await readRecord(`/contacts/${other.id}`);
  assert.equal(record.merged_into, survivor.id);
  const path = `/contacts/${survivor.id}`;
  const wrong = { ...record, merged_into: other.id };
  for (const [method, to] of [["PATCH", path], ["PUT", "/contacts"]]) {
    assertField(await ask(method, to, wrong), "merged_into", /^is read-only, and the record has/);
  }
  const changed = await ask("PATCH", path, { ...record, name: "Ada" });
  assert.deepEqual([changed.status, changed.body.data?.name], [200, "Ada"]);
  const put = { ...changed.body.data, merged_into: survivor.id, name: "Eva" };
  const { status, body } = await ask("PUT", "/contacts", put);
  assert.deepEqual([status, body.data?.name], [200, "Eva"]);
  const toMerged = await ask("PATCH", `/contacts/${other.id}`, { ...record, name: "Eva" });
  assert.deepEqual([toMerged.status, toMerged.body.existing_id], [409, survivor.id]);
  const deal = { title: "New", merged_into: company.deal_id };
  assertField(await ask("PATCH", `/deals/${company.deal_id}`, deal), "merged_into");
});

Deno.test("before an update, the gateway reads the record only if the request has read-only fields", async () => {
  await using database = watchedStack(() => null);
  const request = await ownGateway(database.url);
  const path = `/deals/${company.deal_id}`;
  await request(all, "PATCH", path, { title: "First" });
  const statementsOf = async (json: object) => {
    database.seen.length = 0;
    const { status, body } = await request(all, "PATCH", path, json);
    assert.equal(status, 200, JSON.stringify(body));
    return database.seen.length;
  };
  const record = await readRecord(path);
  assert.deepEqual([await statementsOf(record), await statementsOf({ title: "Last" })], [2, 1]);
});
