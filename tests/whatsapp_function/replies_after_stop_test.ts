// Tests whether a reply is sent after a stop word and another message. The channel's times are
// whole seconds. If two messages have the same time, the message that arrived later counts as the
// last message.

import assert from "node:assert/strict";
import { messagesFrom, ownWebhook } from "../support/channel_apps.ts";
import { replyIn, sendReply } from "../support/replying.ts";
import { asSuperuser, withDatabase } from "../support/test_stack.ts";
import { anyPhone, companyWithApp, endPauses, runChannelJob, statesOf } from "./told_events.ts";

const webhook = await ownWebhook();

/** A contact's message: its text, and the second in which it was sent. */
type Said = [text: string, second: number];

/**
 * Creates a contact. `writes` sends the contact's messages in one event. `mayBeAnswered` checks
 * whether a reply would be sent now.
 */
async function newPerson() {
  const { company, app } = await companyWithApp();
  const from = anyPhone();
  const minute = Math.floor(Date.now() / 1000) - 600;
  return {
    company,
    app,
    async writes(...said: Said[]) {
      const messages = said.map(([body, second]) => (
        { text: { body }, timestamp: String(minute + second) }
      ));
      const body = messagesFrom(from, company.phone_number_id, messages);
      assert.equal((await webhook.post(app, body)).status, 200);
    },
    async mayBeAnswered(): Promise<boolean> {
      const [{ id }] = await withDatabase((sql) =>
        sql`
          select conversations.id from conversations join contacts on contacts.id = contact_id
          where contacts.company_id = ${company.id} and phone_key = app.phone_key(${"+" + from})
        `
      );
      const reply = replyIn({ conversation_id: id });
      const { body } = await sendReply(company.keys.messaging, reply, "?dry_run=true");
      assert.match(body.outcome, /^(send|do_not_contact)$/);
      return body.outcome === "send";
    },
  };
}

const [SAIR, QUESTION] = ["SAIR", "Onde está o meu pedido?"];

Deno.test("a reply is sent unless the contact's last message on the channel is a stop word", async () => {
  const cases: [events: Said[][], isAnswered: boolean][] = [
    // Both messages are in one event, within one second.
    [[[[SAIR, 1], [QUESTION, 1]]], true],
    [[[[QUESTION, 1], [SAIR, 1]]], false],
    [[[[SAIR, 1], [QUESTION, 1], [SAIR, 1]]], false],
    // The messages are in two events within one second, in the order of their arrival.
    [[[[SAIR, 1]], [[QUESTION, 1]]], true],
    [[[[QUESTION, 1]], [[SAIR, 1]]], false],
    [[[[SAIR, 1]], [[QUESTION, 1]], [[SAIR, 1]]], false],
    [[[[SAIR, 1]]], false],
    // The messages are in different seconds, in both orders of arrival.
    [[[[SAIR, 1]], [[QUESTION, 2]]], true],
    [[[[QUESTION, 2]], [[SAIR, 1]]], true],
    [[[[QUESTION, 1]], [[SAIR, 2]]], false],
    [[[[SAIR, 2]], [[QUESTION, 1]]], false],
    [[[[QUESTION, 2], [SAIR, 1]]], true],
    [[[[SAIR, 2], [QUESTION, 1]]], false],
  ];
  for (const [events, isAnswered] of cases) {
    const person = await newPerson();
    for (const said of events) await person.writes(...said);
    assert.equal(await person.mayBeAnswered(), isAnswered, JSON.stringify(events));
  }
});

Deno.test("an event that is applied late keeps its place in the order of arrival", async () => {
  for (const [first, second, isAnswered] of [[QUESTION, SAIR, false], [SAIR, QUESTION, true]]) {
    const { company, app, writes, mayBeAnswered } = await newPerson();
    await asSuperuser(async (sql) => {
      await sql.begin(async (holder) => {
        await holder`select pg_advisory_xact_lock(hashtextextended(${
          "events of " + company.id
        }, 0))`;
        // The webhook only stores the event. The job applies the event later.
        await writes([first as string, 1]);
        assert.deepEqual(await statesOf(app), ["stored"]);
      });
    });
    await writes([second as string, 1]);
    await endPauses(app);
    await runChannelJob(app);
    assert.deepEqual(await statesOf(app), ["done", "done"]);
    assert.equal(await mayBeAnswered(), isAnswered, `${first} came first`);
  }
});
