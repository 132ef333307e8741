// Tests the sandbox and the platform together: the sandbox posts statuses, and the platform records
// the result of each send.
import assert from "node:assert/strict";
import { sandbox } from "../../sandbox/sandbox.ts";
import { send } from "../support/calls.ts";
import { type Company, newCompany } from "../support/company.ts";
import { ownReactions, ownReplies, ownSender } from "../support/own_functions.ts";
import { template } from "../support/sending.ts";
import { stack, statement } from "../support/test_stack.ts";

/**
 * Creates a company whose account uses the stack's app, and a sandbox that posts to that app's
 * webhook.
 */
async function companyWithSandbox() {
  const { app_key, app_secret, callback_url } = stack.channel_app!;
  const company = await newCompany();
  await statement`
    update messaging_accounts
    set channel_app_id = (select id from channel_apps where app_key = ${app_key})
    where id = ${company.account_id}
  `;
  let mayTell = Promise.resolve();
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) => {
      if (!request.url.endsWith("/webhook")) return await channel.fetch(request);
      const { headers } = request;
      const body = await request.arrayBuffer();
      await mayTell;
      return await fetch(callback_url, { method: "POST", headers, body });
    },
  );
  const url = `http://127.0.0.1:${server.addr.port}`;
  const channel = sandbox({
    webhook: () => ({ url: `${url}/webhook`, secret: app_secret }),
    pace: 0,
  });
  return {
    company,
    url,
    /**
     * Makes the sandbox hold its posts until the send has ended, so that no status arrives before
     * the response. Then the sandbox posts everything.
     */
    async tells<Sent>(send: () => Promise<Sent>): Promise<Sent> {
      const { promise, resolve } = Promise.withResolvers<void>();
      mayTell = promise;
      const sent = await send();
      resolve();
      await channel.told();
      return sent;
    },
    plays: async (from: object, text: string) => {
      const body = { phone_number_id: company.phone_number_id, ...from, text };
      const headers = { "Content-Type": "application/json" };
      const answer = await send(`${url}/inbound`, "POST", headers, JSON.stringify(body));
      assert.equal(answer.body.posted, true, JSON.stringify(answer.body));
    },
    [Symbol.asyncDispose]: async () => {
      await channel.stop();
      await server.shutdown();
    },
  };
}

/** The messages between a company and the contacts with this phone number, oldest first. */
async function messagesWith({ id }: Company, phone: string) {
  return await statement`
    select direction, content, messages.status, failure ->> 'code' as code, sends.state, conversation_id
    from messages
    join conversations on conversations.id = conversation_id
    join contacts on contacts.id = conversations.contact_id
    left join sends on sends.message_id = messages.id
    where messages.company_id = ${id} and contacts.phone = ${phone}
    order by messages.created_at
  `;
}

/**
 * For each recipient, the platform's messages after the sandbox has posted everything. Each message
 * has its direction, its status, the send's state and the error code.
 */
const KNOWN: Record<string, string> = {
  "+12025550123": "outbound read sent",
  "+15551000006": "outbound read sent", // the response to this send was an error that left the outcome unknown
  "+15551000007": "outbound read sent",
  "+15552000001": "outbound sent sent",
  "+15552000002": "outbound failed sent 131026",
  "+15552000003": "outbound failed sent 131049",
  "+15552000004": "outbound read sent",
  "+15552000005": "outbound read sent",
  "+15552000006": "outbound read sent, inbound",
  "+15552000007": "outbound read sent, inbound",
  "+15552000011": "outbound delivered sent",
};

Deno.test("the platform records the sandbox's reports about a message", async () => {
  await using channel = await companyWithSandbox();
  const { company } = channel;
  const sendTemplate = await ownSender(`${channel.url}/v26.0`);
  for (const phone of Object.keys(KNOWN)) {
    await channel.tells(() => sendTemplate(company.keys.messaging, template(phone)));
  }
  for (const [phone, known] of Object.entries(KNOWN)) {
    const messages = await messagesWith(company, phone);
    const words = messages.map(({ direction, status, state, code }) =>
      [direction, status, state, code].filter((word) => word !== null).join(" ")
    );
    assert.equal(words.join(", "), known, phone);
  }
  const [stopped] = await statement`
    select do_not_contact from contacts
    where company_id = ${company.id} and phone = '+15552000007'
  `;
  assert.equal(stopped.do_not_contact, true);
});

Deno.test("a simulated person can receive a reply, even without a phone number", async () => {
  await using channel = await companyWithSandbox();
  const { company } = channel;
  const reply = await ownReplies(`${channel.url}/v26.0`);
  for (const from of [{ from: "+12025550123" }, { user_id: "BR.5043781234567894" }]) {
    await channel.plays(from, "Hello");
    const [{ conversation_id }] = await statement`
      select conversation_id from messages
      where company_id = ${company.id} and direction = 'inbound' order by created_at desc limit 1
    `;
    const { status, body } = await channel.tells(() =>
      reply(company.keys.messaging, { conversation_id, text: "Hi" })
    );
    assert.equal(status, 200, JSON.stringify(body));
    const [answer] = await statement`select status from messages where id = ${body.message_id}`;
    assert.equal(answer.status, "read");
  }
});

Deno.test("the platform removes a reaction that fails later, and ignores all other reports about reactions", async () => {
  await using channel = await companyWithSandbox();
  const { company } = channel;
  const react = await ownReactions(`${channel.url}/v26.0`);
  for (const [from, shown] of [["+12025550123", "👍"], ["+15552000010", null]]) {
    await channel.plays({ from }, "Hello");
    const [{ id }] = await statement`
      select id from messages where company_id = ${company.id} and direction = 'inbound' order by created_at desc limit 1
    `;
    const { status } = await channel.tells(() =>
      react(company.keys.messaging, id, { emoji: "👍" })
    );
    const [{ emoji }] = await statement`
      select own_reaction ->> 'emoji' as emoji from messages where id = ${id}
    `;
    assert.deepEqual([status, emoji], [200, shown], `${from}`);
  }
  const kept = await statement`select from waiting_facts where company_id = ${company.id}`;
  assert.equal(kept.length, 0);
});
