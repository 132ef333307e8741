// Tests that webhooks from the channel create events for messages, statuses, sends, templates and
// accounts. A merge or an erasure creates one event for the contact. "The job" in these tests is
// app.note_passed_times(), which creates the events that depend only on the time.

import assert from "node:assert/strict";
import { rolledBack, type Sql, type Work } from "../support/acting_as.ts";
import { anyPhone, newCompany } from "../support/company.ts";
import { eventsIn, eventsOf, type StoredEvent, typesOf } from "../support/events.ts";
import { committed, overlapping } from "../database/connections.ts";
import { anyMessageId, at, tell } from "../database/inbound.ts";
import { addContact, endLease, FAILED, RELEASED, SENT, settle } from "../database/sends.ts";
import { accepted, applyStatus, claimed, report } from "../database/statuses.ts";

const test = (name: string, work: Work) => Deno.test(name, () => rolledBack(work));

const company = await newCompany();
const { id: company_id, account_id, contact_id, conversation_id } = company;

const inside = (sql: Sql, work: () => Promise<unknown>) => eventsIn(sql, company, work);
const types = (events: StoredEvent[]) => events.map(({ type }) => type);

test("a message from an unknown person creates events for a contact, a conversation and a message", async (sql) => {
  const events = await inside(
    sql,
    () => tell(sql, account_id, { kind: "message", at: at(1), person: { phone: anyPhone() } }),
  );
  assert.deepEqual(types(events), ["contact.created", "conversation.opened", "message.received"]);
});

test("an edit, a reaction and a revocation update the message, and a stop word opts the contact out", async (sql) => {
  const [{ phone }] = await sql`select phone from contacts where id = ${contact_id}`;
  const person = { phone };
  const id = anyMessageId();
  await tell(sql, account_id, { kind: "message", id, at: at(1), person });
  const [{ id: message }] = await sql`select id from messages where whatsapp_message_id = ${id}`;
  const updated = [["message.updated", message]];
  for (
    const told of [
      { kind: "edit", target: id, content: "Edited", at: at(2), person },
      { kind: "reaction", target: id, emoji: "👍", at: at(3), person },
      { kind: "revoke", target: id, at: at(4), person },
    ]
  ) {
    let result = "";
    const events = await inside(sql, async () => {
      result = await tell(sql, account_id, told);
    });
    assert.deepEqual(typesOf(events), updated, `${told.kind}: ${result}`);
  }
  const stop = await inside(
    sql,
    () => tell(sql, account_id, { kind: "message", word: "stop", at: at(5), person }),
  );
  assert.ok(types(stop).includes("contact.opted_out"), String(types(stop)));
});

test("the removal of a reaction creates an event only if callers could see the reaction", async (sql) => {
  const [{ phone }] = await sql`select phone from contacts where id = ${contact_id}`;
  const person = { phone };
  const id = anyMessageId();
  await tell(sql, account_id, { kind: "message", id, at: at(1), person });
  const steps: [string | null, string[]][] = [
    [null, []],
    [null, []],
    ["👍", ["message.updated"]],
    ["👍", ["message.updated"]],
    [null, ["message.updated"]],
    [null, []],
  ];
  for (const [step, [emoji, expected]] of steps.entries()) {
    const events = await inside(
      sql,
      () =>
        tell(sql, account_id, { kind: "reaction", target: id, emoji, at: at(2 + step), person }),
    );
    assert.deepEqual(types(events), expected, `step ${step}`);
  }
});

test("a send that the channel accepts creates a `send.settled` event, and a delivery report creates only a message event", async (sql) => {
  let send: Awaited<ReturnType<typeof accepted>>;
  const taken = await inside(sql, async () => {
    send = await accepted(sql, company);
  });
  const message = send!.message_id as string;
  const ofMessage = (events: StoredEvent[]) =>
    typesOf(events.filter(({ record_id }) => record_id === message));
  assert.deepEqual(ofMessage(taken), [
    ["send.settled", message],
    ["message.status_changed", message],
  ]);
  const delivered = await inside(
    sql,
    () => applyStatus(sql, [account_id], report("delivered", 1)),
  );
  assert.deepEqual(typesOf(delivered), [["message.status_changed", message]]);
  assert.deepEqual(delivered[0].changes, { status: { from: "accepted", to: "delivered" } });
});

test("a failure that the channel reports creates a `send.failed` event with the reason", async (sql) => {
  const send = await accepted(sql, company);
  const events = await inside(sql, () => applyStatus(sql, [account_id], report("failed", 2)));
  assert.deepEqual(typesOf(events), [
    ["message.status_changed", send.message_id],
    ["send.failed", send.message_id],
  ]);
  for (const { changes } of events) {
    assert.deepEqual(changes!.reason, { from: null, to: "recipient_unreachable" });
  }
});

