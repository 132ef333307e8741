// Tests requests that use the id of a merged contact.
import assert from "node:assert/strict";
import { type Answer, call, untilServed } from "../support/calls.ts";
import { changesOnce } from "../support/changes.ts";
import { addSentMessage, anyPhone, newCompany } from "../support/company.ts";
import { mergesOf } from "../support/merging.ts";
import { statement, withDatabase } from "../support/test_stack.ts";

const [company, foreign] = [await newCompany(), await newCompany()];
const { stage_ids: [stage_id] } = company;
const { ask, find, merge, merged, newContact } = mergesOf(company);

function assertMerged({ status, body }: Answer, existing_id: string) {
  assert.deepEqual([status, body.code, body.existing_id], [409, "conflict", existing_id]);
  assert.match(body.error, /merged into another contact/);
}

Deno.test("reading by the merged contact's id returns the survivor, even after more merges and with the `fields` parameter", async () => {
  const { survivor, other } = await merged();
  const last = await newContact({ name: "Last" });
  const shown = await ask("GET", `/contacts/${other.id}`);
  assert.deepEqual([shown.status, shown.body.data], [200, {
    ...survivor,
    merged_into: survivor.id,
  }]);
  assert.equal("merged_into" in (await ask("GET", `/contacts/${survivor.id}`)).body.data, false);
  await merge(last.id, survivor.id);
  for (const { id } of [survivor, other]) {
    const { body } = await ask("GET", `/contacts/${id}?fields=name`);
    assert.deepEqual(body.data, { name: "Last", merged_into: last.id });
    const exported = await ask("GET", `/contacts/${id}/export`);
    assert.equal(exported.body.data.contact.id, last.id);
  }
  assert.equal((await call(foreign.keys.all, "GET", `/contacts/${other.id}`)).status, 404);
  await ask("DELETE", `/contacts/${last.id}`);
  const byOwnId = await ask("GET", `/contacts/${other.id}`);
  assert.equal(byOwnId.status, 404, "a 404, because the survivor is archived");
  assert.equal((await ask("GET", `/contacts/${other.id}?archived=include`)).status, 200);
});

Deno.test("a write to a merged contact's id changes nothing and returns a conflict that names the survivor", async () => {
  const { survivor, other } = await merged();
  const third = await newContact();
  const path = `/contacts/${other.id}`;
  const patch = { "Content-Type": "application/merge-patch+json" };
  const deal = { title: "New", contact_id: other.id, stage_id };
  const answers = await Promise.all([
    () => ask("PATCH", path, { phone: other.phone, name: "X" }),
    () => ask("PATCH", path, { name: "X" }, patch),
    () => ask("DELETE", path),
    () => ask("POST", `${path}/restore`),
    () => ask("POST", `${path}/erase`, { confirm: other.id }),
    () => merge(other.id, third.id),
    () => merge(third.id, other.id),
    () => ask("POST", "/deals", deal),
    () => ask("PATCH", "/contacts/batch?atomic=true", { items: [{ id: other.id, name: "X" }] }),
    () => ask("POST", "/deals/batch?atomic=true", { items: [deal] }),
  ].map(untilServed));
  for (const answer of answers) assertMerged(answer, survivor.id);
  const toBoth = { items: [{ id: survivor.id, name: "Y" }, { id: other.id, name: "X" }] };
  assertMerged(await ask("PATCH", "/contacts/batch?atomic=true", toBoth), survivor.id);
  const items = [{ id: other.id, name: "X" }, { id: third.id, name: "Y" }];
  const batch = (await ask("PATCH", "/contacts/batch", { items })).body.data;
  assert.deepEqual(batch.map(({ status }: { status: number }) => status), [409, 200]);
  assert.equal(batch[0].error.existing_id, survivor.id);
  const deals = await ask("POST", "/deals/batch", { items: [deal] });
  assert.equal(deals.body.data[0].error.existing_id, survivor.id);
  assert.deepEqual((await ask("GET", `/contacts/${survivor.id}`)).body.data, survivor);
  // For another company, the id is unknown.
  const json = { phone: other.phone };
  assert.equal((await call(foreign.keys.all, "PATCH", path, { json })).status, 404);
});

Deno.test("if a contact was merged after the POST that created it, a repeat of the POST returns the survivor", async () => {
  const json = { phone: anyPhone() };
  const headers = { "Idempotency-Key": `c-${json.phone}` };
  const { id } = (await ask("POST", "/contacts", json, headers)).body.data;
  const survivor = await newContact();
  await merge(survivor.id, id);
  const { status, body } = await ask("POST", "/contacts", json, headers);
  assert.deepEqual([status, body.data.id], [201, survivor.id]);
});

Deno.test("the changes feed contains the survivor, and reports the merged contact as deleted with the survivor's id", async () => {
  const start = (await ask("GET", "/contacts/changes?start=now")).body.pagination.next_cursor;
  const { survivor, other } = await merged();
  const { body: { data } } = await changesOnce(
    company.keys.all,
    `/contacts/changes?cursor=${start}`,
    (rows) => [survivor, other].every(({ id }) => rows.some((row) => row.id === id)),
  );
  const of = (id: string) => data.find((row: { id: string }) => row.id === id);
  assert.deepEqual(of(survivor.id), survivor);
  const { deleted_at, ...gone } = of(other.id);
  assert.ok(Math.abs(Date.parse(deleted_at) - Date.now()) < 60_000);
  assert.deepEqual(gone, { id: other.id, company_id: company.id, merged_into: survivor.id });
});

Deno.test("erasing the survivor also erases the data of the merged contact", async () => {
  const key = anyPhone();
  const other = (await ask("POST", "/contacts", { phone: anyPhone(), do_not_contact: true }, {
    "Idempotency-Key": key,
  })).body.data;
  const survivor = await newContact();
  const row = { company_id: company.id, contact_id: other.id };
  await withDatabase(async (sql) => {
    const [{ id: conversation_id }] = await sql`
      insert into conversations ${sql({ ...row, messaging_account_id: company.account_id })}
      returning id
    `;
    await addSentMessage(sql, { id: company.id, conversation_id }, {});
  });
  await merge(survivor.id, other.id);
  await ask("POST", `/contacts/${survivor.id}/erase`, { confirm: survivor.id });
  assert.deepEqual(await find(other.phone, "&archived=include"), []);
  assert.equal((await ask("GET", `/contacts/${other.id}`)).body.data.id, survivor.id);
  const left = await statement`
    select key from idempotency_keys where company_id = ${company.id} and key = ${key}
  `;
  assert.deepEqual([...left], []);
  const again = await newContact({ phone: other.phone });
  assert.deepEqual([again.do_not_contact, again.id === survivor.id], [true, false]);
});
