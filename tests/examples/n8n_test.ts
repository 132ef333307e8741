// The workflows for n8n, replayed against the stack.
import assert from "node:assert/strict";
import { call, send } from "../support/calls.ts";
import { anyPhone, type Company, newCompany } from "../support/company.ts";
import { writes } from "../support/replying.ts";
import { until } from "../support/started.ts";
import { takenFrom } from "../support/sending.ts";
import { stack, withDatabase } from "../support/test_stack.ts";
import { bendingProxy } from "./bending_proxy.ts";
import { N8nRunner } from "./n8n_runner.ts";
import { DataTables } from "./n8n_tables.ts";
import { readWorkflow } from "./n8n_workflow.ts";

const API = `${stack.url}/functions/v1`;

/** A runner of a workflow with the key of a company, and other settings than those of the file. */
async function runnerOf(
  name: string,
  { keys }: Company,
  { tables, ...settings }: { tables?: DataTables } & Record<string, unknown> = {},
) {
  const workflow = await readWorkflow(name);
  return new N8nRunner(workflow, { crm_api_url: API, ...settings }, keys.all, tables);
}

const COLUMNS = ["contact_id", "name", "phone", "email", "temperature", "archived_at"];

/** The contacts of a company by their phones, as the API lists them. */
async function listed({ keys }: Company): Promise<Map<string, string | null>> {
  const { body } = await call(keys.read, "GET", "/contacts?archived=include&limit=200");
  return new Map(
    body.data.map((each: { phone: string; name: string | null }) => [each.phone, each.name]),
  );
}

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

/** The person writes in the conversation of a company; the sandbox too opens its window. */
async function asks(company: Company, content: string, secondsAgo = 1): Promise<string> {
  const { body } = await call(company.keys.read, "GET", `/contacts/${company.contact_id}`);
  const inbound = {
    phone_number_id: company.phone_number_id,
    from: body.data.phone,
    text: content,
  };
  const url = stack.sandbox_url!.replace(/messages$/, "inbound");
  const headers = { "Content-Type": "application/json" };
  assert.equal((await send(url, "POST", headers, JSON.stringify(inbound))).status, 200);
  const id = await writes(company, { secondsAgo });
  await withDatabase((sql) => sql`update messages set content = ${content} where id = ${id}`);
  return id;
}

/** Runs a workflow until this holds: a change is late while a transaction of another test writes. */
async function untilSo(runner: N8nRunner, holds: () => void | Promise<void>) {
  await until(async () => {
    await runner.run();
    return await Promise.resolve().then(holds).then(() => true, () => false);
  });
}

