// Tests how a company reacts to a message, and removes its reaction.
import assert from "node:assert/strict";
import { type Answer, call, send } from "../support/calls.ts";
import { changesOnce } from "../support/changes.ts";
import { type Company, newCompany } from "../support/company.ts";
import { logged } from "../support/log_lines.ts";
import { ownReactions, watchedStack } from "../support/own_functions.ts";
import { A_DAY, hidePhone, writes } from "../support/replying.ts";
import { accepted, ownChannel, setToken, storedMessage } from "../support/sending.ts";
import { stack, statement } from "../support/test_stack.ts";

/** Adds an inbound message to the company's conversation, with the message's id on the channel. */
async function written(company: Company, secondsAgo = 1) {
  const id = await writes(company, { secondsAgo });
  await statement`update messages set whatsapp_message_id = ${`wamid.${id}`} where id = ${id}`;
  return id;
}

const shown = async (company: Company, id: string) =>
  (await call(company.keys.read, "GET", `/messages/${id}`)).body.data.own_reaction;

const factsOf = ({ status, body }: Answer) => [status, body.code, body.outcome];

Deno.test("a reaction reaches the person and replaces the company's earlier reaction, and can be removed", async () => {
  const company = await newCompany();
  await setToken(company, "EAAG-react");
  const id = await written(company);
  await using channel = ownChannel(() => accepted());
  const react = await ownReactions(channel.url);
  const first = await react(company.keys.messaging, id, { emoji: "👍🏽" });
  assert.deepEqual([first.status, first.body.data.id], [200, id]);
  assert.equal(first.body.data.own_reaction.emoji, "👍🏽");
  assert.deepEqual(await shown(company, id), first.body.data.own_reaction);
  const [{ phone }] = await statement`select phone from contacts where id = ${company.contact_id}`;
  const [{ path, headers, body }] = channel.calls;
  assert.equal(path, `/v26.0/${company.phone_number_id}/messages`);
  assert.equal(headers.get("Authorization"), "Bearer EAAG-react");
  assert.deepEqual(body, {
    ...{ messaging_product: "whatsapp", recipient_type: "individual", to: phone },
    biz_opaque_callback_data: "reaction",
    ...{ type: "reaction", reaction: { message_id: `wamid.${id}`, emoji: "👍🏽" } },
  });

  const repeat = await react(company.keys.messaging, id, { emoji: "👍🏽" });
  assert.deepEqual(repeat.body, first.body, "a repeat keeps the time of the reaction");
  const other = await react(company.keys.messaging, id, { emoji: "❤️" });
  assert.deepEqual(await shown(company, id), other.body.data.own_reaction);
  for (const _ of ["removed", "already removed"]) {
    const removed = await react(company.keys.messaging, id);
    assert.deepEqual([removed.status, removed.body], [204, ""]);
    assert.equal(await shown(company, id), null);
  }
  assert.deepEqual(
    channel.calls.map(({ body }) => body.reaction.emoji),
    ["👍🏽", "👍🏽", "❤️", "", ""],
  );
  await changesOnce(
    company.keys.read,
    "/messages/changes",
    (rows) => rows.some((row) => row.id === id && row.own_reaction === null),
  );
});

Deno.test("a reaction to a person without a phone number is sent to the person's newest user id", async () => {
  const company = await newCompany();
  const id = await written(company);
  await hidePhone(company, ["BR.older", "BR.newest"]);
  await using channel = ownChannel(() => accepted());
  const react = await ownReactions(channel.url);
  assert.equal((await react(company.keys.messaging, id, { emoji: "👍" })).status, 200);
  const { to, recipient } = channel.calls[0].body;
  assert.deepEqual([to, recipient], [undefined, "BR.newest"]);
});

