import assert from "node:assert/strict";
import {
  addMessage,
  addSentMessage,
  addTemplate,
  anyPhone,
  newCompany,
  newCompanyWithTemplate,
  newMember,
} from "../support/company.ts";
import { assertField, call } from "../support/calls.ts";
import { changesOnce } from "../support/changes.ts";
import { bodyAt, changesRoutes, idRoutes, pageRoutes, pathWith } from "../support/routes.ts";
import { snapshot } from "../support/snapshot.ts";
import { withDatabase } from "../support/test_stack.ts";

const [ours, theirs] = [await newCompanyWithTemplate(), await newCompanyWithTemplate()];
// Each list has a second row, so that there is a second page.
await withDatabase(async (sql) => {
  await sql`insert into contacts (company_id, phone) values (${theirs.id}, ${anyPhone()})`;
  await sql`
    insert into deals (company_id, title, contact_id, stage_id)
    values (${theirs.id}, 'Second', ${theirs.contact_id}, ${theirs.stage_ids[0]})
  `;
  await sql`insert into pipelines (company_id, name) values (${theirs.id}, 'Second')`;
  await sql`update deals set status = 'won' where id = ${theirs.deal_id}`;
  await sql`insert into teams (company_id, name) values (${theirs.id}, 'Second')`;
  await addTemplate(sql, theirs.id, { name: "second" });
  await addMessage(sql, theirs);
  await addSentMessage(sql, theirs, { idempotency_key: "second" });
  await sql.begin((sql) => newMember(sql, theirs.id, "agent"));
  await sql`
    insert into conversations (company_id, contact_id, messaging_account_id, status)
    values (${theirs.id}, ${theirs.contact_id}, ${theirs.account_id}, 'closed')
  `;
});

/** The company of a row. A history entry belongs to the company of its deal. */
function companyOf(row: Record<string, string>, ofDeal: string): string {
  return "at" in row ? ofDeal : row.company_id;
}

/**
 * The rows of the other company, except its keys, because each request changes the time of a key's
 * last use.
 */
async function theirRows(): Promise<unknown> {
  const { api_keys: _, ...rows } = await snapshot(theirs.id);
  return rows;
}

for (const route of pageRoutes) {
  Deno.test(`${route.method} ${route.pattern} lists only the rows of the key's company`, async () => {
    for (const [one, other] of [[ours, theirs], [theirs, ours]]) {
      const path = `${route.path(one)}?limit=200`;
      if (changesRoutes.includes(route)) {
        await changesOnce(one.keys.all, path, ({ length }) => length > 0);
      }
      const { body } = await call(one.keys.all, "GET", path);
      assert.ok(body.data.length > 0);
      for (const row of body.data) assert.equal(companyOf(row, one.id), one.id);
      assert.ok(!JSON.stringify(body).includes(other.id));
    }
  });

  Deno.test(`${route.method} ${route.pattern} with another company's cursor returns only rows of the key's company`, async () => {
    const { body: { pagination: { next_cursor } } } = await call(
      theirs.keys.all,
      "GET",
      `${route.path(theirs)}?limit=1`,
    );
    assert.ok(next_cursor);
    const { status, body } = await call(
      ours.keys.all,
      "GET",
      `${route.path(ours)}?cursor=${next_cursor}`,
    );
    // A cursor of one record's list, such as a deal's history, is refused for another record.
    const isWithinRecord = route.pattern.includes("/:id/");
    assert.equal(status, isWithinRecord ? 422 : 200);
    for (const row of body.data ?? []) assert.equal(companyOf(row, ours.id), ours.id);
  });
}

Deno.test("a pipeline of another company is refused in the same way as an unknown pipeline", async () => {
  for (const list of ["/stages", "/deals"]) {
    const at = (id: string) =>
      call(ours.keys.all, "GET", `${list}?pipeline_id=${id}`, {
        headers: { "X-Request-Id": "same" },
      });
    const [foreign, missing] = [await at(theirs.pipeline_id), await at(crypto.randomUUID())];
    assert.deepEqual([foreign.status, foreign.body], [missing.status, missing.body]);
    assertField(foreign, "pipeline_id", "is not a pipeline of your company");
    const both = await at(`${theirs.pipeline_id},${ours.pipeline_id}`);
    for (const { company_id } of both.body.data) assert.equal(company_id, ours.id);
  }
});

