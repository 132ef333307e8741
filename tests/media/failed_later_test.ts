// Tests messages with a file that the channel accepts at first. The channel reports only later that
// it cannot use the file.
import assert from "node:assert/strict";
import { call } from "../support/calls.ts";
import { anyPhone, type Company } from "../support/company.ts";
import { ownReplies, ownSender } from "../support/own_functions.ts";
import { replyIn, spokenTo } from "../support/replying.ts";
import { accepted, ledgerOf, ownChannel, storedMessage, template } from "../support/sending.ts";
import { statement } from "../support/test_stack.ts";
import { addUpload } from "../support/uploading.ts";
import { itemsIn } from "../whatsapp_function/reading_events.ts";

/** Applies the channel's report that the company's only message has failed with this code. */
async function reportFailure(company: Company, code: number, id: string, mark?: string) {
  const [item] = itemsIn({
    statuses: [{
      ...{ id, status: "failed", timestamp: String(Math.floor(Date.now() / 1000)) },
      ...{ errors: [{ code, title: "Media error" }], biz_opaque_callback_data: mark },
    }],
  });
  await statement`
    select app.apply_status(array[${company.account_id}::uuid], ${
    JSON.stringify(item)
  }::text::jsonb)
  `;
}

/** The failure reason in the message, in the send that the API returns, and in the send's row. */
async function reasons(company: Company) {
  const [{ message_id, reason }] = await ledgerOf(company);
  const { body } = await call(company.keys.read, "GET", `/sends/${message_id}`);
  return [(await storedMessage(message_id)).failure.reason, body.data.failure.reason, reason];
}

const LINK = { link: "https://files.example/a.pdf", type: "document" };

for (const code of [131052, 131053]) {
  Deno.test(`the reported error code ${code} becomes media_rejected if the caller sent its own file, and otherwise template_rejected`, async () => {
    const cases: [name: string, expected: string][] = [
      ["reply with an upload", "media_rejected"],
      ["reply with a link", "media_rejected"],
      ["template with an upload", "media_rejected"],
      ["reply", "template_rejected"],
      ["template", "template_rejected"],
    ];
    await using channel = ownChannel(() => accepted());
    const reply = await ownReplies(channel.url);
    const send = await ownSender(channel.url);
    for (const [name, expected] of cases) {
      const company = await spokenTo();
      const key = company.keys.messaging;
      const id = await addUpload(company);
      const { status } = name.startsWith("template")
        ? await send(
          key,
          template(anyPhone(), { ...name.endsWith("upload") && { header_media: { id } } }),
        )
        : await reply(
          key,
          replyIn(company, {
            ...name.endsWith("upload") && { media: { id } },
            ...name.endsWith("link") && { media: LINK },
          }),
        );
      assert.equal(status, 200, name);
      const [{ message_id }] = await ledgerOf(company);
      const { whatsapp_message_id } = await storedMessage(message_id);
      await reportFailure(company, code, whatsapp_message_id);
      // The channel accepted the message, so the send's row contains no failure reason.
      assert.deepEqual(await reasons(company), [expected, expected, null], name);
    }
  });
}

Deno.test("a reported failure settles a send whose response was lost, with media_rejected or with another reason", async () => {
  await using channel = ownChannel(() => new Response("lost", { status: 500 }));
  const reply = await ownReplies(channel.url);
  for (const [code, expected] of [[131053, "media_rejected"], [131026, "recipient_unreachable"]]) {
    const company = await spokenTo();
    const media = { id: await addUpload(company) };
    await reply(company.keys.messaging, replyIn(company, { media, idempotency_key: "k" }));
    const [{ id, attempt, whatsapp_message_id }] = await ledgerOf(company);
    assert.equal(whatsapp_message_id, null);
    await reportFailure(company, code as number, "wamid.late", `${id}.${attempt}`);
    assert.deepEqual(await reasons(company), [expected, expected, expected]);
  }
});
