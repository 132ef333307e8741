// Tests that each change to a record creates one event of the most specific type. A write that
// changes nothing creates no event.

import assert from "node:assert/strict";
import { rolledBack, type Sql, type Work } from "../support/acting_as.ts";
import { anyPhone, newCompany } from "../support/company.ts";
import { eventsIn, typesOf } from "../support/events.ts";

const test = (name: string, work: Work) => Deno.test(name, () => rolledBack(work));

const company = await newCompany();
const { id: company_id, contact_id, deal_id, conversation_id, stage_ids, team_id } = company;

/** The events that result from writing these values to the row. */
const changing = (sql: Sql, table: string, id: string, row: Record<string, unknown>) =>
  eventsIn(sql, company, () => sql`update ${sql(table)} set ${sql(row)} where id = ${id}`);

const NOW = new Date();

test("each change to a contact creates one event of the most specific type, with all changed fields", async (sql) => {
  const cases: [Record<string, unknown>, string][] = [
    [{ name: "Bo", temperature: "hot" }, "contact.updated"],
    [{ do_not_contact: true, name: "Cy" }, "contact.opted_out"],
    [{ do_not_contact: false }, "contact.opted_in"],
    [{ marketing_opt_out: true }, "contact.opted_out"],
    [{ marketing_opt_out: false }, "contact.opted_in"],
    [{ archived_at: NOW }, "contact.archived"],
    [{ archived_at: null }, "contact.restored"],
  ];
  for (const [row, type] of cases) {
    const [event, ...others] = await changing(sql, "contacts", contact_id, row);
    assert.deepEqual([event.type, event.record_id, others], [type, contact_id, []]);
    for (const name of Object.keys(row)) assert.ok(event.changed!.includes(name), type);
    const { temperature } = row;
    assert.deepEqual(
      event.changes,
      temperature ? { temperature: { from: "warm", to: "hot" } } : null,
    );
  }
});

test("each change to a deal creates one event of the most specific type", async (sql) => {
  const [first, second] = stage_ids;
  const cases: [Record<string, unknown>, string, Record<string, unknown> | null][] = [
    [{ title: "Bigger", value: 5 }, "deal.updated", null],
    [{ stage_id: second, title: "Big" }, "deal.stage_changed", {
      stage_id: { from: first, to: second },
    }],
    [{ status: "won", stage_id: first }, "deal.won", {
      status: { from: "open", to: "won" },
      stage_id: { from: second, to: first },
    }],
    [{ status: "lost" }, "deal.lost", { status: { from: "won", to: "lost" } }],
    [{ status: "open" }, "deal.reopened", { status: { from: "lost", to: "open" } }],
    [{ archived_at: NOW }, "deal.archived", null],
    [{ archived_at: null }, "deal.restored", null],
  ];
  for (const [row, type, changes] of cases) {
    const events = await changing(sql, "deals", deal_id, row);
    assert.deepEqual(typesOf(events), [[type, deal_id]], type);
    assert.deepEqual(events[0].changes, changes, type);
  }
});

test("if a deal moves to another pipeline, the event names both pipelines", async (sql) => {
  const [pipeline] = await sql`
    insert into pipelines (company_id, name) values (${company_id}, 'Renewals') returning id
  `;
  const [stage] = await sql`
    insert into stages (company_id, pipeline_id, name) values (${company_id}, ${pipeline.id}, 'Due') returning id
  `;
  const [event] = await changing(sql, "deals", deal_id, { stage_id: stage.id });
  assert.deepEqual(event.changes, {
    stage_id: { from: stage_ids[0], to: stage.id },
    pipeline_id: { from: company.pipeline_id, to: pipeline.id },
  });
});