Deno.test("a reaction is not sent if the request is wrong, the window is closed or the message belongs to another company", async () => {
  const [company, other] = [await newCompany(), await newCompany()];
  const [old, revoked] = [await written(company, 31 * A_DAY), await written(company)];
  const [current, foreign] = [await written(company), await written(other)];
  await statement`update messages set revoked_at = now() where id = ${revoked}`;
  const closed = await newCompany();
  const late = await written(closed, A_DAY);
  await using channel = ownChannel(() => accepted());
  const react = await ownReactions(channel.url);
  const { messaging, read } = company.keys;
  const emoji = "👍";
  const refusals: [string, string, unknown, number, string][] = [
    [messaging, foreign, { emoji }, 404, "not_found"],
    [messaging, crypto.randomUUID(), { emoji }, 404, "not_found"],
    [messaging, foreign, undefined, 404, "not_found"],
    [messaging, old, { emoji }, 409, "conflict"],
    [messaging, revoked, { emoji }, 409, "conflict"],
    [closed.keys.messaging, late, { emoji }, 409, "window_closed"],
    [closed.keys.messaging, late, undefined, 409, "window_closed"],
    [read, current, { emoji }, 403, "insufficient_scope"],
    [read, current, undefined, 403, "insufficient_scope"],
    ["sk_live_wrong", current, { emoji }, 401, "invalid_api_key"],
    [messaging, "x", { emoji }, 422, "invalid_request"],
    [messaging, current, {}, 422, "invalid_request"],
    [messaging, current, { emoji: "" }, 422, "invalid_request"],
    [messaging, current, { emoji: null }, 422, "invalid_request"],
    [messaging, current, { emoji: "👍👍" }, 422, "invalid_request"],
    [messaging, current, { emoji, remove: true }, 422, "invalid_request"],
  ];
  for (const [key, id, json, status, code] of refusals) {
    const answer = await react(key, id, json);
    const [saidStatus, saidCode] = factsOf(answer);
    assert.deepEqual([saidStatus, saidCode], [status, code], JSON.stringify([json, answer.body]));
    if (status === 422 && id === current && code === "invalid_request") {
      assert.match(answer.body.details[0].field, /^(emoji|remove)$/);
    }
  }
  assert.deepEqual(channel.calls, []);
  assert.equal(await shown(company, current), null);
});

Deno.test("if the channel does not accept a reaction, the earlier reaction stays, and the response says why", async () => {
  const company = await newCompany();
  const id = await written(company);
  let answer = accepted;
  await using channel = ownChannel(() => answer());
  const react = await ownReactions(channel.url);
  await react(company.keys.messaging, id, { emoji: "👍" });
  const failures: [number, number, unknown[]][] = [
    [400, 131009, [422, "template_rejected", undefined]],
    [400, 131047, [409, "window_closed", undefined]],
    [400, 131026, [422, "recipient_unreachable", undefined]],
    [401, 190, [500, "channel_account_error", undefined]],
    [503, 2, [502, "channel_unavailable", "not_sent"]],
    [500, 1, [502, "channel_unavailable", "unknown"]],
  ];
  for (const [status, code, expected] of failures) {
    answer = () => Response.json({ error: { code, message: "No" } }, { status });
    for (const json of [{ emoji: "❤️" }, undefined]) {
      const refused = await react(company.keys.messaging, id, json);
      assert.deepEqual(factsOf(refused), expected);
      // The error codes are the same as for a send, but the messages are about a reaction.
      assert.doesNotMatch(refused.body.error, /rejected the message|idempotency_key/);
    }
  }
  assert.equal((await storedMessage(id)).own_reaction.emoji, "👍");
});

Deno.test("if the channel never responds, the outcome is unknown, and a repeat sets the reaction", async () => {
  const company = await newCompany();
  const id = await written(company);
  const silence = Promise.withResolvers<Response>();
  await using channel = ownChannel(() => channel.calls.length > 1 ? accepted() : silence.promise);
  const hurried = await ownReactions(channel.url, { timeoutMs: 50 });
  const lost = await hurried(company.keys.messaging, id, { emoji: "👍" });
  silence.resolve(accepted());
  assert.deepEqual(factsOf(lost), [502, "channel_unavailable", "unknown"]);
  assert.match(lost.body.error, /a repeat does no harm/);
  assert.equal(await shown(company, id), null);
  const react = await ownReactions(channel.url);
  const repeat = await react(company.keys.messaging, id, { emoji: "👍" });
  assert.deepEqual([repeat.status, (await shown(company, id)).emoji], [200, "👍"]);
});

