// The message of a template send stores two texts: the text that the recipient sees, and the text
// that the caller gave.

import assert from "node:assert/strict";
import { actAsPerson, rolledBack, type Sql, type Work } from "../support/acting_as.ts";
import { newCompany } from "../support/company.ts";
import { claim, RELEASED, settle } from "./sends.ts";
import { apply, catalogued, entry, mediaEntry, variables } from "./templates.ts";

const test = (name: string, work: Work) => Deno.test(name, () => rolledBack(work));

const own = await newCompany();
const { id: company_id, account_id, keys, member_id } = own;

/** The rendered form of a template that has only a body. */
const body = (...pieces: (string | number)[]) => ({
  header: null,
  body: pieces,
  footer: null,
  buttons: [],
});

async function texts(sql: Sql, message_id: string): Promise<[string | null, string]> {
  const [row] = await sql`select rendered_text, content from messages where id = ${message_id}`;
  return [row.rendered_text, row.content];
}

/** The rendered text that is stored for a send of this template. */
async function rendered(
  sql: Sql,
  template: Record<string, unknown>,
  asked: Record<string, unknown>,
): Promise<string | null> {
  await apply(sql, account_id, [entry(template)]);
  const answer = await claim(sql, keys.messaging, { preflight: "first", ...asked });
  assert.equal(answer.result, "claimed", JSON.stringify(answer));
  return (await texts(sql, answer.message_id))[0];
}

test("the rendered text contains a variable's value everywhere that the template uses the variable", async (sql) => {
  await catalogued(sql, own, []);
  const template = { variables: variables(0, 2), rendering: body("B ", 1, ", A ", 0, ", B ", 1) };
  const text = await rendered(sql, template, { body_variables: ["first", "second"] });
  assert.equal(text, "B second, A first, B second");
  const adjacent = { ...template, rendering: body(0, 1, 0) };
  assert.equal(await rendered(sql, adjacent, { body_variables: ["x", "y"] }), "xyx");
  const named = { ...template, parameter_format: "NAMED" };
  const text2 = await rendered(sql, named, { body_variables: ["first", "second"] });
  assert.equal(text2, "B second, A first, B second");
});

test("the rendered text has empty lines between the header, the body, the footer and the buttons", async (sql) => {
  await catalogued(sql, own, []);
  const whole = {
    variables: variables(1, 1, 1),
    header_format: "TEXT",
    rendering: {
      header: ["Order ", 0],
      body: ["Hello ", 0, ".\n\nSee you"],
      footer: "Reply STOP {{1}}",
      buttons: ["Track it", "Call us"],
    },
  };
  const values = { header_variables: ["42"], body_variables: ["Ada"] };
  assert.equal(
    await rendered(sql, whole, { ...values, button_variables: ["track/42"] }),
    "Order 42\n\nHello Ada.\n\nSee you\n\nReply STOP {{1}}\n\n[Track it] [Call us]",
  );
  const none = { variables: variables(), rendering: body() };
  assert.equal(await rendered(sql, { ...none, rendering: body("Hi") }, {}), "Hi");
  const code = {
    variables: variables(0, 1),
    otp_button: 0,
    rendering: { ...body("*", 0, "* is your verification code."), buttons: ["Copy code"] },
  };
  const text = await rendered(sql, code, { body_variables: ["123456"] });
  assert.equal(text, "*123456* is your verification code.\n\n[Copy code]");
});

test("a variable's value is inserted unchanged, even if it contains a placeholder", async (sql) => {
  await catalogued(sql, own, []);
  const template = { variables: variables(0, 2), rendering: body("<", 0, "|", 1, ">") };
  const values = [
    ["{{2}}", "{{1}}"],
    ["%s %1$s", "$1 \\1 \\\\ \\n"],
    ["José́ 🚚 अ", "e\u0301\u200d👩‍👩‍👧"],
    ["\"'`", "[x](y) *b*"],
    ["x".repeat(1024), " a "],
  ];
  for (const [a, b] of values) {
    assert.equal(await rendered(sql, template, { body_variables: [a, b] }), `<${a}|${b}>`);
  }
  const literal = { variables: variables(), rendering: body("\\ %I {{1}} {} 🚚 ", "\t\n") };
  assert.equal(await rendered(sql, literal, {}), "\\ %I {{1}} {} 🚚 \t\n");
});

