// Tests a company's reactions: when a reaction is possible, what is stored, and what the channel's
// reports change.

import assert from "node:assert/strict";
import { actAsSuperuser, refusal, rolledBack, type Sql, type Work } from "../support/acting_as.ts";
import { addMessage, type MessageColumns, newCompany } from "../support/company.ts";
import { eventsIn, typesOf } from "../support/events.ts";
import { actAsSender } from "./sends.ts";
import { applyStatus, report, waiting } from "./statuses.ts";

const test = (name: string, work: Work) => Deno.test(name, () => rolledBack(work));

const [company, other] = [await newCompany(), await newCompany()];
const { id: company_id, contact_id, account_id } = company;
const A_DAY = 86_400;
const REACTION = "wamid.reaction";

const ago = (seconds: number) => new Date(Date.now() - seconds * 1000);

/** Adds a message that has a channel id, and returns the id of its row. */
async function addKnown(sql: Sql, columns: MessageColumns = {}, of = company) {
  const whatsapp_message_id = `wamid.${crypto.randomUUID()}`;
  return await addMessage(sql, of, { whatsapp_message_id, sent_at: ago(60), ...columns });
}

/**
 * Adds a message whose window ends in this many seconds. The database uses the start of the
 * transaction as the current time.
 */
async function addEnding(sql: Sql, seconds: number) {
  const [{ sent_at }] = await sql`
    select now() + make_interval(secs => ${seconds}) - interval '1 day' as sent_at
  `;
  return await addKnown(sql, { sent_at });
}

/** Calls a database function as a request with the company's key does. */
async function asKey<Answer>(sql: Sql, call: () => Promise<Iterable<unknown>>): Promise<Answer> {
  await actAsSender(sql, company.keys.messaging);
  const [{ answer }] = await call() as [{ answer: Answer }];
  await actAsSuperuser(sql);
  return answer;
}

const toReact = (sql: Sql, id: string, emoji: string | null = "👍") =>
  asKey<Record<string, unknown>>(
    sql,
    () => sql`select message_to_react(${id}, ${emoji}) as answer`,
  );

const note = (sql: Sql, id: string, emoji: string | null = "👍", wamid = REACTION) =>
  asKey<{ emoji: string; at: string } | null>(
    sql,
    () => sql`select note_own_reaction(${id}, ${wamid}, ${emoji}) as answer`,
  );

async function reactionOf(sql: Sql, id: string) {
  const [{ emoji, whatsapp_id }] = await sql`
    select own_reaction ->> 'emoji' as emoji, own_reaction_whatsapp_id as whatsapp_id from messages where id = ${id}
  `;
  return [emoji, whatsapp_id];
}

test("while the window is open, the company can react to a message from the contact or from the company", async (sql) => {
  const theirs = await addKnown(sql);
  const own = await addKnown(sql, { direction: "outbound", outcome: "accepted" });
  const [{ phone }] = await sql`select phone from contacts where id = ${contact_id}`;
  const wamids = new Map(
    [...await sql`select id, whatsapp_message_id from messages where company_id = ${company_id}`]
      .map(({ id, whatsapp_message_id }) => [id, whatsapp_message_id]),
  );
  for (const id of [theirs, own]) {
    assert.deepEqual(await toReact(sql, id), {
      ...{ result: "ready", company_id, account_id, phone, user_id: null },
      phone_number_id: company.phone_number_id,
      business_account_id: null,
      encrypted_token: company.sealed_token,
      whatsapp_message_id: wamids.get(id),
    });
  }
  await sql`
    insert into contact_identities (company_id, contact_id, user_id, seen_at)
    values (${company_id}, ${contact_id}, 'BR.1', now() - interval '1 day'), (${company_id}, ${contact_id}, 'BR.2', now())
  `;
  await sql`update contacts set has_identity = true, phone = null where id = ${contact_id}`;
  const { phone: none, user_id } = await toReact(sql, theirs);
  assert.deepEqual([none, user_id], [null, "BR.2"]);
  // The newest id is from another business account.
  await sql`update messaging_accounts set business_account_id = '42' where id = ${account_id}`;
  await sql`
    update contact_identities set business_account_id = case user_id when 'BR.1' then '42' else '43' end
    where contact_id = ${contact_id}
  `;
  assert.equal((await toReact(sql, theirs)).user_id, "BR.1");
});

