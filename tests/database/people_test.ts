// Signed-in users can work only with the rows of their own company.

import assert from "node:assert/strict";
import {
  actAs,
  actAsPerson,
  actAsSuperuser,
  refusal,
  rolledBack,
  type Sql,
  type Work,
} from "../support/acting_as.ts";
import { addChannelFacts } from "../support/channel_facts.ts";
import { anyPhone, newCompany, newMember } from "../support/company.ts";
import { addKeyUsage } from "../support/key_usage.ts";
import { tables } from "../support/snapshot.ts";
import { withDatabase } from "../support/test_stack.ts";
import { addWebhook } from "../support/webhooks.ts";
import { addSend } from "./sends.ts";
import { addCatalogue } from "./templates.ts";

const test = (name: string, work: Work) => Deno.test(name, () => rolledBack(work));

const own = await newCompany();
const other = await newCompany();
const [agent, admin] = await withDatabase((sql) =>
  sql.begin(async (sql) => {
    for (const company of [own, other]) {
      await addSend(sql, company);
      await addCatalogue(sql, company);
      await addChannelFacts(sql, company);
      await addKeyUsage(sql, company);
      await addWebhook(sql, company);
    }
    return [await newMember(sql, own.id, "agent"), await newMember(sql, own.id, "admin")];
  })
);

const NO_PRIVILEGE = "42501";

/** The tables that no user can read. */
const UNREAD = [
  ...["account_channel_apps", "deleted_rows", "idempotency_keys", "job_calls", "job_runs"],
  ...["media_uploads"],
  ...["template_hints", "template_media", "template_rereads", "test_sends", "user_id_changes"],
  ...["waiting_facts", "webhooks"],
];

/** The tables that only owners and admins can read. */
const MANAGED = [
  ...["api_key_errors", "api_key_usage", "api_keys", "company_events", "company_invitations"],
];

/** For each table with visible rows, the companies that own these rows. */
async function companiesSeen(sql: Sql): Promise<Record<string, string[]>> {
  const seen: Record<string, string[]> = {};
  for (const table of await tables()) {
    const column = table === "companies" ? "id" : "company_id";
    if (UNREAD.includes(table)) {
      const reading = (sql: Sql) => sql`select ${sql(column)} from ${sql(table)}`;
      assert.equal(await refusal(sql, reading), NO_PRIVILEGE, table);
      continue;
    }
    const rows = await sql`select distinct ${sql(column)} as id from ${sql(table)} order by 1`;
    if (rows.length > 0) seen[table] = rows.map(({ id }) => id);
  }
  return seen;
}

test("users see only the rows of their own company, and only owners and admins see its API keys", async (sql) => {
  for (const person of [agent, admin, own.member_id]) {
    await actAsPerson(sql, person);
    const expected = (await tables()).filter((table) =>
      !UNREAD.includes(table) && (!MANAGED.includes(table) || person !== agent)
    );
    const entries = expected.map((table) => [table, [own.id]]);
    assert.deepEqual(await companiesSeen(sql), Object.fromEntries(entries));
  }
});

test("no table shows users which key sent a message or changed a deal", async (sql) => {
  const keys = [
    ["messages", "author_id"],
    ["messages", "author_name"],
    ["deal_history", "api_key_id"],
    ["sends", "api_key_id"],
  ];
  for (const person of [agent, admin]) {
    await actAsPerson(sql, person);
    for (const [table, column] of keys) {
      const reading = (sql: Sql) => sql`select ${sql(column)} from ${sql(table)}`;
      assert.equal(await refusal(sql, reading), NO_PRIVILEGE, `${table}.${column}`);
    }
  }
});

test("users without a company, former members, and tokens without a user see nothing", async (sql) => {
  const [stranger] = await sql`insert into auth.users (id) values (gen_random_uuid()) returning id`;
  await sql`delete from company_members where user_id = ${agent}`;
  for (const person of [stranger.id, agent]) {
    await actAsPerson(sql, person);
    assert.deepEqual(await companiesSeen(sql), {});
    await actAsSuperuser(sql);
  }
  await actAs(sql, "authenticated");
  assert.deepEqual(await companiesSeen(sql), {});
});

/** The tables whose rows only owners and admins can delete. */
const KEPT = ["pipelines", "stages"];
/** The tables whose rows no one can delete, because users archive these rows instead. */
const ARCHIVED = ["contacts", "deals"];

test("an agent can add and change contacts, deals, pipelines, stages and teams, and can delete teams", async (sql) => {
  await actAsPerson(sql, agent);
  const add = async (table: string, row: Record<string, unknown>) => {
    const [{ id }] = await sql`
      insert into ${sql(table)} ${sql({ company_id: own.id, ...row })} returning id
    `;
    return id as string;
  };
  const contact_id = await add("contacts", { phone: anyPhone() });
  const pipeline_id = await add("pipelines", { name: "Renewals", position: 1 });
  const stage_id = await add("stages", { pipeline_id, name: "Due" });
  const deal = await add("deals", { title: "Deal", contact_id, stage_id, value: 1.5 });
  const team = await add("teams", { name: "Night shift" });
  const made: [string, string, Record<string, unknown>][] = [
    ["deals", deal, { title: "Bigger deal", status: "won", contact_id: own.contact_id }],
    ["stages", stage_id, { name: "Overdue", position: 1 }],
    ["pipelines", pipeline_id, { name: "Renewals and upgrades" }],
    ["contacts", contact_id, { name: "Ada", do_not_contact: true }],
    ["teams", team, { name: "Day shift" }],
  ];
  for (const [table, id, changes] of made) {
    const changed = await sql`update ${sql(table)} set ${sql(changes)} where id = ${id}`;
    assert.equal(changed.count, 1, table);
    const deleting = (sql: Sql) => sql`delete from ${sql(table)} where id = ${id}`;
    if (ARCHIVED.includes(table)) {
      assert.equal(await refusal(sql, deleting), NO_PRIVILEGE, table);
    } else {
      assert.equal((await deleting(sql)).count, KEPT.includes(table) ? 0 : 1, table);
    }
  }
});

