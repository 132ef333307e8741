// Tests what users see about sends: the outcome of each send, and the number of sends by day and
// outcome.

import assert from "node:assert/strict";
import { outcomeOf } from "../../client/src/sends.ts";
import type { Send } from "../../client/src/types.ts";
import { hashKey } from "../../supabase/functions/_shared/key/presented_key.ts";
import {
  actAs,
  actAsPerson,
  actAsSuperuser,
  refusal,
  rolledBack,
  type Sql,
} from "../support/acting_as.ts";
import {
  addSentMessage,
  type MessageColumns,
  newCompany,
  newMembers,
  type SendColumns,
} from "../support/company.ts";

const own = await newCompany();
const other = await newCompany();
const [agent, admin] = await newMembers(own, "agent", "admin");

const NOW = new Date().toISOString();
const ENDED = new Date(Date.now() - 1000);
const UNREACHABLE = { reason: "recipient_unreachable", code: 131049, message: null, details: null };
const REPORTED = { failed_at: NOW, failure: UNREACHABLE };

/** Every way in which a send can end, and the outcome that users see. */
const ENDS: [columns: SendColumns, message: MessageColumns, counted: string][] = [
  [{ state: "pending" }, {}, "pending"],
  [{ state: "pending", lease_ends_at: ENDED }, {}, "failed outcome_unknown"],
  [{}, {}, "accepted"],
  [{}, { sent_at: NOW }, "accepted"],
  [{}, { delivered_at: NOW }, "delivered"],
  [{}, { delivered_at: NOW, read_at: NOW }, "read"],
  // The message failed on one device and arrived on another device.
  [{}, { delivered_at: NOW, ...REPORTED }, "delivered"],
  // The channel accepted the message, and reported the failure later.
  [{}, { sent_at: NOW, ...REPORTED }, "failed recipient_unreachable"],
  // The report arrived, but the channel's response never arrived.
  [
    { state: "failed", reason: "recipient_unreachable", whatsapp_message_id: "wamid.7" },
    REPORTED,
    "failed recipient_unreachable",
  ],
  [{ state: "failed", reason: "outcome_unknown" }, {}, "failed outcome_unknown"],
  [{}, { expired_at: NOW }, "expired"],
  [{ state: "failed", reason: "template_rejected" }, {}, "refused template_rejected"],
  [{ state: "released", reason: "channel_unavailable" }, {}, "released channel_unavailable"],
];

/** Adds a send that was created `age` before today's noon in UTC. */
async function addSendOf(
  sql: Sql,
  age: string,
  columns: SendColumns = {},
  message: MessageColumns = {},
  company = own,
) {
  const keyless = { idempotency_key: null, ...columns };
  const message_id = await addSentMessage(sql, company, keyless, message);
  await sql`
    update sends set created_at = date_trunc('day', now(), 'UTC') + '12:00'::interval - ${age}::interval
    where message_id = ${message_id}
  `;
}

/**
 * The counts as "days ago, outcome, reason: sends". Afterwards, the session has the superuser's
 * role again.
 */
async function counted(
  sql: Sql,
  { days, zone = "UTC" }: { days?: number; zone?: string } = {},
  person = own.member_id,
): Promise<string[]> {
  await actAsPerson(sql, person);
  const asked = days === undefined ? sql`` : sql`, days => ${days}`;
  const rows = await sql`
    select (now() at time zone ${zone})::date - day as ago, outcome, reason, sends::int
    from sends_by_outcome(${own.id}, zone => ${zone}${asked})
  `;
  await actAsSuperuser(sql);
  return rows.map(({ ago, outcome, reason, sends }) =>
    `${ago} ${[outcome, reason].filter(Boolean).join(" ")}: ${sends}`
  );
}

Deno.test("each send is counted by its final outcome, even if the channel first accepted the send", async () => {
  await rolledBack(async (sql) => {
    const expected: Record<string, number> = {};
    for (const [columns, message, key] of ENDS) {
      await addSendOf(sql, "0", columns, message);
      expected[key] = (expected[key] ?? 0) + 1;
    }
    await addSendOf(sql, "0", {}, {}, other);
    const each = Object.entries(expected).map(([key, sends]) => `0 ${key}: ${sends}`);
    assert.deepEqual(await counted(sql), each.sort());
  });
});