Deno.test("if the company cannot react to a message, the result says why", async () => {
  type Case = [string, result: string, (sql: Sql) => Promise<string>, ofRemoval?: string];
  const change = (sql: Sql, id: string, columns: Record<string, unknown>) =>
    sql`update messages set ${sql(columns)} where id = ${id}`;
  const cases: Case[] = [
    ["no message", "not_found", () => Promise.resolve(crypto.randomUUID())],
    ["of another company", "not_found", (sql) => addKnown(sql, {}, other)],
    ["erased", "not_found", async (sql) => {
      const id = await addKnown(sql);
      await change(sql, id, { is_erased: true });
      return id;
    }],
    ["not accepted yet", "not_on_channel", async (sql) => {
      await addKnown(sql);
      return await addMessage(sql, company, { direction: "outbound", outcome: "pending" });
    }],
    ["a notice", "not_on_channel", (sql) => addKnown(sql, { type: "system" })],
    ["revoked", "revoked", async (sql) => {
      const id = await addKnown(sql);
      await change(sql, id, { revoked_at: new Date() });
      return id;
    }],
    ["too old", "too_old", async (sql) => {
      await addKnown(sql);
      return await addKnown(sql, { sent_at: ago(30 * A_DAY + 60) });
    }],
    ["archived", "archived", async (sql) => {
      const id = await addKnown(sql);
      await sql`update contacts set archived_at = now() where id = ${contact_id}`;
      return id;
    }],
    ["disconnected", "no_account", async (sql) => {
      const id = await addKnown(sql);
      await sql`
        update messaging_accounts set disconnected_at = now(), encrypted_token = null where id = ${account_id}
      `;
      return id;
    }],
    ["do_not_contact", "do_not_contact", async (sql) => {
      const id = await addKnown(sql);
      await sql`update contacts set do_not_contact = true where id = ${contact_id}`;
      return id;
    }, "ready"],
    ["written since", "ready", async (sql) => {
      const id = await addKnown(sql);
      await sql`update contacts set do_not_contact = true where id = ${contact_id}`;
      await sql`update contact_windows set last_inbound_at = now() + interval '1 second' where contact_id = ${contact_id}`;
      return id;
    }],
    ["a stop word since", "do_not_contact", async (sql) => {
      const id = await addKnown(sql);
      await sql`update contacts set do_not_contact = true where id = ${contact_id}`;
      await sql`update contacts set stop_word_at = now() + interval '1 second' where id = ${contact_id}`;
      await sql`update contact_windows set last_inbound_at = now() + interval '1 second' where contact_id = ${contact_id}`;
      return id;
    }, "ready"],
    ["a minute left", "window_closed", (sql) => addEnding(sql, 60)],
    ["61 seconds left", "ready", (sql) => addEnding(sql, 61)],
    [
      "no window",
      "window_closed",
      (sql) => addKnown(sql, { direction: "outbound", outcome: "accepted" }),
    ],
  ];
  for (const [name, result, make, ofRemoval = result] of cases) {
    await rolledBack(async (sql) => {
      const id = await make(sql);
      const [reacts, removes] = [await toReact(sql, id), await toReact(sql, id, null)];
      assert.deepEqual([reacts.result, removes.result], [result, ofRemoval], name);
      assert.deepEqual("encrypted_token" in reacts, result === "ready", name);
      if (result === "window_closed") {
        const [period] = await sql`
          select to_jsonb(expires_at) as expires_at from contact_windows where contact_id = ${contact_id}
        `;
        assert.deepEqual(reacts.expires_at, period?.expires_at ?? null, name);
      }
    });
  }
});

test("each change of a reaction adds one event, and a repeated reaction adds no event and replaces only the channel id", async (sql) => {
  const id = await addKnown(sql);
  const steps: [string | null, string, boolean][] = [
    ["👍", "wamid.r1", true],
    ["👍", "wamid.r2", false],
    ["❤️", "wamid.r3", true],
    [null, "wamid.r4", true],
    [null, "wamid.r5", false],
  ];
  for (const [emoji, wamid, isNew] of steps) {
    let stored: { emoji: string; at: string } | null = null;
    const events = await eventsIn(sql, company, async () => {
      stored = await note(sql, id, emoji, wamid);
    });
    assert.deepEqual(typesOf(events), isNew ? [["message.updated", id]] : [], wamid);
    assert.deepEqual(await reactionOf(sql, id), [emoji, emoji && wamid]);
    assert.equal((stored as { emoji: string } | null)?.emoji ?? null, emoji);
  }
});

test("a reaction is stored only if its message belongs to the key's company and is not erased", async (sql) => {
  const [foreign, erased] = [await addKnown(sql, {}, other), await addKnown(sql)];
  await note(sql, erased);
  await sql`update messages set is_erased = true where id = ${erased}`;
  assert.deepEqual(await reactionOf(sql, erased), [null, null], "erasing removes the reaction");
  for (const id of [foreign, erased, crypto.randomUUID()]) assert.equal(await note(sql, id), null);
  assert.deepEqual(await reactionOf(sql, foreign), [null, null]);
  assert.deepEqual(await reactionOf(sql, erased), [null, null]);
});

