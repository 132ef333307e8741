// Tests that an account immediately shows a notice when the channel refuses the account during a
// send, an upload or a reaction. The next accepted send removes the notice.

import assert from "node:assert/strict";
import { anyPhone, newCompany } from "../support/company.ts";
import { ownReactions, ownReplies, ownSender } from "../support/own_functions.ts";
import { replyIn, writes } from "../support/replying.ts";
import { accepted, ownChannel, setSealedToken, setToken, template } from "../support/sending.ts";
import { statement } from "../support/test_stack.ts";
import { fileOfType, ownUploads, uploadChannel } from "../support/uploading.ts";
import { refusal, served } from "../whatsapp/served.ts";

const company = await newCompany();
const key = company.keys.messaging;

/** The account's current refusals: the channel's error code, and the number of stopped sends. */
async function refusals({ account_id } = company) {
  const rows = await statement`
    select event, stopped_sends from account_notices
    where account_id = ${account_id} and kind = 'refusal' order by event
  `;
  return rows.map(({ event, stopped_sends }) => [event, stopped_sends]);
}

Deno.test("if the channel refuses the account, the refused template sends and replies are counted until a send succeeds", async () => {
  await statement`
    insert into messages (company_id, conversation_id, direction, content, sent_at)
    values (${company.id}, ${company.conversation_id}, 'inbound', 'Hello', now())
  `;
  let code: number | null = 131042;
  await using channel = ownChannel(() =>
    code === null ? accepted() : refusal(code, "EAAG no", {}, 400)
  );
  const send = await ownSender(channel.url);
  const reply = await ownReplies(channel.url);
  for (const expected of [1, 2]) {
    const { body } = await send(key, template(anyPhone()));
    assert.equal(body.code, "channel_account_error");
    assert.deepEqual(await refusals(), [["131042", expected]]);
  }
  code = 190;
  assert.equal((await reply(key, replyIn(company))).body.code, "channel_account_error");
  assert.deepEqual(await refusals(), [["131042", 2], ["190", 1]]);
  code = 131026; // an unreachable recipient causes no notice about the account
  await send(key, template(anyPhone()));
  assert.equal((await refusals()).length, 2);
  code = null;
  assert.equal((await send(key, template(anyPhone()))).status, 200);
  assert.deepEqual(await refusals(), []);
});

Deno.test("if the channel refuses the account during an upload or a reaction, or if the token is unusable, the account shows a notice", async () => {
  const own = await newCompany();
  const { messaging } = own.keys;
  const message_id = await writes(own);
  await statement`update messages set whatsapp_message_id = 'wamid.x' where id = ${message_id}`;
  await using host = served(() => {
    const headers = { "Content-Type": "application/pdf" };
    return new Response(fileOfType("application/pdf", 700), { headers });
  });
  await using channel = uploadChannel(() => refusal(131042, "No", {}, 400));
  const send = await ownSender(channel.url, {
    whatsapp: { url: channel.url, timeoutMs: 5_000, mediaHosts: [host.origin] },
  });
  const upload = await ownUploads(channel.url);
  const react = await ownReactions(channel.url);
  const header_media = { url: `${host.origin}/invoice.pdf` };
  const requests = [
    () => send(messaging, template(anyPhone(), { template_header_type: "document", header_media })),
    () => upload(messaging, fileOfType("image/png", 64), { type: "image/png" }),
    () => react(messaging, message_id, { emoji: "👍" }),
  ];
  // A notice counts the sends that the refusal stopped. An upload and a reaction are not sends.
  for (
    const [event, prepare] of [
      ["131042", () => setToken(own, "EAAG-refused")],
      ["token_unusable", () => setSealedToken(own, company.sealed_token)],
    ] as const
  ) {
    await prepare();
    for (const [request, stopped] of requests.map((request, i) => [request, i ? 0 : 1] as const)) {
      await statement`delete from account_notices where account_id = ${own.account_id}`;
      const { status, body } = await request();
      assert.deepEqual([status, body.code], [500, "channel_account_error"], JSON.stringify(body));
      assert.deepEqual(await refusals(own), [[event, stopped]], String(request));
    }
  }
});
