// What the account's catalogue shows to be impossible is refused before anything is written.
import assert from "node:assert/strict";
import { anyPhone, newCompany } from "../support/company.ts";
import {
  ageTemplates,
  companyWithTemplates,
  knowTemplates,
  ownSandbox,
} from "../support/known_templates.ts";
import { ownSender } from "../support/own_functions.ts";
import { ledgerOf, sendTemplate, takenFrom } from "../support/sending.ts";
import { sendCounts } from "../support/snapshot.ts";
import { withDatabase } from "../support/test_stack.ts";

const order = (changes: Record<string, unknown> = {}) => ({
  phone: anyPhone(),
  template_name: "order_update",
  language_code: "pt_BR",
  display_text: "text",
  body_variables: ["Ada", "A-1815"],
  ...changes,
});

const FAULTS: [changes: Record<string, unknown>, details: [field: string, message: string][]][] = [
  [{ body_variables: ["Ada"] }, [["body_variables", "takes 2 variables, got 1"]]],
  [{ body_variables: [] }, [["body_variables", "takes 2 variables, got 0"]]],
  [{ header_variables: ["x"] }, [["header_variables", "takes no variables, got 1"]]],
  [{ button_variables: ["x"] }, [["button_variables", "takes no variables, got 1"]]],
  [{ body_variables: ["", "A\nB"] }, [
    ["body_variables.0", "must not be empty"],
    ["body_variables.1", "must not hold a line break, a tab or more than four spaces in a row"],
  ]],
  [{ body_variables: ["a\tb", "a     b"] }, [
    ["body_variables.0", "must not hold a line break, a tab or more than four spaces in a row"],
    ["body_variables.1", "must not hold a line break, a tab or more than four spaces in a row"],
  ]],
  [{ template_header_type: "image" }, [
    ["template_header_type", "must be left out: the approved template has no media header"],
  ]],
  [{
    template_name: "new_arrival",
    language_code: "en_US",
    body_variables: ["Ada"],
    template_header_type: "video",
  }, [
    [
      "template_header_type",
      "contradicts the approved template's header, which is an image: send image or leave it out",
    ],
  ]],
  [{ language_code: "fr" }, [
    ["language_code", "is not a language of this template, which exists in en_US, es, pt_BR"],
  ]],
  [{ template_name: "never_made" }, [
    ["template_name", "is not a template of the business account of this phone number"],
  ]],
];

Deno.test("a refusal names each field and what it takes", async () => {
  const company = await companyWithTemplates();
  for (const [changes, details] of FAULTS) {
    const { status, body } = await sendTemplate(company.keys.messaging, order(changes));
    assert.deepEqual([status, body.code], [422, "template_rejected"], JSON.stringify(body));
    assert.deepEqual(
      body.details.map(({ field, message }: Record<string, string>) => [field, message]),
      details,
    );
    assert.equal("channel" in body, false);
    assert.equal(body.success, false);
  }
  assert.deepEqual(await takenFrom(company), []);
});

Deno.test("a refusal with many faults lists fifty of them and says how many there are", async () => {
  const company = await companyWithTemplates();
  const empty = Array<string>(30).fill("");
  const json = order({ header_variables: empty, body_variables: empty });
  const { status, body } = await sendTemplate(company.keys.messaging, json);
  assert.deepEqual([status, body.details.length], [422, 50]);
  assert.match(body.error, /\(and 61 more, see details\)/);
});

Deno.test("a refusal writes nothing, and its idempotency key is still free", async () => {
  const company = await companyWithTemplates();
  const before = await withDatabase((sql) => sendCounts(sql, company.id));
  const json = order({ idempotency_key: "order-1" });
  const refused = await sendTemplate(company.keys.messaging, { ...json, body_variables: [] });
  assert.equal(refused.body.code, "template_rejected");
  assert.deepEqual(await withDatabase((sql) => sendCounts(sql, company.id)), before);

  const { status, body } = await sendTemplate(company.keys.messaging, json);
  assert.deepEqual([status, body.success, body.idempotent_hit], [200, true, false]);
});

Deno.test("a repeat is reported, whatever the catalogue says of its words", async () => {
  const company = await companyWithTemplates();
  const json = order({ idempotency_key: "order-1" });
  assert.equal((await sendTemplate(company.keys.messaging, json)).status, 200);
  const repeat = await sendTemplate(company.keys.messaging, { ...json, body_variables: [] });
  assert.deepEqual([repeat.status, repeat.body.idempotent_hit], [200, true]);
});

Deno.test("a template without a catalogue goes to the channel as it is", async () => {
  const company = await newCompany();
  const { body } = await sendTemplate(company.keys.messaging, order({ body_variables: ["Ada"] }));
  assert.deepEqual([body.code, body.channel.code], ["template_rejected", 132000]);
  assert.equal((await ledgerOf(company)).length, 1);
});

