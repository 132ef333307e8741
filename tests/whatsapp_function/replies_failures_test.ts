// What becomes of a free reply when the channel refuses it, fails or hangs, and when the database fails.

import assert from "node:assert/strict";
import { newCompany } from "../support/company.ts";
import { logged } from "../support/log_lines.ts";
import { backgroundWork, ownReplies, watchedStack } from "../support/own_functions.ts";
import { replyIn, spokenTo } from "../support/replying.ts";
import {
  accepted,
  endLeases,
  ledgerOf,
  ownChannel,
  setSealedToken,
  storedMessage,
} from "../support/sending.ts";
import { withDatabase } from "../support/test_stack.ts";

const QUICK = { settleRetriesMs: [10, 10, 10, 10], settleWaitMs: 2_000 };

interface Row {
  codes: number[];
  status: number;
  code: string;
  state: "failed" | "released" | "pending";
  outcome?: "not_sent" | "unknown";
}

const TABLE: Row[] = [
  { codes: [100, 131009, 131051, 999999], status: 422, code: "template_rejected", state: "failed" },
  { codes: [131026, 131062], status: 422, code: "recipient_unreachable", state: "failed" },
  { codes: [131050], status: 422, code: "recipient_opted_out", state: "failed" },
  { codes: [131047], status: 409, code: "window_closed", state: "failed" },
  {
    ...{ codes: [4, 130429, 131056, 131016], status: 502, code: "channel_unavailable" },
    ...{ state: "released", outcome: "not_sent" },
  },
  { codes: [190, 131031], status: 500, code: "channel_account_error", state: "released" },
  {
    ...{ codes: [1], status: 502, code: "channel_unavailable" },
    ...{ state: "pending", outcome: "unknown" },
  },
];

for (const { codes, status, code, state, outcome } of TABLE) {
  Deno.test(`${code}${outcome ? `, ${outcome}` : ""}: ${codes.join(", ")} as the answer to a reply`, async () => {
    for (const channelCode of codes) {
      const company = await spokenTo();
      await using channel = ownChannel(() =>
        Response.json({ error: { code: channelCode, message: "No" } }, { status: 400 })
      );
      const reply = await ownReplies(channel.url);
      const json = replyIn(company, { idempotency_key: `code ${channelCode}` });
      const answer = await reply(company.keys.messaging, json);
      assert.deepEqual(
        [answer.status, answer.body.success, answer.body.code, answer.body.outcome],
        [status, false, code, outcome],
        `${channelCode}`,
      );
      assert.ok(!answer.body.error.includes("template ") || code !== "template_rejected");
      const [entry] = await ledgerOf(company);
      assert.equal(entry.state, state);
      const repeat = await reply(company.keys.messaging, json);
      if (state === "released") assert.equal(repeat.status, status);
      else assert.deepEqual([repeat.status, repeat.body.status], [200, state]);
      assert.equal(channel.calls.length, state === "released" ? 2 : 1);
    }
  });
}

Deno.test("a reply that the channel certainly did not take is sent again as the next attempt, on the same message", async () => {
  const company = await spokenTo();
  const answers = [
    Response.json({ error: { code: 131016 } }, { status: 500 }),
    Response.json({ error: { code: 130429 } }, { status: 429 }),
    accepted(),
  ];
  await using channel = ownChannel(() => answers.shift()!);
  const reply = await ownReplies(channel.url);
  const send = (text: string) =>
    reply(company.keys.messaging, replyIn(company, { text, idempotency_key: "tried-thrice" }));
  assert.equal((await send("one")).body.outcome, "not_sent");
  const [{ id, message_id }] = await ledgerOf(company);
  assert.equal((await storedMessage(message_id)).status, "failed");
  assert.equal((await send("two")).body.outcome, "not_sent");
  const { body } = await send("three");
  assert.deepEqual([body.success, body.message_id, body.idempotent_hit], [true, message_id, false]);
  assert.deepEqual(
    channel.calls.map(({ body }) => [body.biz_opaque_callback_data, body.text.body]),
    [[`${id}.1`, "one"], [`${id}.2`, "two"], [`${id}.3`, "three"]],
  );
  const stored = await storedMessage(message_id);
  assert.deepEqual(
    [stored.content, stored.status, stored.failed_at, stored.failure],
    ["three", "accepted", null, null],
  );
});

Deno.test("a reply that becomes possible only after the window has closed is not sent any more", async () => {
  const company = await spokenTo();
  let isDown = true;
  await using channel = ownChannel(() =>
    isDown ? Response.json({ error: { code: 131016 } }, { status: 500 }) : accepted()
  );
  const reply = await ownReplies(channel.url);
  const json = replyIn(company, { idempotency_key: "too late" });
  assert.equal((await reply(company.keys.messaging, json)).body.outcome, "not_sent");
  isDown = false;
  await withDatabase((sql) =>
    sql`
      update contact_windows set last_inbound_at = now() - interval '25 hours' where company_id = ${company.id}
    `
  );
  assert.equal((await reply(company.keys.messaging, json)).body.code, "window_closed");
  const [{ state, attempt }] = await ledgerOf(company);
  assert.deepEqual([state, attempt, channel.calls.length], ["released", 1, 1]);
});

const MAY_HAVE_GONE: Record<string, () => Response> = {
  "a bare 500": () => new Response(null, { status: 500 }),
  "a 200 without an id": () => Response.json({ messages: [] }),
  "a redirect": () => new Response(null, { status: 307, headers: { Location: "http://x/" } }),
};

