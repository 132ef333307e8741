// Tests which uploads are deleted when a person is erased.
import assert from "node:assert/strict";
import { call } from "../support/calls.ts";
import type { Company } from "../support/company.ts";
import { ownReplies } from "../support/own_functions.ts";
import { replyIn, spokenTo, writes } from "../support/replying.ts";
import { accepted, ownChannel } from "../support/sending.ts";
import { statement } from "../support/test_stack.ts";
import { addUpload } from "../support/uploading.ts";

/** A company whose contact has just sent a message, and the same company with another contact. */
async function twoSpokenTo(): Promise<[Company, Company]> {
  const company = await spokenTo();
  const [{ id: contact_id }] = await statement`
    insert into contacts (company_id, phone) values (${company.id}, '+5511988887777') returning id
  `;
  const [{ id: conversation_id }] = await statement`
    insert into conversations (company_id, contact_id, messaging_account_id)
    values (${company.id}, ${contact_id}, ${company.account_id}) returning id
  `;
  const other = { ...company, contact_id, conversation_id };
  await writes(other);
  return [company, other];
}

/** Erases the contact, and returns the ids of the company's remaining uploads. */
async function uploadsAfterErasing({ id, contact_id, keys }: Company): Promise<string[]> {
  const erased = await call(keys.write, "POST", `/contacts/${contact_id}/erase`, {
    json: { confirm: contact_id },
  });
  assert.equal(erased.status, 200);
  const left = await statement`select id from media_uploads where company_id = ${id}`;
  return left.map(({ id }) => id).sort();
}

Deno.test("erasing a contact deletes uploads sent only to this contact, and keeps uploads that were also sent to others", async () => {
  const [company, other] = await twoSpokenTo();
  await using channel = ownChannel(() => accepted());
  const reply = await ownReplies(channel.url);
  const [own, shared, ofOther, unsent] = [
    await addUpload(company),
    await addUpload(company),
    await addUpload(company),
    await addUpload(company),
  ];
  for (
    const [to, id] of [[company, own], [company, own], [company, shared], [other, shared], [
      other,
      ofOther,
    ]] as const
  ) {
    assert.equal((await reply(company.keys.messaging, replyIn(to, { media: { id } }))).status, 200);
  }
  assert.deepEqual(await uploadsAfterErasing(company), [shared, ofOther, unsent].sort());
});

Deno.test("a reply to another contact keeps an upload only if the channel may have accepted the reply", async () => {
  const [company, other] = await twoSpokenTo();
  const [refused, released, unknown] = [
    { status: 400, code: 131026 },
    { status: 503, code: 2 },
    { status: 500, code: 1 },
  ];
  const sent = new Map<object, string>();
  let answer = () => accepted();
  await using channel = ownChannel(() => answer());
  const reply = await ownReplies(channel.url);
  for (const failure of [refused, released, unknown]) {
    const id = await addUpload(company);
    const { status, code } = failure;
    answer = () => Response.json({ error: { code, message: "No" } }, { status });
    const failed = await reply(company.keys.messaging, replyIn(other, { media: { id } }));
    assert.notEqual(failed.status, 200);
    answer = () => accepted();
    const { status: answered } = await reply(
      company.keys.messaging,
      replyIn(company, { media: { id } }),
    );
    assert.equal(answered, 200);
    sent.set(failure, id);
  }
  assert.deepEqual(await uploadsAfterErasing(company), [sent.get(unknown)]);
});

Deno.test("erasing a merged contact deletes uploads sent only to the two contacts that were merged", async () => {
  const [company, other] = await twoSpokenTo();
  await using channel = ownChannel(() => accepted());
  const reply = await ownReplies(channel.url);
  const id = await addUpload(company);
  for (const to of [company, other]) {
    assert.equal((await reply(company.keys.messaging, replyIn(to, { media: { id } }))).status, 200);
  }
  const merged = await call(company.keys.all, "POST", `/contacts/${company.contact_id}/merge`, {
    json: { from: other.contact_id },
  });
  assert.equal(merged.status, 200);
  assert.deepEqual(await uploadsAfterErasing(company), []);
});
