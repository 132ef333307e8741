// Tests replies with files, quotes, buttons and lists: what is sent to the channel, what is stored,
// and what is refused.
import assert from "node:assert/strict";
import { assertField, call } from "../support/calls.ts";
import { addMessage, connectAccount, newCompany } from "../support/company.ts";
import { ownReplies } from "../support/own_functions.ts";
import { replyIn, spokenTo, writes } from "../support/replying.ts";
import { accepted, ledgerOf, ownChannel, storedMessage } from "../support/sending.ts";
import { statement, withDatabase } from "../support/test_stack.ts";
import { addUpload } from "../support/uploading.ts";

/** The fields of a message that depend on its type. */
function own(
  { messaging_product: _m, recipient_type: _r, biz_opaque_callback_data: _b, to: _t, ...rest }:
    Record<string, unknown>,
) {
  return rest;
}

Deno.test("a reply with an upload is sent in the channel's format, and stored with the known data about the file", async () => {
  const company = await spokenTo();
  await using channel = ownChannel(() => accepted());
  const reply = await ownReplies(channel.url);
  const kinds: [Record<string, unknown>, Record<string, unknown>, Record<string, unknown>][] = [
    [
      { type: "document", mime_type: "application/pdf" },
      { text: "Your invoice", media: { filename: "A-1815.pdf" } },
      {
        type: "document",
        document: { id: "1815", filename: "A-1815.pdf", caption: "Your invoice" },
      },
    ],
    [
      { type: "document", mime_type: "application/pdf" },
      { text: undefined, media: {} },
      { type: "document", document: { id: "1815", filename: "invoice.pdf" } },
    ],
    [
      { type: "image", mime_type: "image/png", filename: null },
      { text: "x".repeat(1024), media: {} },
      { type: "image", image: { id: "1815", caption: "x".repeat(1024) } },
    ],
    [
      { type: "video", mime_type: "video/mp4", filename: null },
      { text: "Look", media: { voice: false } },
      { type: "video", video: { id: "1815", caption: "Look" } },
    ],
    [
      { type: "audio", mime_type: "audio/mpeg", filename: null },
      { text: undefined, media: {} },
      { type: "audio", audio: { id: "1815" } },
    ],
    [
      { type: "audio", mime_type: "audio/ogg; codecs=opus", filename: null },
      { text: undefined, media: { voice: true } },
      { type: "audio", audio: { id: "1815", voice: true } },
    ],
  ];
  for (const [upload, { text, media }, expected] of kinds) {
    const id = await addUpload(company, upload);
    channel.calls.length = 0;
    const json = replyIn(company, { text, media: { id, ...media as object } });
    const { status, body } = await reply(company.keys.messaging, json);
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual(own(channel.calls[0].body), expected);
    const stored = await storedMessage(body.message_id);
    assert.deepEqual([stored.type, stored.content, stored.status], [
      upload.type,
      text ?? "",
      "accepted",
    ]);
    const { body: { data } } = await call(company.keys.read, "GET", `/messages/${body.message_id}`);
    const isAudio = upload.type === "audio";
    assert.deepEqual(data.media, {
      ...data.media,
      id,
      mime_type: upload.mime_type,
      sha256: "5e".repeat(32),
      filename: upload.type === "document"
        ? (media as { filename?: string }).filename ?? "invoice.pdf"
        : null,
      voice: isAudio ? (media as { voice?: boolean }).voice ?? false : null,
    });
  }
});

Deno.test("a reply with a URL passes the URL on to the channel, which fetches the file itself", async () => {
  const company = await spokenTo();
  await using channel = ownChannel(() => accepted());
  const reply = await ownReplies(channel.url);
  const link = `https://files.example/${"a".repeat(1700)}`;
  const media = { link, type: "document", filename: "a.pdf" };
  const { body } = await reply(
    company.keys.messaging,
    replyIn(company, { text: undefined, media }),
  );
  assert.deepEqual(own(channel.calls[0].body), {
    type: "document",
    document: { link, filename: "a.pdf" },
  });
  const stored = await storedMessage(body.message_id);
  assert.deepEqual([stored.type, stored.media.id, stored.media.filename], [
    "document",
    null,
    "a.pdf",
  ]);
});