Deno.test("a contact includes only deals and conversations from its own company", async () => {
  for (const [one, other] of [[ours, theirs], [theirs, ours]]) {
    for (const path of ["/contacts", `/contacts/${one.contact_id}`]) {
      const address = `${path}?include=deals,conversations&archived=include`;
      const { body } = await call(one.keys.all, "GET", address);
      const included = [body.data].flat().flatMap((row) => [row.deals, row.conversations])
        .flatMap(({ data }) => data);
      assert.ok(included.length > 1);
      for (const row of included) assert.equal(row.company_id, one.id);
      assert.ok(!JSON.stringify(body).includes(other.id));
    }
  }
});

for (const route of idRoutes) {
  Deno.test(`${route.method} ${route.pattern} returns the same response for another company's row as for an unknown row`, async () => {
    const before = await theirRows();
    const at = async (path: string) => {
      const { status, body } = await call(ours.keys.all, route.method, path, {
        json: bodyAt(route, ours, path),
        headers: { "X-Request-Id": "same" },
      });
      return { status, body };
    };
    const foreign = await at(route.path(theirs));
    assert.deepEqual(foreign, await at(pathWith(route, crypto.randomUUID())));
    assert.deepEqual([foreign.status, foreign.body.code], [404, "not_found"]);
    assert.deepEqual(await theirRows(), before);
  });
}

const references: [string, string, string, (company: typeof ours) => Record<string, unknown>][] = [
  ["POST", "/deals", "contact_id", ({ contact_id }) => ({ contact_id })],
  ["POST", "/deals", "stage_id", ({ stage_ids }) => ({ stage_id: stage_ids[0] })],
  ["PATCH", `/deals/${ours.deal_id}`, "stage_id", ({ stage_ids }) => ({ stage_id: stage_ids[0] })],
  ["POST", "/stages", "pipeline_id", ({ pipeline_id }) => ({ pipeline_id })],
  ["PATCH", `/stages/${ours.stage_ids[0]}`, "pipeline_id", ({ pipeline_id }) => ({ pipeline_id })],
  ["PATCH", `/conversations/${ours.conversation_id}`, "assigned_to", ({ member_id }) => ({
    assigned_to: member_id,
  })],
  ["PATCH", `/conversations/${ours.conversation_id}`, "team_id", ({ team_id }) => ({ team_id })],
];
const bases: Record<string, Record<string, unknown>> = {
  "POST /deals": { title: "Deal", contact_id: ours.contact_id, stage_id: ours.stage_ids[0] },
  "POST /stages": { name: "Due" },
};
for (const [method, path, field, reference] of references) {
  Deno.test(`${method} ${path.replace(/\/[0-9a-f-]{36}/, "/:id")} refuses another company's ${field} in the same way as an unknown one`, async () => {
    const base = bases[`${method} ${path}`] ?? {};
    const send = async (value: Record<string, unknown>) => {
      const json = { ...base, ...value };
      const { status, body } = await call(ours.keys.all, method, path, {
        json,
        headers: { "X-Request-Id": "same" },
      });
      return { status, body };
    };
    const foreign = await send(reference(theirs));
    assert.deepEqual([foreign.status, foreign.body.details[0].field], [422, field]);
    assert.deepEqual(foreign, await send({ [field]: crypto.randomUUID() }));
    assert.ok((await send(reference(ours))).status < 300);
  });
}

Deno.test("two companies may have the same person as a contact", async () => {
  const [one, other] = [await newCompany(), await newCompany()];
  const json = { phone: "+5511987654321" };
  const first = await call(one.keys.all, "POST", "/contacts", { json });
  const second = await call(other.keys.all, "POST", "/contacts", { json });
  assert.deepEqual([first.status, second.status], [201, 201]);
  const again = await call(other.keys.all, "POST", "/contacts", { json });
  assert.equal(again.body.existing_id, second.body.data.id);
});
