// Tests the result of a free reply if the channel refuses it or fails, or if the token cannot be
// decrypted.

import assert from "node:assert/strict";
import { newCompany } from "../support/company.ts";
import { later, logged } from "../support/log_lines.ts";
import { ownReplies, watchedStack } from "../support/own_functions.ts";
import { replyIn, spokenTo } from "../support/replying.ts";
import { accepted, ledgerOf, ownChannel, setSealedToken } from "../support/sending.ts";
import { statement } from "../support/test_stack.ts";

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
  Deno.test(`if the channel returns ${codes.join(" or ")}, the error is ${code}, and the reply is ${state}`, async () => {
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

Deno.test("a repeat of a released reply sends nothing after the window has closed", async () => {
  const company = await spokenTo();
  let isDown = true;
  await using channel = ownChannel(() =>
    isDown ? Response.json({ error: { code: 131016 } }, { status: 500 }) : accepted()
  );
  const reply = await ownReplies(channel.url);
  const json = replyIn(company, { idempotency_key: "too late" });
  assert.equal((await reply(company.keys.messaging, json)).body.outcome, "not_sent");
  isDown = false;
  await statement`
    update contact_windows set last_inbound_at = now() - interval '25 hours' where company_id = ${company.id}
  `;
  assert.equal((await reply(company.keys.messaging, json)).body.code, "window_closed");
  const [{ state, attempt }] = await ledgerOf(company);
  assert.deepEqual([state, attempt, channel.calls.length], ["released", 1, 1]);
});

Deno.test("if the database does not store the claim of a reply, the error says that nothing was sent", async () => {
  const company = await spokenTo();
  await using channel = ownChannel(() => accepted());
  await using database = watchedStack((request) =>
    request.url.endsWith("/claim_reply") ? new Response(null, { status: 503 }) : null
  );
  const reply = await ownReplies(channel.url, {
    supabaseUrl: database.url,
    releaseRetriesMs: [],
  });
  const { status, body } = await reply(company.keys.messaging, replyIn(company));
  assert.deepEqual([status, body.error.split("; ")[1]], [
    ...[503, "nothing was sent, so repeat the request"],
  ]);
  assert.equal(channel.calls.length, 0);
});

Deno.test("a token that cannot be decrypted causes an account error, and nothing is sent", async () => {
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

Deno.test("a reply writes one log line without the phone number, text or token", async () => {
  const company = await spokenTo();
  await using channel = ownChannel(() => accepted("wamid.of-a-phone"));
  const reply = await ownReplies(channel.url);
  const lines = await later(20, () =>
    logged(async () => {
      await reply(company.keys.messaging, replyIn(company, { text: "the contact's secret" }));
    }));
  const [{ event, send_id, company_id, account_id, outcome }, ...more] = lines.map((line) =>
    JSON.parse(line)
  );
  assert.deepEqual(
    [event, send_id, company_id, account_id, outcome, more],
    ["reply_send", (await ledgerOf(company))[0].id, company.id, company.account_id, "accepted", []],
  );
  for (const hidden of ["secret", "wamid", "sandbox-token"]) assert.ok(!lines[0].includes(hidden));
});