Deno.test("a reply to a specific message quotes that message", async () => {
  const company = await newCompany();
  const asked = await writes(company);
  await statement`update messages set whatsapp_message_id = ${`wamid.${asked}`} where id = ${asked}`;
  await using channel = ownChannel(() => accepted());
  const reply = await ownReplies(channel.url);
  const json = replyIn(company, { reply_to_id: asked });
  const { body } = await reply(company.keys.messaging, json);
  assert.deepEqual(channel.calls[0].body.context, { message_id: `wamid.${asked}` });
  const shown = await call(company.keys.read, "GET", `/messages/${body.message_id}`);
  const { reply_to_id, reply_to_whatsapp_id } = shown.body.data;
  assert.deepEqual([reply_to_id, reply_to_whatsapp_id], [asked, `wamid.${asked}`]);
});

Deno.test("an upload or message from another company, number or conversation is refused with the same error as an unknown upload or message", async () => {
  const company = await spokenTo();
  const other = await spokenTo();
  const second = await withDatabase((sql) => connectAccount(sql, company.id));
  await using channel = ownChannel(() => accepted());
  const reply = await ownReplies(channel.url);
  const uploads = [
    await addUpload(other),
    await addUpload({ ...company, account_id: second.id }),
    await addUpload(company, { expires_at: new Date() }),
    crypto.randomUUID(),
  ];
  const [{ id: elsewhere }] = await statement`
    insert into conversations (company_id, contact_id, messaging_account_id)
    values (${company.id}, ${company.contact_id}, ${second.id}) returning id
  `;
  const ofElsewhere = await withDatabase((sql) =>
    addMessage(sql, { ...company, conversation_id: elsewhere }, { whatsapp_message_id: "wamid.x" })
  );
  const withoutId = await writes(company);
  await statement`update messages set whatsapp_message_id = null where id = ${withoutId}`;
  const ofOther = await writes(other);
  const messages = [ofElsewhere, withoutId, ofOther, crypto.randomUUID()];
  for (const query of ["", "?dry_run=true"]) {
    for (const id of uploads) {
      const json = replyIn(company, { media: { id }, idempotency_key: "k" });
      const answer = await reply(company.keys.messaging, json, query);
      assertField(answer, "media.id", /^is not an upload of the conversation's phone number/);
    }
    for (const reply_to_id of messages) {
      const answer = await reply(company.keys.messaging, replyIn(company, { reply_to_id }), query);
      assertField(answer, "reply_to_id", /^is not a message of this conversation/);
    }
  }
  assert.deepEqual([channel.calls.length, await ledgerOf(company)], [0, []]);
});

Deno.test("`filename`, `voice` and `caption` are refused for file types that do not support them", async () => {
  const company = await spokenTo();
  await using channel = ownChannel(() => accepted());
  const reply = await ownReplies(channel.url);
  const image = await addUpload(company, { type: "image", mime_type: "image/png" });
  const mp3 = await addUpload(company, { type: "audio", mime_type: "audio/mpeg" });
  const refusals: [Record<string, unknown>, string][] = [
    [{ media: { id: image, filename: "a.png" } }, "media.filename"],
    [{ media: { id: image, voice: true } }, "media.voice"],
    [{ text: undefined, media: { id: mp3, voice: true } }, "media.voice"],
    [{ media: { id: mp3 } }, "text"],
  ];
  for (const [changes, field] of refusals) {
    assertField(await reply(company.keys.messaging, replyIn(company, changes)), field, /left out/);
  }
  assert.equal(channel.calls.length, 0);
});

Deno.test("buttons and lists are sent in the channel's format, and the stored message contains all of them", async () => {
  const company = await spokenTo();
  await using channel = ownChannel(() => accepted());
  const reply = await ownReplies(channel.url);
  const buttons = [1, 2, 3].map((n) => ({ id: `${n}`.repeat(200), title: `${n}`.repeat(20) }));
  const list = {
    button: "b".repeat(20),
    sections: [
      {
        title: "t".repeat(24),
        rows: [{ id: "i".repeat(200), title: "r".repeat(24), description: "d".repeat(72) }],
      },
      {
        title: "Other",
        rows: Array.from({ length: 9 }, (_, n) => ({ id: `${n}`, title: "Same" })),
      },
    ],
  };
  const offers: [Record<string, unknown>, Record<string, unknown>, number][] = [
    [
      { buttons },
      {
        type: "button",
        action: { buttons: buttons.map((each) => ({ type: "reply", reply: each })) },
      },
      1024,
    ],
    [{ list }, { type: "list", action: list }, 4096],
  ];
  for (const [offer, interactive, limit] of offers) {
    channel.calls.length = 0;
    const text = "x".repeat(limit);
    const { status, body } = await reply(
      company.keys.messaging,
      replyIn(company, { text, ...offer }),
    );
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual(own(channel.calls[0].body), {
      type: "interactive",
      interactive: { ...interactive, body: { text } },
    });
    const { body: { data } } = await call(company.keys.read, "GET", `/messages/${body.message_id}`);
    assert.deepEqual([data.type, data.content, data.payload], [
      "interactive",
      text,
      { interactive },
    ]);
  }
});

Deno.test("a reply that exceeds any limit by one is refused, and the error names the field", async () => {
  const company = await spokenTo();
  await using channel = ownChannel(() => accepted());
  const reply = await ownReplies(channel.url);
  const button = { id: "a", title: "A" };
  const row = { id: "a", title: "A" };
  const ofList = (...sections: unknown[]) => ({ list: { button: "Choose", sections } });
  const rows = (count: number, prefix = "") =>
    Array.from({ length: count }, (_, n) => ({ id: `${prefix}${n}`, title: "T" }));
  const media = { id: crypto.randomUUID() };
  const link = { link: "https://files.example/a.png", type: "image" };
  const refusals: [Record<string, unknown>, string][] = [
    [{ text: "x".repeat(4097) }, "text"],
    [{ text: undefined }, "text"],
    [{ text: undefined, buttons: [button] }, "text"],
    [{ text: "x".repeat(1025), media }, "text"],
    [{ text: "x".repeat(1025), buttons: [button] }, "text"],
    [{ buttons: [button], media }, "body"],
    [{ buttons: [button], ...ofList({ rows: [row] }) }, "body"],
    [{ buttons: [] }, "buttons"],
    [{ buttons: ["a", "b", "c", "d"].map((id) => ({ id, title: id })) }, "buttons"],
    [{ buttons: [button, { id: "a", title: "B" }] }, "buttons"],
    [{ buttons: [button, { id: "b", title: "A" }] }, "buttons"],
    [{ buttons: [{ id: "a".repeat(201), title: "A" }] }, "buttons.0.id"],
    [{ buttons: [{ id: "a", title: "A".repeat(21) }] }, "buttons.0.title"],
    [{ buttons: [{ ...button, url: "x" }] }, "buttons.0.url"],
    [{ list: { button: "b".repeat(21), sections: [{ rows: [row] }] } }, "list.button"],
    [ofList(), "list.sections"],
    [ofList({ rows: [] }), "list.sections.0.rows"],
    [ofList({ rows: rows(11) }), "list.sections.0.rows"],
    [ofList({ title: "A", rows: rows(6) }, { title: "B", rows: rows(5, "b") }), "list.sections"],
    [ofList({ title: "A", rows: rows(1) }, { rows: rows(1, "b") }), "list.sections"],
    [ofList({ title: "A", rows: rows(1) }, { title: "B", rows: rows(1) }), "list.sections"],
    [
      ofList(
        ...Array.from(
          { length: 11 },
          (_, n) => ({ title: "A", rows: [{ id: `${n}`, title: "T" }] }),
        ),
      ),
      "list.sections",
    ],
    [ofList({ title: "t".repeat(25), rows: [row] }), "list.sections.0.title"],
    [ofList({ rows: [{ ...row, id: "i".repeat(201) }] }), "list.sections.0.rows.0.id"],
    [ofList({ rows: [{ ...row, title: "t".repeat(25) }] }), "list.sections.0.rows.0.title"],
    [
      ofList({ rows: [{ ...row, description: "d".repeat(73) }] }),
      "list.sections.0.rows.0.description",
    ],
    [{ media: {} }, "media.id"],
    [{ media: { ...media, ...link } }, "media.id"],
    [{ media: { ...media, type: "image" } }, "media.type"],
    [{ media: { link: link.link } }, "media.type"],
    [{ media: { ...link, type: "sticker" } }, "media.type"],
    [{ media: { ...link, link: "http://files.example/a.png" } }, "media.link"],
    [{ media: { ...link, link: "https://user@files.example/a.png" } }, "media.link"],
    [{ media: { ...link, link: `https://files.example/${"a".repeat(2048)}` } }, "media.link"],
    [{ media: { ...media, filename: "a".repeat(241) } }, "media.filename"],
    [{ media: { ...media, voice: "yes" } }, "media.voice"],
    [{ reply_to_id: "x" }, "reply_to_id"],
  ];
  for (const [changes, field] of refusals) {
    const answer = await reply(company.keys.messaging, replyIn(company, changes));
    assert.equal(answer.status, 422, JSON.stringify(changes).slice(0, 200));
    assert.equal(answer.body.details?.[0].field ?? "body", field, answer.body.error);
  }
  assert.equal(channel.calls.length, 0);
});

Deno.test("the link of a reply may have 2,048 characters, and the error for a longer link says so", async () => {
  const company = await spokenTo();
  await using channel = ownChannel(() => accepted());
  const reply = await ownReplies(channel.url);
  const origin = "https://files.example/";
  const replies = [2048, 2049].map((length) => ({
    type: "image",
    link: origin + "a".repeat(length - origin.length),
  }));
  const [longest, tooLong] = await Promise.all(
    replies.map((media) => reply(company.keys.messaging, replyIn(company, { media }))),
  );
  assert.equal(longest.status, 200, JSON.stringify(longest.body));
  assertField(tooLong, "media.link", "must have at most 2048 characters");
});

Deno.test("a repeated idempotency key sends only one message, and the response names the fields that differ", async () => {
  const company = await spokenTo();
  await using channel = ownChannel(() => accepted());
  const reply = await ownReplies(channel.url);
  const [one, other] = [await addUpload(company), await addUpload(company)];
  const json = replyIn(company, { media: { id: one }, idempotency_key: "invoice-7" });
  const [first, repeat] = await Promise.all(
    [json, json].map((each) => reply(company.keys.messaging, each)),
  );
  assert.equal(new Set([first, repeat].map(({ body }) => body.message_id)).size, 1);
  const mismatches: [Record<string, unknown>, string[] | undefined][] = [
    [{}, undefined],
    [{ media: { id: other } }, ["media"]],
    [{ media: undefined }, ["media"]],
    [{ media: undefined, buttons: [{ id: "a", title: "A" }] }, ["media", "buttons"]],
    [{ media: { id: one, filename: "b.pdf" }, text: "Other" }, ["text", "media"]],
  ];
  for (const [changes, mismatch] of mismatches) {
    const { body } = await reply(company.keys.messaging, { ...json, ...changes });
    assert.deepEqual(
      [body.idempotent_hit, body.mismatch],
      [true, mismatch],
      JSON.stringify(changes),
    );
  }
  assert.equal(channel.calls.length, 1);
});

Deno.test("a text-only reply has the same fingerprint, channel request and row as in releases without file replies", async () => {
  const company = await spokenTo();
  await using channel = ownChannel(() => accepted());
  const reply = await ownReplies(channel.url);
  const { body } = await reply(
    company.keys.messaging,
    replyIn(company, { idempotency_key: "old" }),
  );
  const [{ fingerprint }] = await ledgerOf(company);
  const [{ expected }] = await statement`
    select app.fingerprint_of_send(array[${company.conversation_id}, ${
    replyIn(company).text
  }]) as expected
  `;
  assert.deepEqual(fingerprint, expected);
  assert.deepEqual(Object.keys(channel.calls[0].body), [
    ...["messaging_product", "recipient_type", "biz_opaque_callback_data", "to", "type", "text"],
  ]);
  const { media, payload, reply_to_id, type } = await storedMessage(body.message_id);
  assert.deepEqual([media, payload, reply_to_id, type], [null, null, null, "text"]);
});

Deno.test("if the channel refuses the file, the reply fails with media_rejected, and a repeat does not send the reply again", async () => {
  for (const code of [131052, 131053]) {
    const company = await spokenTo();
    await using channel = ownChannel(() =>
      Response.json({ error: { code, message: "Media error", type: "OAuthException" } }, {
        status: 400,
      })
    );
    const reply = await ownReplies(channel.url);
    const json = replyIn(company, {
      media: { id: await addUpload(company) },
      idempotency_key: "k",
    });
    const { status, body } = await reply(company.keys.messaging, json);
    assert.deepEqual([status, body.code, body.channel.code], [422, "media_rejected", code]);
    const [{ state, reason, message_id }] = await ledgerOf(company);
    assert.deepEqual([state, reason], ["failed", "media_rejected"]);
    assert.equal((await storedMessage(message_id)).failure.reason, "media_rejected");
    const repeat = await reply(company.keys.messaging, json);
    assert.deepEqual([repeat.body.status, channel.calls.length], ["failed", 1]);
  }
});

Deno.test("erasing a contact removes the channel's id of the sent file from the ledger", async () => {
  const company = await spokenTo();
  await using channel = ownChannel(() => accepted());
  const reply = await ownReplies(channel.url);
  await reply(
    company.keys.messaging,
    replyIn(company, { media: { id: await addUpload(company) } }),
  );
  const isRemoved = async () => {
    const [send] = await statement`
      select is_erased, media_id is null as is_removed from sends where company_id = ${company.id}
    `;
    return [send.is_erased, send.is_removed];
  };
  assert.deepEqual(await isRemoved(), [false, false]);
  await call(company.keys.write, "POST", `/contacts/${company.contact_id}/erase`, {
    json: { confirm: company.contact_id },
  });
  assert.deepEqual(await isRemoved(), [true, true]);
});