test("each change to a conversation's status, assigned user or team creates one event, but a message creates no conversation event", async (sql) => {
  const cases: [Record<string, unknown>, string, string[]][] = [
    [{ team_id }, "conversation.assigned", ["team_id"]],
    [{ assigned_to: company.member_id, status: "pending" }, "conversation.assigned", [
      "status",
      "assigned_to",
    ]],
    [{ status: "open" }, "conversation.updated", ["status"]],
    [{ status: "closed", team_id: null }, "conversation.closed", ["status", "team_id"]],
    [{ status: "open" }, "conversation.opened", ["status"]],
  ];
  for (const [row, type, changed] of cases) {
    const events = await changing(sql, "conversations", conversation_id, row);
    assert.deepEqual(typesOf(events), [[type, conversation_id]], type);
    assert.deepEqual(events[0].changed, changed);
    assert.deepEqual(Object.keys(events[0].changes!).sort(), changed.toSorted());
  }
  const events = await eventsIn(sql, company, async () => {
    await sql`
      insert into messages (company_id, conversation_id, direction, content)
      values (${company_id}, ${conversation_id}, 'inbound', 'Hello')
    `;
  });
  assert.deepEqual(events.map(({ type }) => type), ["message.received"]);
});

test("each record that is created, changed or deleted creates one event, even if one statement writes many records", async (sql) => {
  const rows = Array.from({ length: 500 }, () => ({ company_id, phone: anyPhone() }));
  let ids: string[] = [];
  const added = await eventsIn(sql, company, async () => {
    const made = await sql`insert into contacts ${sql(rows)} returning id`;
    ids = made.map(({ id }) => id);
  });
  const each = (type: string) => new Set(ids.map((id) => `${type} ${id}`));
  const told = (events: { type: string; record_id: string }[]) =>
    new Set(events.map(({ type, record_id }) => `${type} ${record_id}`));
  assert.equal(added.length, 500);
  assert.deepEqual(told(added), each("contact.created"));
  const changed = await eventsIn(
    sql,
    company,
    () => sql`update contacts set name = 'Many' where id in ${sql(ids)}`,
  );
  assert.equal(changed.length, 500);
  assert.deepEqual(told(changed), each("contact.updated"));
  const deleted = await eventsIn(
    sql,
    company,
    () => sql`delete from contacts where id in ${sql(ids)}`,
  );
  assert.deepEqual(told(deleted), each("contact.deleted"));
});

test("an upsert creates an event for each row that it adds or changes", async (sql) => {
  const known = anyPhone();
  await sql`insert into contacts (company_id, phone, name) values (${company_id}, ${known}, 'A')`;
  const events = await eventsIn(sql, company, () =>
    sql`
    insert into contacts (company_id, phone, name)
    values (${company_id}, ${known}, 'B'), (${company_id}, ${anyPhone()}, 'C')
    on conflict on constraint contacts_one_per_phone do update set name = excluded.name
  `);
  assert.deepEqual(events.map(({ type }) => type).sort(), ["contact.created", "contact.updated"]);
});

test("a write that changes only internal fields creates no event", async (sql) => {
  const events = await eventsIn(sql, company, async () => {
    await sql`update contacts set name = name, profile_name_at = null where id = ${contact_id}`;
    await sql`update deals set title = title where id = ${deal_id}`;
    await sql`update conversations set last_message_at = now() where id = ${conversation_id}`;
    await sql`update contacts set name = 'Nobody' where false`;
  });
  assert.deepEqual(events, []);
});

test("two statements in a transaction create two events, and a write that is rolled back creates none", async (sql) => {
  const events = await eventsIn(sql, company, async () => {
    await sql`update contacts set name = 'One' where id = ${contact_id}`;
    await sql`update contacts set name = 'Two' where id = ${contact_id}`;
    await sql.savepoint(async (sql) => {
      await sql`update contacts set name = 'Three' where id = ${contact_id}`;
      throw new Error("undone");
    }).catch(() => {});
  });
  assert.deepEqual(typesOf(events), [
    ["contact.updated", contact_id],
    ["contact.updated", contact_id],
  ]);
});

test("deleting a company leaves no events for its records", async (sql) => {
  const events = await eventsIn(
    sql,
    company,
    () => sql`delete from companies where id = ${company_id}`,
  );
  assert.deepEqual(events, []);
});
