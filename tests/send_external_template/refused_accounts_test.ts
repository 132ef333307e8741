// Tests that an account immediately shows a notice when the channel refuses the account during a
// send. The next accepted send removes the notice.

import assert from "node:assert/strict";
import { anyPhone, newCompany } from "../support/company.ts";
import { ownReplies, ownSender } from "../support/own_functions.ts";
import { replyIn } from "../support/replying.ts";
import { accepted, ownChannel, template } from "../support/sending.ts";
import { statement } from "../support/test_stack.ts";
import { refusal } from "../whatsapp/served.ts";

const company = await newCompany();
const key = company.keys.messaging;

/** The account's current refusals: the channel's error code, and the number of stopped sends. */
async function refusals() {
  const rows = await statement`
    select event, stopped_sends from account_notices
    where account_id = ${company.account_id} and kind = 'refusal' order by event
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