test("a send that fails or is released creates a `send.failed` event with the reason and the API key", async (sql) => {
  for (const settlement of [FAILED, RELEASED]) {
    const send = await claimed(sql, company);
    const events = await inside(sql, () => settle(sql, send.claim_id, settlement));
    const failed = events.find(({ type }) => type === "send.failed")!;
    assert.equal(failed.record_id, send.message_id);
    assert.deepEqual(failed.changes!.reason, { from: null, to: settlement.reason });
    assert.equal(failed.actor.kind, "key");
  }
});

Deno.test("a send whose lease has ended causes one `send.failed` event, whether a job or a repeat comes first", async () => {
  for (const first of ["the job", "another job", "a repeat"]) {
    await rolledBack(async (sql) => {
      const asked = { idempotency_key: "once", phone: anyPhone() };
      const send = await claimed(sql, company, asked);
      await endLease(sql, send.send_id);
      const ways: Record<string, () => Promise<unknown>> = {
        "the job": () => sql`select app.note_passed_times()`,
        "another job": () => sql`select fail_expired_sends()`,
        "a repeat": () => claimed(sql, company, asked),
      };
      const events = await inside(sql, async () => {
        await ways[first]();
        for (const way of Object.values(ways)) await way();
      });
      const { "send.failed": failed } = Object.groupBy(events, ({ type }) => type);
      assert.deepEqual(typesOf(failed!), [["send.failed", send.message_id]], first);
      const [{ actor, changes }] = failed!;
      assert.equal(actor.kind, first === "a repeat" ? "key" : "job");
      assert.deepEqual(changes, {
        state: { from: "pending", to: "failed" },
        reason: { from: null, to: "outcome_unknown" },
      });
    });
  }
});

test("the job creates one event for a window that closes within an hour, and a new event after the contact's next message", async (sql) => {
  const open = (minutes: number) =>
    sql`
      insert into contact_windows (company_id, contact_id, account_id, last_inbound_at)
      values (${company_id}, ${contact_id}, ${account_id}, now() - interval '24 hours' + interval '1 minute' * ${minutes})
      on conflict on constraint contact_windows_once do update set last_inbound_at = excluded.last_inbound_at
    `;
  const note = () => sql`select app.note_passed_times()`;
  await open(90);
  assert.deepEqual(await inside(sql, note), []);
  // This message was written 23 hours and 10 minutes ago, but arrived after the job's last run.
  await open(50);
  const closing = [["conversation.window_closing", conversation_id]];
  assert.deepEqual(typesOf(await inside(sql, note)), closing);
  assert.deepEqual(await inside(sql, note), []);
  await open(55);
  assert.deepEqual(typesOf(await inside(sql, note)), closing);
  await open(56);
  await sql`update conversations set status = 'closed' where id = ${conversation_id}`;
  assert.deepEqual(await inside(sql, note), []);
});

/**
 * Creates a company with a conversation. Returns functions that open a window that closes in 50
 * minutes, run the job, and change the conversation. The last two return the types of the
 * conversation's events. Other tests run the job for all companies, so a committed window may have
 * its event at any time.
 */
async function newConversation() {
  const own = await newCompany();
  const typesNow = async (sql: Sql) =>
    types(await eventsOf(sql, own)).filter((type) => type.startsWith("conversation.")).slice(1);
  return {
    open: async (sql: Sql) => {
      await sql`
        insert into contact_windows (company_id, contact_id, account_id, last_inbound_at)
        values (${own.id}, ${own.contact_id}, ${own.account_id}, now() - interval '23 hours 10 minutes')
      `;
    },
    note: async (sql: Sql) => {
      await sql`select app.note_passed_times()`;
      return await typesNow(sql);
    },
    change: async (sql: Sql) => {
      await sql`update conversations set status = 'pending' where id = ${own.conversation_id}`;
      return await typesNow(sql);
    },
  };
}

Deno.test("a change of a conversation waits until the job has written the event about its window", async () => {
  const { open, note, change } = await newConversation();
  const openAndNote = async (sql: Sql) => {
    await open(sql);
    return await note(sql);
  };
  const [first, second] = await overlapping(openAndNote, change);
  assert.deepEqual(first, ["conversation.window_closing"]);
  assert.deepEqual(second, [...first, "conversation.updated"]);
});

