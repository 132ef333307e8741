// Tests that an idempotency key identifies one message. If a repeat has different values, the
// response names the differing fields. A request with the same key for another message is refused,
// even at the other send endpoint.

import assert from "node:assert/strict";
import { anyPhone, type Company } from "../support/company.ts";
import { assertField, assertHeaderRefused, call } from "../support/calls.ts";
import { later, logged } from "../support/log_lines.ts";
import { mergesOf } from "../support/merging.ts";
import { ownReplies, ownSender } from "../support/own_functions.ts";
import { replyIn, spokenTo } from "../support/replying.ts";
import { accepted, endLeases, ledgerOf, ownChannel, template } from "../support/sending.ts";
import { statement } from "../support/test_stack.ts";

type Changes = Record<string, unknown>;

/**
 * For each send endpoint, a function that sends a request, a function that creates a valid body,
 * and changes to this body.
 */
async function endpoints(company: Company, channelUrl: string) {
  const [template_, reply_] = [await ownSender(channelUrl), await ownReplies(channelUrl)];
  const phone = anyPhone();
  return {
    template: {
      send: template_,
      body: (changes: Changes = {}) => template(phone, { idempotency_key: "template", ...changes }),
      /** Changes after which a request still counts as a repeat. */
      words: [
        { body_variables: ["Ada", "A-1816"] },
        { body_variables: ["Ada"] },
        { button_variables: ["A-1815"] },
        { display_text: "Something else" },
        { contact_name: "Augusta" },
        { phone_number_id: company.phone_number_id },
        { template_header_type: "image" },
        { header_variables: ["Ada"], display_text: "Something else" },
      ] as Changes[],
      /** Changes after which a request counts as a request for another message. */
      messages: [
        { phone: anyPhone() },
        { template_name: "order_sent" },
        { language_code: "en_US" },
        { phone: anyPhone(), template_name: "order_sent", display_text: "Something else" },
      ] as Changes[],
    },
    reply: {
      send: reply_,
      body: (changes: Changes = {}) => replyIn(company, { idempotency_key: "reply", ...changes }),
      words: [{ text: "Something else" }] as Changes[],
      messages: [{ conversation_id: crypto.randomUUID() }] as Changes[],
    },
  };
}

/**
 * Returns the differing fields that a response names. Asserts that the response's header and body
 * agree.
 */
function mismatchOf({ headers, body }: { headers: Headers; body: { mismatch?: string[] } }) {
  const { mismatch = null } = body;
  assert.equal(headers.get("Idempotency-Mismatch"), mismatch && "true");
  return mismatch;
}

/**
 * Asserts that a request is refused because its idempotency key belongs to a message with other
 * values in these fields.
 */
function assertReused(answer: Awaited<ReturnType<typeof call>>, fields: string[]) {
  const { status, body: { success, code, error, details } } = answer;
  assert.deepEqual([status, success, code], [422, false, "idempotency_key_reused"], error);
  assert.deepEqual(details.map(({ field }: { field: string }) => field), fields);
  assert.match(error, /^This idempotency_key belongs to another message: .+Nothing was sent/);
}

