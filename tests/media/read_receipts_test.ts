// Tests read receipts and typing indicators.
import assert from "node:assert/strict";
import { whatsapp } from "../../supabase/functions/whatsapp/app.ts";
import { readWhatsappConfig } from "../../supabase/functions/whatsapp/whatsapp_config.ts";
import { newCompany } from "../support/company.ts";
import { replyIn, spokenTo, writes } from "../support/replying.ts";
import { accepted, ownChannel, setToken, storedMessage } from "../support/sending.ts";
import { ownReplies, watchedStack } from "../support/own_functions.ts";
import { environment, stack, statement } from "../support/test_stack.ts";

/** Returns a function that marks a message as read. */
async function ownReader(channelUrl: string, supabaseUrl = stack.url) {
  const app = whatsapp(await readWhatsappConfig(environment({ supabaseUrl, channelUrl })));
  return async (key: string, id: string, json: unknown = {}) => {
    const answer = await app.fetch(
      new Request(`http://functions.example/whatsapp/messages/${id}/read`, {
        method: "POST",
        headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
        body: JSON.stringify(json),
      }),
    );
    return { status: answer.status, body: await answer.json() };
  };
}

/** Adds an inbound message to the company's conversation, with the message's id on the channel. */
async function written(company: Awaited<ReturnType<typeof newCompany>>, secondsAgo = 1) {
  const id = await writes(company, { secondsAgo });
  await statement`update messages set whatsapp_message_id = ${`wamid.${id}`} where id = ${id}`;
  return id;
}

Deno.test("the channel marks a message as read, and `read_at` is also set for earlier messages in the conversation", async () => {
  const company = await newCompany();
  await setToken(company, "EAAG-read");
  const [first, second] = [await written(company), await written(company)];
  await using channel = ownChannel(() => Response.json({ success: true }));
  const markRead = await ownReader(channel.url);
  const { status, body } = await markRead(company.keys.messaging, second, { typing: true });
  const later = await written(company);
  assert.deepEqual([status, body.data.id, body.data.typing], [200, second, true]);
  assert.equal(channel.calls[0].path, `/v26.0/${company.phone_number_id}/messages`);
  assert.equal(channel.calls[0].headers.get("Authorization"), "Bearer EAAG-read");
  assert.deepEqual(channel.calls[0].body, {
    messaging_product: "whatsapp",
    status: "read",
    message_id: `wamid.${second}`,
    typing_indicator: { type: "text" },
  });
  const times = await Promise.all(
    [first, second, later].map(async (id) => (await storedMessage(id)).read_at),
  );
  assert.deepEqual(times.map((at) => at !== null), [true, true, false]);
  assert.equal(Date.parse(body.data.read_at), times[1].getTime());

  const repeat = await markRead(company.keys.messaging, second);
  assert.deepEqual([repeat.body.data.read_at, repeat.body.data.typing], [body.data.read_at, false]);
  assert.equal("typing_indicator" in channel.calls[1].body, false);
});

Deno.test("a request marks at most 1,000 messages, newest first, and a repeat marks the next ones", async () => {
  const company = await newCompany();
  const id = await written(company, 0);
  await statement`
    insert into messages (company_id, conversation_id, direction, content, created_at)
    select ${company.id}, ${company.conversation_id}, 'inbound', 'Oi', now() - n * interval '1 minute'
    from generate_series(1, 1004) as n
  `;
  await using channel = ownChannel(() => Response.json({ success: true }));
  const markRead = await ownReader(channel.url);
  const first = await markRead(company.keys.messaging, id);
  const unread = () =>
    statement`
      select count(*)::int, max(created_at) < now() - interval '999 minutes' as are_oldest
      from messages where conversation_id = ${company.conversation_id} and read_at is null
    `;
  assert.deepEqual([...await unread()], [{ count: 5, are_oldest: true }]);
  const repeat = await markRead(company.keys.messaging, id);
  assert.deepEqual([repeat.status, repeat.body], [200, first.body]);
  assert.equal((await unread())[0].count, 0);
});

Deno.test("only an inbound message of the key's company from the last 30 days can be marked as read", async () => {
  const company = await spokenTo();
  const other = await newCompany();
  await using channel = ownChannel(() => accepted());
  const reply = await ownReplies(channel.url);
  const { body: { message_id: own } } = await reply(company.keys.messaging, replyIn(company));
  const ofOther = await written(other);
  const old = await written(company, 31 * 86_400);
  const current = await written(company);
  const markRead = await ownReader(channel.url);
  const refusals: [string, string, unknown, number, string][] = [
    [company.keys.messaging, ofOther, {}, 404, "not_found"],
    [company.keys.messaging, crypto.randomUUID(), {}, 404, "not_found"],
    [company.keys.messaging, own, {}, 409, "conflict"],
    [company.keys.messaging, old, {}, 409, "conflict"],
    [company.keys.read, current, {}, 403, "insufficient_scope"],
    ["sk_live_wrong", current, {}, 401, "invalid_api_key"],
    [company.keys.messaging, current, { typing: "yes" }, 422, "invalid_request"],
    [company.keys.messaging, "x", {}, 422, "invalid_request"],
  ];
  for (const [key, id, json, status, code] of refusals) {
    const answer = await markRead(key, id, json);
    assert.deepEqual(
      [answer.status, answer.body.code],
      [status, code],
      JSON.stringify(answer.body),
    );
  }
  assert.equal(channel.calls.length, 1, "only the reply reached the channel");
  await statement`update messaging_accounts set disconnected_at = now(), encrypted_token = null where id = ${company.account_id}`;
  const gone = await markRead(company.keys.messaging, current);
  assert.deepEqual([gone.status, gone.body.code], [404, "account_not_connected"]);
});

Deno.test("if the channel does not mark the message as read, `read_at` remains empty, and a refusal of the account creates a notice", async () => {
  const company = await newCompany();
  const id = await written(company);
  const failures: [number, number, number, string][] = [
    [503, 2, 502, "channel_unavailable"],
    [401, 190, 500, "channel_account_error"],
    [400, 131009, 409, "conflict"],
  ];
  for (const [httpStatus, code, status, expected] of failures) {
    await using channel = ownChannel(() =>
      Response.json({ error: { code, message: "No", type: "OAuthException" } }, {
        status: httpStatus,
      })
    );
    const answer = await (await ownReader(channel.url))(company.keys.messaging, id);
    assert.deepEqual([answer.status, answer.body.code], [status, expected]);
    if (status === 502) assert.equal(answer.body.outcome, "not_sent");
  }
  const notices = await statement`
    select event, stopped_sends from account_notices where account_id = ${company.account_id}
  `;
  assert.deepEqual([...notices], [{ event: "190", stopped_sends: 0 }]);
  assert.equal((await storedMessage(id)).read_at, null);
});

Deno.test("if the database fails after the channel marked the message, the error says that this may have been done", async () => {
  const company = await newCompany();
  const id = await written(company);
  await using channel = ownChannel(() => Response.json({ success: true }));
  await using database = watchedStack((request) =>
    request.url.endsWith("/note_message_read") ? new Response(null, { status: 503 }) : null
  );
  const markRead = await ownReader(channel.url, database.url);
  const { status, body } = await markRead(company.keys.messaging, id);
  assert.deepEqual([status, body.code, channel.calls.length], [503, "database_unavailable", 1]);
  assert.match(body.error, /; the change may have been made, so .+ a repeat does no harm$/);
});