Deno.test("while a conversation is being changed, the job leaves the event about its window to the next run", async () => {
  const { open, note, change } = await newConversation();
  await committed(async (sql) => {
    await change(sql);
    await committed(open);
    const during = await committed(async (sql) => {
      // If the job waited for the change, it would wait forever.
      await sql`set local lock_timeout = '1min'`;
      return await note(sql);
    });
    assert.deepEqual(during, []);
  });
  assert.deepEqual(await committed(note), [
    ...["conversation.updated", "conversation.window_closing"],
  ]);
});

test("a merge creates one contact event that names both contacts, and no event for the deleted contact", async (sql) => {
  const other = await addContact(sql, { company_id, phone: anyPhone(), name: "Twin" });
  const [deal] = await sql`
    insert into deals (company_id, title, contact_id, stage_id)
    values (${company_id}, 'Theirs', ${other}, ${company.stage_ids[0]}) returning id
  `;
  const events = await inside(
    sql,
    () => sql`select app.merge_contacts(${company_id}, ${contact_id}, ${other})`,
  );
  assert.deepEqual(typesOf(events), [["deal.updated", deal.id], ["contact.merged", contact_id]]);
  assert.deepEqual(events[0].changes, { contact_id: { from: other, to: contact_id } });
  assert.deepEqual(events[1].changes, { contact_id: { from: other, to: contact_id } });
  const later = await inside(
    sql,
    () => sql`update contacts set name = 'Later' where id = ${contact_id}`,
  );
  assert.deepEqual(types(later), ["contact.updated"]);
});

test("an erasure creates one contact event with the ids of the contact's records, and no message events", async (sql) => {
  const [message] = await sql`
    insert into messages (company_id, conversation_id, direction, content)
    values (${company_id}, ${conversation_id}, 'inbound', 'A secret') returning id
  `;
  const events = await inside(
    sql,
    () => sql`select app.erase_contacts(${company_id}, ${[contact_id]}::uuid[])`,
  );
  const erased = events.filter(({ record_id }) => record_id === contact_id);
  assert.deepEqual(types(erased), ["contact.erased"]);
  assert.deepEqual(erased[0].changes!.conversation_ids, [conversation_id]);
  assert.deepEqual(erased[0].changes!.deal_ids, [company.deal_id]);
  assert.deepEqual(
    new Set(types(events)),
    new Set(["contact.erased", "deal.updated", "conversation.closed"]),
  );
  assert.ok(!events.some(({ record_id }) => record_id === message.id));
  const [{ text }] = await sql`
    select string_agg(events::text, ' ') as text from app.events where company_id = ${company_id}
  `;
  for (const word of ["Ada", "A secret", "+1"]) assert.ok(!text.includes(word), word);
});

test("a template's status change and a new template create an event, but the first import of an account's templates does not", async (sql) => {
  const waba = "200000000000077";
  await sql`update messaging_accounts set business_account_id = ${waba} where id = ${account_id}`;
  const read = (status: string, names = ["order_update"]) =>
    sql`
      select apply_template_sync(${account_id}, clock_timestamp(), ${
      sql.json(names.map((name) => ({
        ...{ name, language: "en", status, category: "UTILITY", parameter_format: "POSITIONAL" },
        components: [{ type: "BODY", text: "Hi" }],
        variables: { header: [], body: [], buttons: [] },
        rendering: { header: null, body: ["Hi"], footer: null, buttons: [] },
      })))
    })
    `;
  assert.deepEqual(await inside(sql, () => read("PENDING")), []);
  const [approved] = await inside(sql, () => read("APPROVED"));
  assert.deepEqual([approved.type, approved.changes, approved.actor.kind], [
    "template.status_changed",
    { status: { from: "PENDING", to: "APPROVED" } },
    "channel",
  ]);
  assert.deepEqual(await inside(sql, () => read("APPROVED")), []);
  const [added] = await inside(sql, () => read("APPROVED", ["order_update", "new_one"]));
  assert.deepEqual(added.changes, { status: { from: null, to: "APPROVED" } });
});

test("a refusal that concerns the whole account creates one `account.restricted` event, and a later success creates an `account.restored` event", async (sql) => {
  const refusal = { outcome: "released", reason: "channel_account_error", channel_code: 131042 };
  const send = async (settlement: Record<string, unknown>) => {
    const made = await claimed(sql, company);
    return (await inside(
      sql,
      () =>
        settle(sql, made.claim_id, {
          ...settlement,
          ...(settlement === SENT && {
            whatsapp_message_id: anyMessageId(),
            was_refused: made.was_refused ?? false,
          }),
        }),
    )).filter(({ type }) => type.startsWith("account."));
  };
  const [restricted] = await send(refusal);
  assert.deepEqual([restricted.type, restricted.record_id], ["account.restricted", account_id]);
  assert.deepEqual(restricted.changes, { notice: { from: null, to: "131042" } });
  assert.deepEqual(await send(refusal), []);
  await sql`update account_notices set received_at = received_at - interval '1 second' where company_id = ${company_id}`;
  const [restored] = await send(SENT);
  assert.deepEqual([restored.type, restored.changes], [
    "account.restored",
    { notice: { from: "131042", to: null } },
  ]);
});