for (const [what, answer] of Object.entries(MAY_HAVE_GONE)) {
  Deno.test(`${what} as the answer to a reply: nothing is sent again, and it fails when its lease ends`, async () => {
    const company = await spokenTo();
    await using channel = ownChannel(answer);
    const reply = await ownReplies(channel.url);
    const send = () => reply(company.keys.messaging, replyIn(company, { idempotency_key: "once" }));
    const first = await send();
    assert.deepEqual([first.status, first.body.outcome], [502, "unknown"]);
    assert.match(first.body.error, /same idempotency_key/);
    assert.equal((await send()).body.status, "pending");
    await endLeases(company);
    assert.equal((await send()).body.status, "failed");
    assert.equal(channel.calls.length, 1);
  });
}

Deno.test("a repeat after an unknown outcome reports what is learnt later", async () => {
  const company = await spokenTo();
  await using channel = ownChannel(() => new Response(null, { status: 500 }));
  const reply = await ownReplies(channel.url);
  const json = replyIn(company, { idempotency_key: "unknown" });
  await reply(company.keys.messaging, json);
  await withDatabase((sql) =>
    sql`
      update sends set state = 'sent', whatsapp_message_id = 'wamid.reported' where company_id = ${company.id}
    `
  );
  const { body } = await reply(company.keys.messaging, json);
  assert.deepEqual([body.success, body.status], [true, "sent"]);
  assert.equal(channel.calls.length, 1);
});

Deno.test("a channel that hangs is given up after the time-out, with an unknown outcome", async () => {
  const company = await spokenTo();
  const stuck = Promise.withResolvers<Response>();
  await using channel = ownChannel(() => stuck.promise);
  const reply = await ownReplies(channel.url, { timeoutMs: 100 });
  const { status, body } = await reply(company.keys.messaging, replyIn(company));
  assert.deepEqual([status, body.outcome], [502, "unknown"]);
  assert.match(body.error, /A repeat could send it twice/);
  stuck.resolve(accepted());
  assert.equal(channel.calls.length, 1);
});

Deno.test("a channel that cannot be reached has certainly not taken the reply", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  listener.close();
  for (const port of [listener.addr.port, 9]) {
    const company = await spokenTo();
    const reply = await ownReplies(`http://127.0.0.1:${port}`);
    const { status, body } = await reply(company.keys.messaging, replyIn(company));
    assert.deepEqual([status, body.outcome], [502, "not_sent"], `${port}`);
    assert.equal((await ledgerOf(company))[0].state, "released");
  }
});

Deno.test("a token that cannot be opened is the account's error, and nothing is sent", async () => {
  const company = await spokenTo();
  await setSealedToken(company, (await newCompany()).sealed_token);
  await using channel = ownChannel(() => accepted());
  const reply = await ownReplies(channel.url);
  await logged(async () => {
    const { status, body } = await reply(company.keys.messaging, replyIn(company));
    assert.deepEqual([status, body.code], [500, "channel_account_error"]);
  });
  assert.equal(channel.calls.length, 0);
});

Deno.test("a claim whose answer is lost is released, so that a repeat can send", async () => {
  const company = await spokenTo();
  const json = replyIn(company, { idempotency_key: "lost" });
  let isLost = true;
  await using database = watchedStack(async (request) => {
    if (!isLost || !request.url.endsWith("/rpc/claim_reply")) return null;
    isLost = false;
    await (await database.forward(request)).body?.cancel();
    return new Response(null, { status: 504 });
  });
  await using channel = ownChannel(() => accepted());
  const reply = await ownReplies(channel.url, { supabaseUrl: database.url, ...QUICK });
  await logged(async () => {
    const { status, body } = await reply(company.keys.messaging, json);
    assert.deepEqual([status, body.error], [
      503,
      "The database does not answer; nothing was sent, so repeat the request",
    ]);
    await backgroundWork();
  });
  const [{ state, reason, message_id }] = await ledgerOf(company);
  assert.deepEqual([state, reason], ["released", "claim_unanswered"]);
  const { body } = await reply(company.keys.messaging, json);
  assert.deepEqual([body.success, body.message_id, body.idempotent_hit], [true, message_id, false]);
  assert.equal(channel.calls.length, 1);
});

Deno.test("recording the outcome of a reply is tried again until it succeeds", async () => {
  const company = await spokenTo();
  let failures = 3;
  await using database = watchedStack((request) =>
    request.url.endsWith("/rpc/settle_send") && failures-- > 0
      ? new Response(null, { status: 503 })
      : null
  );
  await using channel = ownChannel(() => accepted());
  const reply = await ownReplies(channel.url, { supabaseUrl: database.url, ...QUICK });
  const { body } = await reply(company.keys.messaging, replyIn(company));
  assert.equal(body.success, true);
  assert.equal((await ledgerOf(company))[0].state, "sent");
  assert.equal(channel.calls.length, 1);
});

Deno.test("the log has one line for a reply, without phone, text or token", async () => {
  const company = await spokenTo();
  await using channel = ownChannel(() => accepted("wamid.of-a-phone"));
  const reply = await ownReplies(channel.url);
  const lines = await logged(async () => {
    await reply(company.keys.messaging, replyIn(company, { text: "a secret of the person" }));
  });
  const [{ event, send_id, company_id, account_id, outcome }, ...more] = lines.map((line) =>
    JSON.parse(line)
  );
  assert.deepEqual([event, send_id, company_id, account_id, outcome, more], [
    "reply_send",
    (await ledgerOf(company))[0].id,
    company.id,
    company.account_id,
    "accepted",
    [],
  ]);
  for (const hidden of ["secret", "wamid", "sandbox-token"]) assert.ok(!lines[0].includes(hidden));
});
