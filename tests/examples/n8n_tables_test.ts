// Tests the n8n workflows that keep a table up to date. The workflows are replayed against the
// stack.
import assert from "node:assert/strict";
import { call } from "../support/calls.ts";
import { anyPhone, type Company, newCompany } from "../support/company.ts";
import { until } from "../support/started.ts";
import { stack, statement, withDatabase } from "../support/test_stack.ts";
import { bendingProxy } from "./bending_proxy.ts";
import { listed, runnerOf } from "./n8n_replays.ts";
import type { N8nRunner } from "./n8n_runner.ts";
import { DataTables } from "./n8n_tables.ts";

const COLUMNS = ["contact_id", "name", "phone", "email", "temperature", "archived_at"];

async function changedContact(company: Company, id: string, changes: Record<string, unknown>) {
  const { status } = await call(company.keys.write, "PATCH", `/contacts/${id}`, {
    json: changes,
    headers: { "Content-Type": "application/merge-patch+json" },
  });
  assert.equal(status, 200);
}

async function addedContacts({ id }: Company, names: string[]) {
  const rows = names.map((name) => ({ company_id: id, phone: anyPhone(), name }));
  await withDatabase((sql) => sql`insert into contacts ${sql(rows)}`);
}

/**
 * Runs a workflow until this check passes. Transactions of other tests delay the changes that the
 * workflow reads.
 */
async function untilSo(runner: N8nRunner, holds: () => void | Promise<void>) {
  await until(async () => {
    await runner.run();
    return await Promise.resolve().then(holds).then(() => true, () => false);
  });
}

Deno.test("n8n: a table of contacts is up to date after each run", async () => {
  const company = await newCompany();
  await addedContacts(company, ["Ada", "Зоя", "=1+1"]);
  const tables = new DataTables({ crm_contacts_copy: COLUMNS });
  const runner = await runnerOf("sync-contacts", company, { tables });
  const rows = () => new Map(tables.rows("crm_contacts_copy").map((row) => [row.phone, row.name]));
  await untilSo(runner, async () => assert.deepEqual(rows(), await listed(company)));

  const [first, second] = tables.rows("crm_contacts_copy");
  await changedContact(company, first.contact_id!, { name: "Ada Lovelace" });
  const { status } = await call(
    company.keys.write,
    "POST",
    `/contacts/${first.contact_id}/merge`,
    { json: { from: second.contact_id } },
  );
  assert.equal(status, 200);
  await addedContacts(company, ["Grace"]);
  await untilSo(runner, async () => assert.deepEqual(rows(), await listed(company)));
  assert.equal(tables.rows("crm_contacts_copy").length, 4);

  await using proxy = bendingProxy(stack.url, {
    "GET /gateway/contacts/changes": (answer) => ({
      ...answer,
      status: 503,
      body: { error: "The database is busy", code: "database_unavailable" },
    }),
  });
  const { cursor } = runner.staticData;
  const failing = await runnerOf("sync-contacts", company, {
    tables,
    crm_api_url: `${proxy.url}/functions/v1`,
  });
  failing.staticData = runner.staticData;
  await assert.rejects(failing.run(), /The next run tries again: 503 The database is busy/);
  assert.equal(runner.staticData.cursor, cursor);
});

Deno.test("n8n: the mirror reads all pages, removes deleted contacts and survives an expired cursor", async () => {
  const company = await newCompany();
  await addedContacts(company, Array.from({ length: 230 }, (_, at) => `Person ${at}`));
  const tables = new DataTables({
    crm_contacts_mirror: [...COLUMNS, "tags", "updated_at", "version", "copy"],
  });
  let isExpired = false;
  await using proxy = bendingProxy(stack.url, {
    "GET /gateway/contacts/changes": (answer) =>
      isExpired ? { ...answer, status: 410, body: { error: "…", code: "cursor_expired" } } : answer,
  });
  const runner = await runnerOf("mirror", company, {
    tables,
    crm_api_url: `${proxy.url}/functions/v1`,
  });
  const rows = () => tables.rows("crm_contacts_mirror");
  await untilSo(runner, () => assert.equal(rows().length, 231));
  const { copy } = runner.staticData;

  // After a backup is restored, a contact may be missing although no change reports its deletion.
  rows().push({ ...rows()[0], name: null, contact_id: "gone" });
  const [{ contact_id: deleted }, { contact_id: archived }] = rows()
    .filter(({ name }) => name?.startsWith("Person"));
  isExpired = true;
  await runner.run();
  isExpired = false;
  await statement`delete from contacts where id = ${deleted}`;
  assert.equal((await call(company.keys.write, "DELETE", `/contacts/${archived}`)).status, 204);
  await untilSo(runner, () => {
    assert.equal(rows().length, 230);
    assert.ok(!rows().some(({ contact_id }) => contact_id === "gone" || contact_id === deleted));
    assert.match(rows().find(({ contact_id }) => contact_id === archived)!.archived_at!, /^20/);
  });
  assert.notEqual(runner.staticData.copy, copy);
});

for (
  const [workflow, table] of [["sync-contacts", "crm_contacts_copy"], [
    "mirror",
    "crm_contacts_mirror",
  ]]
) {
  Deno.test(`n8n: ${workflow} has no row of a contact that is deleted while the run reads the pages`, async () => {
    const company = await newCompany();
    const { body } = await call(company.keys.read, "GET", "/contacts");
    const [contact] = body.data;
    const changes = [contact, { id: contact.id, deleted_at: "2026-11-22T09:30:00.123456+00:00" }];
    const kept = { ...contact, id: crypto.randomUUID() };
    await using proxy = bendingProxy(stack.url, {
      "GET /gateway/contacts/changes": (answer, made) => {
        const pagination = { ...answer.body.pagination, has_more: made < 1 };
        return { ...answer, body: { data: [changes[made], kept], pagination } };
      },
    });
    const columns = [...COLUMNS, "tags", "updated_at", "version", "copy"];
    const tables = new DataTables({ [table]: columns });
    const crm_api_url = `${proxy.url}/functions/v1`;
    await (await runnerOf(workflow, company, { tables, crm_api_url })).run();
    assert.deepEqual(tables.rows(table).map(({ contact_id }) => contact_id), [kept.id]);
  });
}