Deno.test("only owners and admins can delete pipelines and stages", async () => {
  for (const [person, count] of [[agent, 0], [admin, 1], [own.member_id, 1]] as const) {
    await rolledBack(async (sql) => {
      const { id: company_id, pipeline_id } = own;
      const added = async (table: string, row: Record<string, unknown>): Promise<string> =>
        (await sql`insert into ${sql(table)} ${sql({ company_id, ...row })} returning id`)[0].id;
      const rows = [
        ["stages", await added("stages", { pipeline_id, name: "Due" })],
        ["pipelines", await added("pipelines", { name: "Renewals" })],
      ];
      assert.deepEqual(rows.map(([table]) => table).sort(), KEPT);
      await actAsPerson(sql, person);
      for (const [table, id] of rows) {
        const deleted = await sql`delete from ${sql(table)} where id = ${id}`;
        assert.equal(deleted.count, count, table);
      }
    });
  }
});

test("an agent can assign and close conversations, but cannot open or delete them", async (sql) => {
  await actAsPerson(sql, agent);
  const changed = await sql`
    update conversations set status = 'closed', assigned_to = ${agent}, team_id = ${own.team_id}
    where id = ${own.conversation_id}
  `;
  assert.equal(changed.count, 1);
  const { id: company_id, contact_id, account_id: messaging_account_id } = own;
  const conversation = { company_id, contact_id, messaging_account_id };
  const forbidden = [
    (sql: Sql) => sql`insert into conversations ${sql(conversation)}`,
    (sql: Sql) => sql`update conversations set last_message_at = now()`,
    (sql: Sql) => sql`update conversations set window_expires_at = now()`,
    (sql: Sql) => sql`delete from conversations`,
  ];
  for (const work of forbidden) assert.equal(await refusal(sql, work), NO_PRIVILEGE);
});

/**
 * For each table that users can write to: a row of the other company, a change to that row, and a
 * row to add.
 */
const OTHERS: [
  table: string,
  id: string,
  changes: Record<string, unknown>,
  row: Record<string, unknown>,
][] = [
  ["contacts", other.contact_id, { name: "x" }, { phone: anyPhone() }],
  ["deals", other.deal_id, { title: "x" }, {
    title: "Deal",
    contact_id: other.contact_id,
    stage_id: other.stage_ids[0],
  }],
  ["pipelines", other.pipeline_id, { name: "x" }, { name: "x" }],
  ["stages", other.stage_ids[0], { name: "x" }, { pipeline_id: other.pipeline_id, name: "x" }],
  ["teams", other.team_id, { name: "x" }, { name: "x" }],
];

test("no user can write another company's rows or move a row into another company", async (sql) => {
  for (const person of [agent, admin, own.member_id]) {
    await actAsPerson(sql, person);
    for (const [table, id, changes, row] of OTHERS) {
      const added = { company_id: other.id, ...row };
      const adding = (sql: Sql) => sql`insert into ${sql(table)} ${sql(added)}`;
      assert.equal(await refusal(sql, adding), NO_PRIVILEGE);
      const moving = (sql: Sql) => sql`update ${sql(table)} set company_id = ${other.id}`;
      assert.equal(await refusal(sql, moving), NO_PRIVILEGE);
      const changed = await sql`update ${sql(table)} set ${sql(changes)} where id = ${id}`;
      assert.equal(changed.count, 0);
      if (ARCHIVED.includes(table)) {
        const archived = await sql`update ${sql(table)} set archived_at = now() where id = ${id}`;
        assert.equal(archived.count, 0);
      } else {
        const deleted = await sql`delete from ${sql(table)} where id = ${id}`;
        assert.equal(deleted.count, 0);
      }
    }
    const closed = await sql`
      update conversations set status = 'closed' where id = ${other.conversation_id}
    `;
    assert.equal(closed.count, 0);
  }
});

test("owners and admins can change their company and rename its members, but no user can change memberships or roles", async (sql) => {
  for (const [person, count] of [[agent, 0], [admin, 1], [own.member_id, 1]] as const) {
    await actAsPerson(sql, person);
    assert.equal((await sql`update companies set name = 'Renamed'`).count, count);
    const allowed = await sql`update companies set members_found_by_email = true`;
    assert.equal(allowed.count, count);
    const named = await sql`update company_members set name = 'Renamed' returning company_id`;
    assert.deepEqual(
      [...new Set(named.map(({ company_id }) => company_id))],
      count ? [own.id] : [],
    );
    const member = { company_id: own.id, user_id: other.member_id, role: "agent" };
    const forbidden = [
      (sql: Sql) => sql`update company_members set role = 'owner'`,
      (sql: Sql) => sql`insert into company_members ${sql(member)}`,
      (sql: Sql) => sql`delete from company_members`,
      (sql: Sql) => sql`insert into companies (name) values ('Another')`,
      (sql: Sql) => sql`delete from companies`,
    ];
    for (const work of forbidden) assert.equal(await refusal(sql, work), NO_PRIVILEGE);
  }
});
