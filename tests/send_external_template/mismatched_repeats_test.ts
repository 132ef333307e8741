// A repeat of a send is recognised only by its idempotency key, and a header marks a repeat with
// other content. Both endpoints use the same keys.

import assert from "node:assert/strict";
import { anyPhone, type Company } from "../support/company.ts";
import { assertField } from "../support/calls.ts";
import { logged } from "../support/log_lines.ts";
import { ownReplies, ownSender } from "../support/own_functions.ts";
import { replyIn, spokenTo } from "../support/replying.ts";
import { accepted, ledgerOf, ownChannel, template } from "../support/sending.ts";

/** Both endpoints with one channel, and the requests of one company. */
async function endpoints(company: Company, channelUrl: string) {
  const [template_, reply_] = [await ownSender(channelUrl), await ownReplies(channelUrl)];
  const phone = anyPhone();
  return {
    template: {
      send: template_,
      body: (changes = {}) => template(phone, { idempotency_key: "template", ...changes }),
      others: [
        { phone: anyPhone() },
        { body_variables: ["Ada", "A-1816"] },
        { body_variables: ["Ada"] },
        { display_text: "Something else" },
        { contact_name: "Augusta" },
        { phone_number_id: company.phone_number_id },
        { template_header_type: "image" },
      ],
    },
    reply: {
      send: reply_,
      body: (changes = {}) => replyIn(company, { idempotency_key: "reply", ...changes }),
      others: [{ text: "Something else" }, { conversation_id: crypto.randomUUID() }],
    },
  };
}

function mismatchOf({ headers }: { headers: Headers }): string | null {
  return headers.get("Idempotency-Mismatch");
}

Deno.test("a repeat with other content gets a header that says so, and a log line without personal data", async () => {
  const company = await spokenTo();
  const key = company.keys.messaging;
  await using channel = ownChannel(() => accepted());
  for (const { send, body, others } of Object.values(await endpoints(company, channel.url))) {
    const first = await send(key, body());
    assert.deepEqual([first.status, mismatchOf(first)], [200, null], JSON.stringify(first.body));

    const silent = await logged(async () => {
      assert.equal(mismatchOf(await send(key, body())), null);
      const { idempotency_key, ...rest } = body();
      const reordered = await send(key, { idempotency_key, ...rest });
      assert.deepEqual([reordered.body.idempotent_hit, mismatchOf(reordered)], [true, null]);
    });
    assert.deepEqual(silent, []);

    for (const changes of others) {
      const lines = await logged(async () => {
        const { headers, status, body: answer } = await send(key, body(changes));
        assert.deepEqual([status, answer], [200, {
          success: true,
          status: "sent",
          conversation_id: first.body.conversation_id,
          message_id: first.body.message_id,
          idempotent_hit: true,
        }]);
        assert.equal(headers.get("Idempotency-Mismatch"), "true", JSON.stringify(changes));
      });
      const [{ request_id, path, ...line }, ...more] = lines.map((line) => JSON.parse(line));
      assert.match(request_id, /^[0-9a-f-]{36}$/);
      assert.match(path, /^\/(send-external-template|whatsapp\/messages)$/);
      assert.deepEqual([line, more], [{
        level: "warn",
        event: "idempotency_mismatch",
        method: "POST",
        company_id: company.id,
        message_id: first.body.message_id,
      }, []]);
    }
  }
  assert.equal(channel.calls.length, 2, "nothing else was sent");
});

Deno.test("a dry run also reports the mismatch, but logs nothing", async () => {
  const company = await spokenTo();
  const key = company.keys.messaging;
  await using channel = ownChannel(() => accepted());
  for (const { send, body, others } of Object.values(await endpoints(company, channel.url))) {
    await send(key, body());
    const before = await ledgerOf(company);
    const lines = await logged(async () => {
      for (const changes of [{}, ...others]) {
        const answer = await send(key, body(changes), "?dry_run=true");
        const expected = Object.keys(changes).length > 0 ? "true" : null;
        assert.deepEqual([answer.body.outcome, mismatchOf(answer)], ["repeat", expected]);
      }
    });
    assert.deepEqual(lines, []);
    assert.deepEqual(await ledgerOf(company), before);
  }
});

Deno.test("a free reply with the idempotency key of a template send counts as a mismatch", async () => {
  const company = await spokenTo();
  const key = company.keys.messaging;
  await using channel = ownChannel(() => accepted());
  const { template, reply } = await endpoints(company, channel.url);
  const sent = await template.send(key, template.body());
  const replied = await reply.send(key, reply.body());
  const repeats = [
    [sent, await reply.send(key, reply.body({ idempotency_key: "template" }))],
    [replied, await template.send(key, template.body({ idempotency_key: "reply" }))],
  ];
  for (const [{ body: { message_id } }, { headers, body }] of repeats) {
    assert.deepEqual([body.message_id, body.idempotent_hit], [message_id, true]);
    assert.equal(mismatchOf({ headers }), "true");
  }
  assert.equal(channel.calls.length, 2);
});

Deno.test("a send after a released one is not a repeat, so its own content counts", async () => {
  const company = await spokenTo();
  const key = company.keys.messaging;
  let takes = false;
  await using channel = ownChannel(() =>
    takes ? accepted() : Response.json({ error: { code: 130429 } }, { status: 429 })
  );
  for (const { send, body } of Object.values(await endpoints(company, channel.url))) {
    const changed = body("text" in body() ? { text: "B" } : { display_text: "B" });
    takes = false;
    const released = await send(key, body());
    assert.deepEqual([released.status, released.body.outcome], [502, "not_sent"]);
    takes = true;
    const sent = await send(key, changed);
    assert.deepEqual([sent.body.idempotent_hit, mismatchOf(sent)], [false, null]);
    assert.equal(mismatchOf(await send(key, changed)), null);
    assert.equal(mismatchOf(await send(key, body())), "true");
  }
});

Deno.test("a send without an idempotency key stores no digest, and its repeat is a new send", async () => {
  const company = await spokenTo();
  const key = company.keys.messaging;
  await using channel = ownChannel(() => accepted());
  for (const { send, body } of Object.values(await endpoints(company, channel.url))) {
    const { idempotency_key: _, ...keyless } = body();
    for (const _ of [1, 2]) {
      const answer = await send(key, keyless);
      assert.deepEqual([answer.body.idempotent_hit, mismatchOf(answer)], [false, null]);
    }
  }
  const kept = (await ledgerOf(company)).map(({ fingerprint }) => fingerprint);
  assert.deepEqual(kept, [null, null, null, null]);
});

Deno.test("the header Idempotency-Key is refused unless it equals the key in the body", async () => {
  const company = await spokenTo();
  const key = company.keys.messaging;
  await using channel = ownChannel(() => accepted());
  for (const { send, body } of Object.values(await endpoints(company, channel.url))) {
    const { idempotency_key, ...keyless } = body();
    const wrong = [[body(), "other"], [keyless, idempotency_key], [body(), ""]] as const;
    for (const [json, header] of wrong) {
      const answer = await send(key, json, "", { "Idempotency-Key": header });
      assertField(answer, "Idempotency-Key", /^must equal idempotency_key in the body/);
      assert.equal(answer.body.success, false);
    }
    const unknown = await send("sk_live_unknown", body(), "", { "Idempotency-Key": "other" });
    assert.equal(unknown.status, 401);
    assert.equal(channel.calls.length, (await ledgerOf(company)).length);
    for (const header of [idempotency_key, `"${idempotency_key}"`]) {
      const answer = await send(key, body(), "", { "Idempotency-Key": header });
      assert.equal(answer.status, 200);
    }
  }
});