test("a key cannot change a reaction's columns directly, and cannot read the reaction's channel id", async (sql) => {
  const id = await addKnown(sql);
  await note(sql, id);
  await actAsSender(sql, company.keys.messaging);
  const changes = [
    (sql: Sql) => sql`update messages set own_reaction = null where id = ${id}`,
    (sql: Sql) => sql`select own_reaction_whatsapp_id from messages where id = ${id}`,
    (sql: Sql) =>
      sql`select app.take_report_of_reaction(array[${company_id}::uuid], ${REACTION}, 'failed')`,
  ];
  for (const change of changes) assert.equal(await refusal(sql, change), "42501");
  await actAsSuperuser(sql);
  assert.deepEqual(await reactionOf(sql, id), ["👍", REACTION]);
  const wrong: [string, Work][] = [
    ["check", (sql) => sql`update messages set own_reaction = '"👍"' where id = ${id}`],
    ["has_id", (sql) => sql`update messages set own_reaction_whatsapp_id = null where id = ${id}`],
  ];
  for (const [constraint, change] of wrong) {
    assert.equal(await refusal(sql, change), `23514 messages_own_reaction_${constraint}`);
  }
});

test("a report that the channel did not deliver a reaction removes the reaction, and other reports about a reaction change nothing", async (sql) => {
  const id = await addKnown(sql);
  await note(sql, id);
  const told = async (status: string, of = account_id) => {
    let result = "";
    const events = await eventsIn(sql, company, async () => {
      result = await applyStatus(sql, [of], report(status, 1, { id: REACTION }));
    });
    return [result, ...typesOf(events).flat()];
  };
  for (const status of ["sent", "delivered", "read"]) {
    assert.deepEqual(await told(status), ["done"]);
  }
  assert.deepEqual(await told("failed", other.account_id), ["waiting"], "another company");
  assert.deepEqual(await reactionOf(sql, id), ["👍", REACTION]);
  assert.deepEqual(await told("failed"), ["done", "message.updated", id]);
  assert.deepEqual(await reactionOf(sql, id), [null, null]);
  assert.deepEqual(await told("failed"), ["waiting"], "the reaction is no longer known");
});

test("of the reports about a removed, repeated or replaced reaction, only failures are stored", async (sql) => {
  const id = await addKnown(sql);
  const steps: [string | null, string][] = [
    ["👍", "wamid.r1"],
    ["👍", "wamid.r2"],
    ["❤️", "wamid.r3"],
    [null, "wamid.r4"],
  ];
  for (const [emoji, wamid] of steps) await note(sql, id, emoji, wamid);
  const told = (status: string, wamid: string, mark: unknown) =>
    applyStatus(sql, [account_id], report(status, 1, { id: wamid, mark }));
  for (const [, wamid] of steps) {
    for (const status of ["sent", "delivered", "read"]) {
      assert.equal(await told(status, wamid, "reaction"), "done");
    }
  }
  assert.deepEqual(await waiting(sql, company_id), []);
  // A failure may arrive before its reaction is stored. A report about a message does not have the
  // mark `reaction`.
  assert.equal(await told("failed", "wamid.r5", "reaction"), "waiting");
  assert.equal(await told("sent", "wamid.r6", null), "waiting");
  assert.deepEqual(await waiting(sql, company_id), ["wamid.r5", "wamid.r6"]);
});

test("after a repeat, only a report about the repeat can remove the reaction", async (sql) => {
  const id = await addKnown(sql);
  const first = await note(sql, id, "👍", "wamid.r1");
  // In one transaction, now() never changes, so the test moves the reaction's time.
  const at = ago(60).toISOString();
  await sql`
    update messages set own_reaction = jsonb_set(own_reaction, '{at}', to_jsonb(${at}::text)) where id = ${id}
  `;
  assert.deepEqual(await note(sql, id, "👍", "wamid.r2"), { ...first, at });
  const failed = (wamid: string) =>
    applyStatus(sql, [account_id], report("failed", 1, { id: wamid }));
  assert.equal(await failed("wamid.r1"), "waiting");
  assert.deepEqual(await reactionOf(sql, id), ["👍", "wamid.r2"]);
  assert.equal(await failed("wamid.r2"), "done");
  assert.deepEqual(await reactionOf(sql, id), [null, null]);
});

test("if a report arrives before its reaction is stored, the report waits, and is applied when the reaction is stored", async (sql) => {
  const id = await addKnown(sql);
  const early = (status: string, wamid: string) =>
    applyStatus(sql, [account_id], report(status, 1, { id: wamid }));
  assert.equal(await early("sent", "wamid.r1"), "waiting");
  assert.equal((await note(sql, id, "👍", "wamid.r1"))?.emoji, "👍");
  assert.equal(await early("failed", "wamid.r2"), "waiting");
  assert.equal(await note(sql, id, "❤️", "wamid.r2"), null);
  assert.deepEqual(await reactionOf(sql, id), [null, null]);
  const waiting = await sql`select item from waiting_facts where company_id = ${company_id}`;
  assert.deepEqual([...waiting], []);
});