Deno.test("if a repeat has different values, the response names the differing fields, and a line without personal data is logged", async () => {
  const company = await spokenTo();
  const key = company.keys.messaging;
  await using channel = ownChannel(() => accepted());
  for (const { send, body, words } of Object.values(await endpoints(company, channel.url))) {
    const first = await send(key, body());
    assert.deepEqual([first.status, mismatchOf(first)], [200, null], JSON.stringify(first.body));

    const silent = await logged(async () => {
      assert.equal(mismatchOf(await send(key, body())), null);
      const { idempotency_key, ...rest } = body();
      const reordered = await send(key, { idempotency_key, ...rest });
      assert.deepEqual([reordered.body.idempotent_hit, mismatchOf(reordered)], [true, null]);
    });
    assert.deepEqual(silent, []);

    for (const changes of words) {
      const lines = await later(20, () =>
        logged(async () => {
          const answer = await send(key, body(changes));
          const { mismatch, ...rest } = answer.body;
          assert.deepEqual([answer.status, rest], [200, {
            success: true,
            status: "sent",
            conversation_id: first.body.conversation_id,
            message_id: first.body.message_id,
            idempotent_hit: true,
          }]);
          assert.deepEqual(mismatchOf(answer)!.sort(), Object.keys(changes).sort());
          assert.equal(mismatch, answer.body.mismatch);
        }));
      const [{ request_id, path, left_out: _, ...line }, ...more] = lines.map((line) =>
        JSON.parse(line)
      );
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

Deno.test("a request is refused if the first message with its idempotency key had another recipient, template or kind", async () => {
  const company = await spokenTo();
  const key = company.keys.messaging;
  await using channel = ownChannel(() => accepted());
  const { template, reply } = await endpoints(company, channel.url);
  const named = (body: Changes) =>
    ["template_name", "language_code", "phone", "conversation_id"]
      .filter((field) => field in body);
  for (const { send, body } of [template, reply]) await send(key, body());
  for (const state of ["sent", "pending", "failed"]) {
    await statement`
      update sends set state = ${state}, reason = ${state === "failed" ? "outcome_unknown" : null},
        whatsapp_message_id = ${state === "sent" ? "wamid." + company.id : null}
      where company_id = ${company.id} and idempotency_key = 'template'
    `;
    await endLeases(company);
    const before = await ledgerOf(company);
    for (const { send, body, messages } of [template, reply]) {
      for (const changes of messages) {
        for (const query of ["", "?dry_run=true"]) {
          assertReused(await send(key, body(changes), query), named(changes));
        }
      }
    }
    const ofTemplate = { idempotency_key: "template" };
    const other = await reply.send(key, reply.body(ofTemplate));
    assertReused(other, ["idempotency_key", "conversation_id"]);
    assert.equal(other.body.details[0].message, "names a template send");
    const { phone } =
      (await call(company.keys.read, "GET", `/contacts/${company.contact_id}`)).body.data;
    const same = await template.send(key, template.body({ phone, idempotency_key: "reply" }));
    assertReused(same, ["idempotency_key"]);
    assert.deepEqual(await ledgerOf(company), before);
  }
  assert.equal(channel.calls.length, 2);
});

Deno.test("two companies may use the same idempotency key for different messages", async () => {
  await using channel = ownChannel(() => accepted());
  for (const company of [await spokenTo(), await spokenTo()]) {
    for (const { send, body } of Object.values(await endpoints(company, channel.url))) {
      const answer = await send(company.keys.messaging, body());
      assert.deepEqual([answer.body.idempotent_hit, mismatchOf(answer)], [false, null]);
    }
  }
});

Deno.test("a request is still a repeat if it names the same contact with another phone number, spelling or conversation", async () => {
  const company = await spokenTo();
  const key = company.keys.messaging;
  await using channel = ownChannel(() => accepted());
  const { template, reply } = await endpoints(company, channel.url);
  const { merge, newContact, ask } = mergesOf(company);
  const sent = async (changes: Changes) => {
    const answer = await template.send(key, template.body(changes));
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return { hit: answer.body.idempotent_hit, mismatch: mismatchOf(answer) };
  };

  assert.equal((await sent({ phone: "+5511987654321" })).hit, false);
  assert.deepEqual(await sent({ phone: "+551187654321" }), { hit: true, mismatch: null });

  const [survivor, other] = [await newContact(), await newContact()];
  const further = { phone: other.phone, idempotency_key: "merged" };
  assert.equal((await sent(further)).hit, false);
  assert.equal((await merge(survivor.id, other.id)).status, 200);
  assert.deepEqual(await sent(further), { hit: true, mismatch: null });
  assert.deepEqual(
    await sent({ ...further, phone: survivor.phone }),
    { hit: true, mismatch: ["phone"] },
  );

  // A repeat finds the recipient even after the contact's phone number has changed.
  const moved = { phone: anyPhone(), idempotency_key: "moved" };
  assert.equal((await sent(moved)).hit, false);
  const [{ id }] =
    (await ask("GET", `/contacts?phone=${encodeURIComponent(moved.phone)}`)).body.data;
  assert.equal((await ask("PATCH", `/contacts/${id}`, { phone: anyPhone() })).status, 200);
  assert.deepEqual(await sent(moved), { hit: true, mismatch: null });

  await reply.send(key, reply.body());
  const [{ id: conversation_id }] = await statement`
    insert into conversations (company_id, contact_id, messaging_account_id, status)
    values (${company.id}, ${company.contact_id}, ${company.account_id}, 'closed') returning id
  `;
  const elsewhere = await reply.send(key, reply.body({ conversation_id }));
  assert.deepEqual([elsewhere.status, mismatchOf(elsewhere)], [200, ["conversation_id"]]);
});

Deno.test("a dry run returns the differing fields, but logs nothing", async () => {
  const company = await spokenTo();
  const key = company.keys.messaging;
  await using channel = ownChannel(() => accepted());
  for (const { send, body, words } of Object.values(await endpoints(company, channel.url))) {
    await send(key, body());
    const before = await ledgerOf(company);
    const lines = await logged(async () => {
      for (const changes of [{}, ...words]) {
        const answer = await send(key, body(changes), "?dry_run=true");
        assert.equal(answer.body.outcome, "repeat");
        assert.deepEqual(mismatchOf(answer)?.sort() ?? [], Object.keys(changes).sort());
      }
    });
    assert.deepEqual(lines, []);
    assert.deepEqual(await ledgerOf(company), before);
  }
});

Deno.test("after a released send, a send with the same key is not a repeat, so the new content is sent", async () => {
  const company = await spokenTo();
  const key = company.keys.messaging;
  let takes = false;
  await using channel = ownChannel(() =>
    takes ? accepted() : Response.json({ error: { code: 130429 } }, { status: 429 })
  );
  for (const { send, body } of Object.values(await endpoints(company, channel.url))) {
    const field = "text" in body() ? "text" : "display_text";
    const changed = body({ [field]: "B" });
    takes = false;
    const released = await send(key, body());
    assert.deepEqual([released.status, released.body.outcome], [502, "not_sent"]);
    takes = true;
    const sent = await send(key, changed);
    assert.deepEqual([sent.body.idempotent_hit, mismatchOf(sent)], [false, null]);
    assert.equal(mismatchOf(await send(key, changed)), null);
    assert.deepEqual(mismatchOf(await send(key, body())), [field]);
  }
});

Deno.test("a send without an idempotency key stores no fingerprint, and the same request sends a second message", async () => {
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

Deno.test("an `Idempotency-Key` header is refused unless it equals the key in the body", async () => {
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

Deno.test("a send with a conditional header such as `If-Match` is refused, because sends have no version", async () => {
  const company = await spokenTo();
  await using channel = ownChannel(() => accepted());
  for (const { send, body } of Object.values(await endpoints(company, channel.url))) {
    for (const header of ["If-Match", "If-None-Match", "If-Unmodified-Since"]) {
      const answer = await send(company.keys.messaging, body(), "", { [header]: "*" });
      assertHeaderRefused(answer, header, /compares no version; leave it out$/);
    }
  }
  assert.equal(channel.calls.length, 0);
});