Deno.test("n8n: a table of contacts is in step after each run", async () => {
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

Deno.test("n8n: the mirror walks pages, removes what is gone and survives an expired cursor", async () => {
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

  // After a restore, a contact may be gone of which no change tells.
  rows().push({ ...rows()[0], name: null, contact_id: "gone" });
  const [{ contact_id: deleted }, { contact_id: archived }] = rows()
    .filter(({ name }) => name?.startsWith("Person"));
  isExpired = true;
  await runner.run();
  isExpired = false;
  await withDatabase((sql) => sql`delete from contacts where id = ${deleted}`);
  assert.equal((await call(company.keys.write, "DELETE", `/contacts/${archived}`)).status, 204);
  await untilSo(runner, () => {
    assert.equal(rows().length, 230);
    assert.ok(!rows().some(({ contact_id }) => contact_id === "gone" || contact_id === deleted));
    assert.match(rows().find(({ contact_id }) => contact_id === archived)!.archived_at!, /^20/);
  });
  assert.notEqual(runner.staticData.copy, copy);
});

Deno.test("n8n: a contact is found in another spelling of its phone, or created", async () => {
  const company = await newCompany();
  const person = { phone: "+5511987650001", name: "Ana", email: "ana@example.com" };
  const runner = await runnerOf("find-or-create-a-contact", company, person);
  const { "The contact": [created] } = await runner.run();
  const again = { ...person, phone: "+551187650001", name: "Someone else" };
  const { "The contact": [found] } =
    await (await runnerOf("find-or-create-a-contact", company, again)).run();
  assert.deepEqual([created.json.was_created, found.json.was_created], [true, false]);
  assert.equal(found.json.contact_id, created.json.contact_id);
  assert.deepEqual([found.json.phone, (await listed(company)).get(person.phone)], [
    person.phone,
    person.name,
  ]);

  const refused = await runnerOf("find-or-create-a-contact", company, { ...person, email: "ana" });
  await assert.rejects(refused.run(), /does not describe.*email/);
});

Deno.test("n8n: a deal is opened once and moved, unless somebody has moved it", async () => {
  const company = await newCompany();
  const runner = await runnerOf("open-and-move-a-deal", company, { order: "A-1815" });
  const { "Move the deal": [moved] } = await runner.run();
  assert.equal(moved.json.data.stage_id, company.stage_ids[1]);
  const { "Somebody has moved it": [found], "Move the deal": none } = await runner.run();
  assert.deepEqual([found.json.data.id, none], [moved.json.data.id, undefined]);
  const { body } = await call(company.keys.read, "GET", "/deals?title=Order A-1815");
  assert.deepEqual(body.data.map(({ value }: { value: number }) => value), [1999.5]);
});

Deno.test("n8n: an order has one message, however often the send is repeated", async () => {
  const company = await newCompany();
  await using proxy = bendingProxy(stack.url, {
    // The answer of a send that reached the channel is lost, and the next one comes too soon.
    "POST /send-external-template": (answer, made) =>
      made > 1 ? answer : {
        ...answer,
        status: made === 0 ? 503 : 429,
        body: { success: false, error: "Try again", code: "too_many_requests" },
      },
  });
  const order = { order: "A-1815", phone: "+12025550147", name: "Ada" };
  const runner = await runnerOf("send-a-template-safely", company, {
    ...order,
    crm_api_url: `${proxy.url}/functions/v1`,
  });
  const { "The send": [sent], "Half a minute": waits } = await runner.run();
  assert.deepEqual([sent.json.state, waits.length], ["sent", 1]);
  const { "The send": [repeated] } = await runner.run();
  assert.equal(repeated.json.message_id, sent.json.message_id);
  assert.equal((await takenFrom(company)).length, 1);

  const other = await runnerOf("send-a-template-safely", company, { ...order, name: "Grace" });
  await assert.rejects(other.run(), /names another message, [0-9a-f-]{36}, which was sent before/);
  assert.equal((await takenFrom(company)).length, 1);

  // A phone of the sandbox's which the channel cannot reach: no repeat helps.
  const failing = await runnerOf("send-a-template-safely", company, {
    ...order,
    order: "A-1816",
    phone: "+15550131026",
  });
  await assert.rejects(failing.run(), /^Error: The template was not sent: /);
});

Deno.test("n8n: a send is repeated four times and no more", async () => {
  const company = await newCompany();
  await using proxy = bendingProxy(stack.url, {
    "POST /send-external-template": (answer) => ({
      ...answer,
      body: { ...answer.body, success: false, status: "pending" },
    }),
  });
  const runner = await runnerOf("send-a-template-safely", company, {
    crm_api_url: `${proxy.url}/functions/v1`,
  });
  await assert.rejects(runner.run(), /not sent: pending/);
  assert.equal(proxy.made("POST /send-external-template"), 5);
});

Deno.test("n8n: a question is answered once, and only while the window is open", async () => {
  const company = await newCompany();
  const busy = { code: "too_many_requests", error: "Busy" };
  await using proxy = bendingProxy(stack.url, {
    "POST /whatsapp/messages": (answer, made) =>
      made > 0 ? answer : { ...answer, status: 429, body: { ...busy, success: false } },
  });
  const runner = await runnerOf("answer-within-the-window", company, {
    crm_api_url: `${proxy.url}/functions/v1`,
  });
  await runner.run();
  const asked = await asks(company, "Are you OPEN today?");
  await asks(company, "Thank you");
  await until(() =>
    runner.run().then(
      () => false,
      ({ message }) => /^The next run replies again: Busy$/.test(message),
    )
  );
  const { Done: [{ json: { body: repeated } }] } = await runner.run();
  assert.equal(repeated.idempotent_hit, true);

  // The message comes again when something becomes of it.
  await withDatabase((sql) => sql`update messages set edited_at = now() where id = ${asked}`);
  await until(async () => {
    const { Done } = await runner.run();
    return Done?.[0].json.body.message_id === repeated.message_id;
  });
  const [taken, ...others] = await takenFrom(company);
  assert.deepEqual(others, []);
  assert.match(JSON.stringify(taken), /We are open from 8 to 18/);

  const other = await newCompany();
  const late = await runnerOf("answer-within-the-window", other);
  await late.run();
  await asks(other, "Open?", 25 * 60 * 60);
  await until(async () => {
    const { "Leave it to a person": left, Reply } = await late.run();
    assert.equal(Reply, undefined);
    return left?.length === 1;
  });
});

Deno.test("n8n: a workflow that openapi.json does not describe is refused", async () => {
  const company = await newCompany();
  const bent: [string, string, RegExp][] = [
    ["/gateway/contacts", "/gateway/contact", /no such operation/],
    ['"on_conflict"', '"onconflict"', /takes no parameter onconflict/],
    ['"keep"', '"overwrite"', /on_conflict .*allowed values/],
    ["email: $json.email", "mail: $json.email", /the body: .*additional properties/],
    ['"PUT"', '"PATCH"', /no such operation/],
    ['"sendBody": true', '"sendBody": false', /Find or create/],
    ['"fullResponse"', '"fullAnswer"', /Unrecognized key/],
    ['"typeVersion": 4.2', '"typeVersion": 3', /unknown kind: httpRequest 3/],
    ["n8n-nodes-base.stopAndError", "n8n-nodes-base.function", /unknown kind: function 1/],
  ];
  const text = JSON.stringify(await readWorkflow("find-or-create-a-contact"));
  for (const [right, wrong, message] of bent) {
    const compact = (part: string) => part.replace(": ", part.startsWith('"') ? ":" : ": ");
    assert.ok(text.includes(compact(right)), right);
    const workflow = JSON.parse(text.replaceAll(compact(right), compact(wrong)));
    await assert.rejects(
      async () => await new N8nRunner(workflow, { crm_api_url: API }, company.keys.all).run(),
      message,
      wrong,
    );
  }
});