test("the job creates one `account.restored` event for a restriction that expires", async (sql) => {
  const note = () => sql`select app.note_passed_times()`;
  const account = [["account.restored", account_id]];
  /** Adds an account notice that ends at this time. */
  const restrict = (event: string, columns: Record<string, unknown>) =>
    sql`insert into account_notices ${
      sql({
        ...{ company_id, account_id, event, kind: "event", value: sql.json({}) },
        ...{ happened_at: ago(60), received_at: ago(60), stops_sending: true },
        ...columns,
      })
    }`;
  const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000);
  const DAYS = 30 * 24 * 60;
  await restrict("LATER", { until: ago(-60) });
  const earlier = ago(20);
  await restrict("EARLIER", { until: earlier, end_noted_for: earlier });
  // These notices restrict nothing: the first arrived after its end, and the second does not stop
  // sends.
  await restrict("LATE", { until: ago(5), received_at: ago(4) });
  await restrict("NEWS", { until: ago(5), stops_sending: false });
  assert.deepEqual(await inside(sql, note), []);

  await sql`update account_notices set until = ${
    ago(5)
  } where event = 'LATER' and account_id = ${account_id}`;
  const ended = await inside(sql, note);
  assert.deepEqual(typesOf(ended), account);
  assert.deepEqual(ended[0].changes, { notice: { from: "LATER", to: null } });
  assert.deepEqual(ended[0].actor, { kind: "job", id: null });
  assert.deepEqual(await inside(sql, note), []);

  // A restriction without an end lasts 30 days. A refusal restricts the account until 30 days after
  // the last refusal.
  await restrict("FOREVER", { happened_at: ago(DAYS + 2), received_at: ago(DAYS + 2) });
  await restrict("131042", {
    kind: "refusal",
    happened_at: ago(2 * DAYS),
    received_at: ago(DAYS + 2),
  });
  assert.deepEqual(typesOf(await inside(sql, note)), [...account, ...account]);
  // Deleting a restriction after its end creates an event only if the job has not recorded the end
  // yet.
  const remove = (event: string) =>
    inside(
      sql,
      () => sql`delete from account_notices where account_id = ${account_id} and event = ${event}`,
    );
  assert.deepEqual(await remove("FOREVER"), []);
  await sql`
    update account_notices set end_noted_for = null where account_id = ${account_id} and event = '131042'
  `;
  assert.deepEqual(typesOf(await remove("131042")), account);
});

Deno.test("two restrictions create one `account.restored` event each, even if one restriction is withdrawn or changed while the job records the end of both", async () => {
  const note = (sql: Sql) => sql`select app.note_passed_times()`;
  const changes: Record<string, (sql: Sql, account: string) => Promise<unknown>> = {
    withdrawn: (sql, account) =>
      sql`delete from account_notices where account_id = ${account} and event = 'ENDED'`,
    changed: (sql, account) =>
      sql`update account_notices set value = '{"erased":true}' where account_id = ${account} and event = 'ENDED'`,
  };
  for (const [name, change] of Object.entries(changes)) {
    for (const isJobFirst of [true, false]) {
      const own = await newCompany();
      await committed(async (sql) => {
        await sql`
          insert into account_notices (
            company_id, account_id, kind, event, value, happened_at, received_at, until, stops_sending
          )
          select ${own.id}, ${own.account_id}, 'event', event, '{}', ago, ago, ended, true
          from (select now() - interval '1 minute' as ago, clock_timestamp() as ended) as times,
            unnest('{ALSO,ENDED}'::text[]) as event
        `;
      });
      const work = (sql: Sql) => change(sql, own.account_id);
      await (isJobFirst ? overlapping(note, work) : overlapping(work, note));
      await committed(note);
      const events = (await committed((sql) => eventsOf(sql, own)))
        .filter(({ type }) => type === "account.restored")
        .map(({ changes }) => (changes!.notice as { from: string }).from).sort();
      const step = `${name}, ${isJobFirst ? "the job is first" : "the job is second"}`;
      assert.deepEqual(events, ["ALSO", "ENDED"], step);
    }
  }
});