Deno.test("the client and the database report the same outcome for a send", async () => {
  const key_hash = await hashKey(own.keys.read);
  await rolledBack(async (sql) => {
    for (const [columns, message, counted] of ENDS) {
      const of = { idempotency_key: null, ...columns };
      const message_id = await addSentMessage(sql, own, of, message);
      await actAs(sql, "api_reader", { key_hash, scope: "read" });
      const [send] = await sql`select * from own_sends where message_id = ${message_id}`;
      await actAsSuperuser(sql);
      const [outcome, reason = null] = counted.split(" ");
      assert.equal(outcomeOf(send as Send), outcome, JSON.stringify(send));
      if (reason) assert.equal(send.failure.reason, reason);
    }
  });
});

Deno.test("the operator sees how many sends of the last day did not arrive, by reason", async () => {
  await rolledBack(async (sql) => {
    // No other test has sends with this reason.
    const reason = crypto.randomUUID();
    const failure = { ...UNREACHABLE, reason };
    const ends: [SendColumns, MessageColumns][] = [
      [{}, { ...REPORTED, failure }],
      [{}, { ...REPORTED, failure }],
      [{}, { ...REPORTED, failure, delivered_at: NOW }],
      [{ state: "failed", reason }, {}],
      [{ state: "released", reason }, {}],
    ];
    const yesterday = { created_at: new Date(Date.now() - 25 * 3600_000) };
    for (const [columns, message] of ends) {
      for (const when of [{}, yesterday]) {
        const of = { idempotency_key: null, ...columns };
        await addSentMessage(sql, own, of, { ...message, ...when });
      }
    }
    const [{ health }] = await sql`select channel_health() as health`;
    const found = health.failures.filter((each: { reason: string }) => each.reason === reason);
    assert.deepEqual(found, [
      { outcome: "failed", reason, sends: 2 },
      { outcome: "refused", reason, sends: 1 },
      { outcome: "released", reason, sends: 1 },
    ]);
  });
});

Deno.test("the list of sends with an outcome has as many sends as the count for that outcome", async () => {
  await rolledBack(async (sql) => {
    for (const [columns, message] of ENDS) await addSendOf(sql, "0", columns, message);
    await actAsPerson(sql, agent);
    const numbers = await sql`select outcome, reason, sends::int from sends_by_outcome(${own.id})`;
    for (const { outcome, reason, sends } of numbers) {
      for (const until of [null, new Date(Date.now() + 86_400_000)]) {
        const [{ log }] = await sql`
          select list_company_sends(
            ${own.id}, outcome => ${outcome}, reason => ${reason}, until => ${until}
          ) as log
        `;
        assert.equal(log.sends.length, sends, `${outcome} ${reason}`);
        assert.ok(log.sends.every((send: { outcome: string }) => send.outcome === outcome));
      }
    }
  });
});

Deno.test("sends are counted by day in the requested time zone", async () => {
  await rolledBack(async (sql) => {
    // The session's time zone has no effect.
    await sql`set local time zone 'Pacific/Kiritimati'`;
    for (const age of ["0", "11:59", "12:01", "29 days", "30 days"]) await addSendOf(sql, age);
    const today = ["0 accepted: 2"];
    assert.deepEqual(await counted(sql), ["29 accepted: 1", "1 accepted: 1", ...today]);
    assert.deepEqual(await counted(sql, { days: 1 }), today);
    const all = ["30 accepted: 1", "29 accepted: 1", "1 accepted: 1", ...today];
    assert.deepEqual(await counted(sql, { days: 31 }, admin), all);
    // The send at 00:01 UTC belongs to the previous day in a time zone three hours to the west.
    const [{ ago }] = await sql`
      select (now() at time zone 'America/Sao_Paulo')::date - (now() at time zone 'UTC')::date as ago
    `;
    const zone = "America/Sao_Paulo";
    const expected = [`${1 + ago} accepted: 2`, `${ago} accepted: 1`];
    assert.deepEqual(await counted(sql, { days: 2 + ago, zone }), expected);
    await actAsPerson(sql, own.member_id);
    for (const days of [0, -1, 91, 2 ** 31 - 1, null]) {
      const asking = (sql: Sql) => sql`select sends_by_outcome(${own.id}, ${days})`;
      assert.equal(await refusal(sql, asking), "PT422", String(days));
    }
    for (const zone of ["", "America/Atlantis", null]) {
      const asking = (sql: Sql) => sql`select sends_by_outcome(${own.id}, zone => ${zone})`;
      assert.equal(await refusal(sql, asking), "PT422", String(zone));
    }
  });
});