Deno.test("values for buttons need a catalogue that says which buttons take them", async () => {
  const company = await newCompany();
  const json = order({ button_variables: ["x"] });
  const { status, body } = await sendTemplate(company.keys.messaging, json);
  assert.deepEqual([status, body.details[0].field], [422, "button_variables"]);
  assert.deepEqual(await ledgerOf(company), []);
});

/** Makes a stored template take three values, as if it had been changed at the channel since. */
async function outdate(company: { id: string }) {
  await withDatabase((sql) =>
    sql`
      update templates set variables = jsonb_set(variables, '{body,2}', '{"name": "3", "example": null}')
      where company_id = ${company.id} and name = 'order_update'
    `
  );
}

Deno.test("what was read ten minutes ago and speaks against the send is read again first", async () => {
  await using channel = ownSandbox();
  const company = await companyWithTemplates(channel.url);
  const send = await ownSender(channel.url);
  await outdate(company);
  assert.equal((await send(company.keys.messaging, order())).status, 422);

  await ageTemplates(company);
  channel.calls.length = 0;
  const { status, body } = await send(company.keys.messaging, order());
  assert.deepEqual([status, body.success], [200, true]);
  assert.deepEqual(channel.calls.map(({ method }) => method), ["GET", "POST"]);
});

Deno.test("what was read ten minutes ago and speaks for the send is not read again", async () => {
  await using channel = ownSandbox();
  const company = await companyWithTemplates(channel.url);
  const send = await ownSender(channel.url);
  await ageTemplates(company);
  channel.calls.length = 0;
  assert.equal((await send(company.keys.messaging, order())).status, 200);
  assert.deepEqual(channel.calls.map(({ method }) => method), ["POST"]);
});

Deno.test("a name that is not in the catalogue is looked up once, and then refused for a minute", async () => {
  await using channel = ownSandbox();
  const company = await companyWithTemplates(channel.url);
  const send = await ownSender(channel.url);
  channel.calls.length = 0;
  for (let i = 0; i < 3; i++) {
    const { status, body } = await send(company.keys.messaging, order({ template_name: "nope" }));
    assert.deepEqual([status, body.details?.[0].field], [422, "template_name"]);
  }
  assert.deepEqual(channel.calls.map(({ method }) => method), ["GET"]);
});

Deno.test("a template that was made since the last synchronisation is found and sent", async () => {
  const company = await companyWithTemplates();
  await withDatabase((sql) =>
    sql`delete from templates where company_id = ${company.id} and name = 'order_update'`
  );
  const { status, body } = await sendTemplate(company.keys.messaging, order());
  assert.deepEqual([status, body.success], [200, true], JSON.stringify(body));
});

Deno.test("when the template cannot be read again, the channel decides", async (t) => {
  const company = await companyWithTemplates();
  const failures: Record<string, () => Response | Promise<Response>> = {
    "the channel is down": () => new Response("Service Unavailable", { status: 503 }),
    "the channel throttles": () =>
      Response.json({ error: { code: 80007, message: "slow" } }, { status: 400 }),
    "the channel answers no JSON": () => new Response("<html>"),
    "the token is refused": () =>
      Response.json({ error: { code: 190, message: "no" } }, { status: 401 }),
  };
  for (const [name, answer] of Object.entries(failures)) {
    await t.step(name, async () => {
      await using channel = ownSandbox(({ path }) =>
        path.endsWith("/message_templates") ? answer() : null
      );
      const send = await ownSender(channel.url);
      await knowTemplates(company);
      await outdate(company);
      await ageTemplates(company);
      await withDatabase((sql) =>
        sql`delete from template_rereads where company_id = ${company.id}`
      );
      const { status, body } = await send(company.keys.messaging, order());
      assert.deepEqual([status, body.success], [200, true], JSON.stringify(body));
      assert.equal((await channel.taken()).length, 1);
    });
  }
});

Deno.test("of 50 sends at once that the catalogue speaks against, one reads the template again", async () => {
  await using channel = ownSandbox();
  const company = await companyWithTemplates(channel.url);
  const send = await ownSender(channel.url);
  await outdate(company);
  await ageTemplates(company);
  channel.calls.length = 0;
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => send(company.keys.messaging, order())),
  );
  assert.deepEqual(answers.filter(({ status }) => status !== 200), []);
  assert.equal(channel.count("GET", "/message_templates"), 1);
});

Deno.test("the catalogue of another company says nothing about a send", async () => {
  await companyWithTemplates();
  const company = await newCompany();
  const { body } = await sendTemplate(company.keys.messaging, order({ template_name: "nope" }));
  assert.equal(body.channel.code, 132001);
});