test("a message has no rendered text if its template is unknown or unchecked, or if the values do not match the template", async (sql) => {
  await catalogued(sql, own, [entry({ status: "PAUSED" })], "11 minutes");
  const kept = async (asked: Record<string, unknown>) => {
    const { result, message_id } = await claim(sql, keys.messaging, {
      body_variables: ["a", "b"],
      preflight: "last",
      ...asked,
    });
    assert.equal(result, "claimed");
    return await texts(sql, message_id);
  };
  for (const asked of [{}, { preflight: "off" }, { template_name: "x" }, { language_code: "es" }]) {
    assert.deepEqual(await kept(asked), [null, "Hello"], JSON.stringify(asked));
  }
  await apply(sql, account_id, [entry()], { age: "11 minutes" });
  assert.deepEqual(await kept({ body_variables: ["a"] }), [null, "Hello"]);
  assert.deepEqual(await kept({}), ["Olá a, o pedido b saiu.", "Hello"]);
});

test("the text that the caller gave is stored unchanged", async (sql) => {
  await catalogued(sql, own);
  for (const content of [" \t Olá {{1}}\r\n\u0001 ", "", "x".repeat(4096)]) {
    const asked = { content, body_variables: ["a", "b"], preflight: "first" };
    const { message_id } = await claim(sql, keys.messaging, asked);
    assert.deepEqual(await texts(sql, message_id), ["Olá a, o pedido b saiu.", content]);
  }
});

test("a repeat of a released send stores the text of the new attempt", async (sql) => {
  await catalogued(sql, own);
  const attempt = async (asked: Record<string, unknown>) => {
    const claim_id = crypto.randomUUID();
    const { message_id } = await claim(sql, keys.messaging, {
      claim_id,
      phone: "+15550123456",
      idempotency_key: "once",
      preflight: "first",
      ...asked,
    });
    await settle(sql, claim_id, RELEASED);
    return (await texts(sql, message_id))[0];
  };
  assert.equal(await attempt({ body_variables: ["a", "1"] }), "Olá a, o pedido 1 saiu.");
  assert.equal(await attempt({ body_variables: ["b", "2"] }), "Olá b, o pedido 2 saiu.");
  assert.equal(await attempt({ preflight: "off" }), null);
});

test("members of the company can read the rendered text and the caller's text", async (sql) => {
  await catalogued(sql, own);
  const asked = { body_variables: ["a", "b"], preflight: "first" };
  const { message_id } = await claim(sql, keys.messaging, asked);
  await actAsPerson(sql, member_id);
  assert.deepEqual(await texts(sql, message_id), ["Olá a, o pedido b saiu.", "Hello"]);
});

test("a rendered text is cut to 65,536 characters, and the send proceeds", async (sql) => {
  await catalogued(sql, own, []);
  const long = { variables: variables(0, 1), rendering: body(...Array(70).fill(0)) };
  const text = await rendered(sql, long, { body_variables: ["é".repeat(1000)] });
  assert.equal(text, "é".repeat(65_536));
});

test("a media header adds nothing to the rendered text", async (sql) => {
  await catalogued(sql, own, [mediaEntry()]);
  await sql`
    insert into template_media (company_id, account_id, sample_source, media_id, uploaded_at)
    select company_id, ${account_id}, sample_source, '77', now() from templates
    where company_id = ${company_id}
  `;
  const { message_id } = await claim(sql, keys.messaging, { preflight: "first" });
  assert.equal((await texts(sql, message_id))[0], "Olá");
});
