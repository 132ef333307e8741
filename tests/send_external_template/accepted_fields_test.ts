// Tests the fields that part 4.10 of the specification lists. Values up to each limit are accepted,
// stored and sent.

import assert from "node:assert/strict";
import { anyPhone, type Company, newCompany } from "../support/company.ts";
import { ownSender } from "../support/own_functions.ts";
import {
  accepted,
  ownChannel,
  sendTemplate,
  storedMessage,
  takenFrom,
  template,
} from "../support/sending.ts";
import { withDatabase } from "../support/test_stack.ts";

const company = await newCompany();

/** Sends a valid request with these changes. Returns the stored message and the template that was sent. */
async function sent(changes: Record<string, unknown> = {}, phone = anyPhone()) {
  const json = template(phone, changes);
  const { status, body } = await sendTemplate(company.keys.messaging, json);
  assert.deepEqual([status, body.success], [200, true], JSON.stringify(body));
  const message = await storedMessage(body.message_id);
  const [taken, ...more] = await takenFrom(company, phone);
  assert.deepEqual([taken.id, more], [body.whatsapp_message_id, []]);
  return { message, template: taken.message.template };
}

async function nameOf({ id }: Company, phone: string): Promise<string | null> {
  return await withDatabase(async (sql) => {
    const [contact] =
      await sql`select name from contacts where company_id = ${id} and phone = ${phone}`;
    return contact.name;
  });
}

Deno.test("phone numbers with 7 to 15 digits are accepted and sent unchanged", async () => {
  const digits = String(crypto.getRandomValues(new Uint32Array(1))[0]).padStart(10, "7");
  for (const phone of [`+7${digits.slice(-6)}`, `+9${digits}`, `+99999${digits.slice(-10)}`]) {
    await sent({}, phone);
    assert.equal(await nameOf(company, phone), null);
  }
});

Deno.test("template names with up to 512 characters and language codes in every format are sent unchanged", async () => {
  await using channel = ownChannel(() => accepted());
  const send = await ownSender(channel.url);
  const forms = [
    ...["a", "x".repeat(512), "order_update_2"].map((name) => [name, "pt_BR"]),
    ...["en", "fil", "pt_BR", "prs_AF"].map((language) => ["order_update", language]),
  ];
  for (const [template_name, language_code] of forms) {
    const json = template(anyPhone(), { template_name, language_code });
    assert.equal((await send(company.keys.messaging, json)).status, 200);
    const { name, language } = channel.calls.at(-1)!.body.template;
    assert.deepEqual([name, language], [template_name, { code: language_code }]);
  }
});

Deno.test("display_text is stored unchanged", async () => {
  const texts = [
    "x",
    "  two spaces before and after  ",
    "\nlines\r\nof\rmany\n\n kinds \u2028\u2029\u0085",
    "\ttab\u00a0and\u3000other\u200bspaces\ufeff",
    "🚚👩‍👩‍👧🇧🇷 e\u0301 \u00e9 عربي हिन्दी \u202eabc\u202c",
    "\x01\x07\x1b[31m\x7f",
    `"quotes" 'and' \\backslashes\\ \\u0041 \\0 %00 {{1}} $1 <b>&amp;</b>`,
    "null",
    ...["a", "漢", "🚚", "\u0301"].map((one) => one.repeat(4096)),
    "e\u0301".repeat(2048),
    ` ${"🚚".repeat(4094)}\n`,
  ];
  for (const display_text of texts) {
    const { message } = await sent({ display_text });
    assert.equal(message.content, display_text);
  }
});

Deno.test("up to 30 variables with 1024 characters each are sent unchanged and in order", async () => {
  await using channel = ownChannel(() => accepted());
  const send = await ownSender(channel.url);
  const numbered = Array.from({ length: 30 }, (_, i) => `${i + 1}`);
  const lists = [
    ["one"],
    numbered,
    ...["a", "漢", "🚚", "\u0301"].map((one) => Array(30).fill(one.repeat(1024))),
    ["", " ", "\n", "  a\t", "e\u0301", "\u00e9", "null", "{{1}}", '"', "\\"],
  ];
  for (const variables of lists) {
    for (const [field, type] of [["body_variables", "body"], ["header_variables", "header"]]) {
      const json = template(anyPhone(), { body_variables: [], [field]: variables });
      const { status, body } = await send(company.keys.messaging, json);
      assert.equal(status, 200, JSON.stringify(body));
      assert.deepEqual(channel.calls.at(-1)!.body.template.components, [
        { type, parameters: variables.map((text) => ({ type: "text", text })) },
      ]);
    }
  }
});

Deno.test("`template_header_type` sets the type of the message, which is `text` by default", async () => {
  await using channel = ownChannel(() => accepted());
  const send = await ownSender(channel.url);
  const typeOf = async (changes: Record<string, unknown>) => {
    const { status, body } = await send(company.keys.messaging, template(anyPhone(), changes));
    assert.equal(status, 200, JSON.stringify(body));
    return (await storedMessage(body.message_id)).type;
  };
  assert.equal(await typeOf({}), "text");
  assert.equal(await typeOf({ header_variables: ["a"] }), "text");
  for (const template_header_type of ["image", "video", "document"]) {
    for (const changes of [{}, { header_variables: [] }]) {
      assert.equal(await typeOf({ template_header_type, ...changes }), template_header_type);
      // No media file is sent, because the service does not know the account's templates.
      const { components } = channel.calls.at(-1)!.body.template;
      assert.deepEqual(components.map(({ type }: { type: string }) => type), ["body"]);
    }
  }
});

Deno.test("the trimmed `contact_name` of the request becomes the name of a new contact", async () => {
  const names: [unknown, string | null][] = [
    ["Ada", "Ada"],
    ["  Grace Hopper \n", "Grace Hopper"],
    ["", null],
    [" \t ", null],
    [undefined, null],
    ...["a", "漢", "🚚"].map((one): [string, string] => [one.repeat(255), one.repeat(255)]),
    [`  ${"x".repeat(255)}  `, "x".repeat(255)],
  ];
  for (const [contact_name, kept] of names) {
    const phone = anyPhone();
    await sent({ contact_name }, phone);
    assert.equal(await nameOf(company, phone), kept);
  }
});

Deno.test("`phone_number_id` may have up to 32 digits", async () => {
  await sent({ phone_number_id: company.phone_number_id });
  for (const phone_number_id of ["1", "9".repeat(32)]) {
    const json = template(anyPhone(), { phone_number_id });
    const { status, body } = await sendTemplate(company.keys.messaging, json);
    // The id is well-formed, but no account has it.
    assert.equal(status, 422);
    assert.match(body.error, /is not a connected messaging account/);
  }
});