Deno.test("only the newest sends are counted if there are more than the requested number", async () => {
  await rolledBack(async (sql) => {
    for (const age of ["3 days", "2 days", "1 day", "1 day", "0"]) await addSendOf(sql, age);
    await actAsPerson(sql, agent);
    const countOf = async (most: number) => {
      const rows = await sql`
        select (now() at time zone 'UTC')::date - day as ago, sends::int
        from sends_by_outcome(${own.id}, most => ${most})
      `;
      return rows.map(({ ago, sends }) => `${ago}: ${sends}`);
    };
    assert.deepEqual(await countOf(4), ["2: 1", "1: 2", "0: 1"]);
    assert.deepEqual(await countOf(2), ["1: 1", "0: 1"]);
    assert.deepEqual(await countOf(5), ["3: 1", "2: 1", "1: 2", "0: 1"]);
    // A number out of range is treated as the nearest number in the range.
    assert.deepEqual(await countOf(-1), ["0: 1"]);
    assert.equal((await countOf(2 ** 31 - 1)).length, 4);
  });
});

Deno.test("members of another company see no sends or counts, and other roles cannot call the functions", async () => {
  await rolledBack(async (sql) => {
    const message_id = await addSentMessage(sql, own, { idempotency_key: null });
    const asked = (id: string | null) => [
      (sql: Sql) => sql`select sends_by_outcome(${id})`,
      (sql: Sql) => sql`select list_company_sends(${id})`,
      (sql: Sql) => sql`select get_company_send(${id}, ${message_id})`,
    ];
    await actAsPerson(sql, other.member_id);
    for (const id of [own.id, crypto.randomUUID(), null]) {
      for (const asking of asked(id)) assert.equal(await refusal(sql, asking), "PT403");
    }
    const [foreign] = [(sql: Sql) => sql`select get_company_send(${other.id}, ${message_id})`];
    assert.equal(await refusal(sql, foreign), "PT404");
    await actAs(sql, "authenticated");
    for (const asking of asked(own.id)) assert.equal(await refusal(sql, asking), "PT403");
    for (const role of ["anon", "service_role", "api_client", "api_reader"] as const) {
      await actAs(sql, role);
      for (const asking of asked(own.id)) assert.equal(await refusal(sql, asking), "42501", role);
    }
  });
});

Deno.test("counting a few days reads only the sends of those days, through an index", async () => {
  // A new company, because the index still contains the other companies' sends that tests have
  // rolled back.
  const company = await newCompany();
  await rolledBack(async (sql) => {
    await sql`set local session_replication_role = replica`;
    for (const { id, conversation_id } of [company, other]) {
      await sql`
        with message as (
          insert into messages (company_id, conversation_id, direction, outcome, content, created_at)
          select ${id}, ${conversation_id}, 'outbound', 'accepted', '', now() - n * interval '3 hours'
          from generate_series(1, 3000) as n
          returning id, created_at
        )
        insert into sends (company_id, message_id, claim_id, state, whatsapp_message_id, created_at)
        select ${id}, id, gen_random_uuid(), 'sent', id, created_at from message
      `;
    }
    await sql`set local session_replication_role = origin`;
    await sql`analyze sends, messages`;
    const reads = async () => {
      const [counts] = await sql`
        select
          (pg_stat_get_xact_numscans('sends'::regclass) + pg_stat_get_xact_numscans('messages'::regclass))::int as scans,
          (select sum(pg_stat_get_xact_tuples_returned(indexrelid))::int from pg_index
           where indrelid in ('sends'::regclass, 'messages'::regclass)) as rows
      `;
      return counts;
    };
    const before = await reads();
    await actAsPerson(sql, company.member_id);
    const sends = await sql`select sends::int as sends from sends_by_outcome(${company.id}, 7)`;
    await actAsSuperuser(sql);
    const found = sends.reduce((sum, each) => sum + each.sends, 0);
    assert.ok(found >= 48 && found <= 56, `${found}`);
    const after = await reads();
    assert.deepEqual([after.scans - before.scans, after.rows - before.rows], [0, 2 * found]);
  });
});