Deno.test("a reaction needs two round trips to the database and one call to the channel", async () => {
  const company = await newCompany();
  const id = await written(company);
  await using channel = ownChannel(() => accepted());
  await using database = watchedStack();
  const react = await ownReactions(channel.url, { supabaseUrl: database.url });
  assert.equal((await react(company.keys.messaging, id, { emoji: "👍" })).status, 200);
  assert.deepEqual(database.seen.map(({ path }) => path), [
    "/rest/v1/rpc/message_to_react",
    "/rest/v1/rpc/note_own_reaction",
  ]);
  assert.equal(channel.calls.length, 1);
});

Deno.test("if the channel reports a failure before the reaction is stored, the response is a conflict", async () => {
  const company = await newCompany();
  const id = await written(company);
  const wamid = `wamid.${crypto.randomUUID()}`;
  await using channel = ownChannel(async () => {
    const { id: company_id, account_id } = company;
    await statement`
      insert into waiting_facts (company_id, account_id, whatsapp_message_id, item)
      values (${company_id}, ${account_id}, ${wamid}, '{ "kind": "status", "status": "failed" }')
    `;
    return accepted(wamid);
  });
  const react = await ownReactions(channel.url);
  const answer = await react(company.keys.messaging, id, { emoji: "👍" });
  assert.deepEqual(factsOf(answer), [409, "conflict", undefined]);
  assert.equal(await shown(company, id), null);
});

Deno.test("erasing a person removes the reaction, and then no one can react to the message", async () => {
  const company = await newCompany();
  const id = await written(company);
  await using channel = ownChannel(() => accepted());
  const react = await ownReactions(channel.url);
  await react(company.keys.messaging, id, { emoji: "👍" });
  const { contact_id, keys } = company;
  const erased = await call(keys.write, "POST", `/contacts/${contact_id}/erase`, {
    json: { confirm: contact_id },
  });
  assert.equal(erased.status, 200);
  const { own_reaction, own_reaction_whatsapp_id } = await storedMessage(id);
  assert.deepEqual([own_reaction, own_reaction_whatsapp_id], [null, null]);
  for (const json of [{ emoji: "👍" }, undefined]) {
    assert.deepEqual(factsOf(await react(keys.messaging, id, json)), [404, "not_found", undefined]);
  }
  assert.equal(channel.calls.length, 1);
});

Deno.test("if the reaction cannot be stored, the response asks the caller to repeat the request", async () => {
  const company = await newCompany();
  const id = await written(company);
  await using channel = ownChannel(() => accepted());
  await using database = watchedStack((request) =>
    request.url.endsWith("/note_own_reaction") ? new Response(null, { status: 503 }) : null
  );
  const react = await ownReactions(channel.url, { supabaseUrl: database.url });
  let answer: Answer;
  const lines = await logged(async () => {
    answer = await react(company.keys.messaging, id, { emoji: "👍" });
  });
  assert.equal(lines.length, 1);
  assert.deepEqual([answer!.status, answer!.body.code], [503, "database_unavailable"]);
  assert.match(answer!.body.error, /; the change may have been made, so .+ a repeat does no harm$/);
  const removed = await react(company.keys.messaging, id);
  assert.deepEqual([removed.status, removed.body.error], [503, answer!.body.error]);
  assert.equal(channel.calls.length, 2);
});

Deno.test("the path of a reaction accepts only PUT and DELETE", async () => {
  const { keys } = await newCompany();
  const url = `${stack.url}/functions/v1/whatsapp/messages/${crypto.randomUUID()}/reaction`;
  const answer = await send(url, "POST", { Authorization: `Bearer ${keys.messaging}` });
  assert.deepEqual([answer.status, answer.headers.get("Allow")], [405, "PUT, DELETE"]);
  assert.equal((await send(url, "POST", {})).status, 401);
});
