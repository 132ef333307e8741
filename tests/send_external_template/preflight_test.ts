// Tests that a send that does not match the account's stored templates is refused before the
// service writes anything.
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
import { statement } from "../support/test_stack.ts";

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
  [{ body_variables: ["", "A\nB"] }, [
    ["body_variables.0", "must not be empty"],
    ["body_variables.1", "must not contain a line break, a tab or more than four spaces in a row"],
  ]],
  [{ template_name: "never_made" }, [
    ["template_name", "is not a template of the business account of this phone number"],
  ]],
];

Deno.test("an error names each invalid field and its accepted values", async () => {
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

Deno.test("if a send has many invalid fields, the response lists fifty errors and gives the total number of errors", async () => {
  const company = await companyWithTemplates();
  const empty = Array<string>(30).fill("");
  const json = order({ header_variables: empty, body_variables: empty });
  const { status, body } = await sendTemplate(company.keys.messaging, json);
  assert.deepEqual([status, body.details.length], [422, 50]);
  assert.match(body.error, /\(and 61 more, see details\)/);
});

Deno.test("if the account has no stored templates, a send is passed to the channel without a comparison", async () => {
  const company = await newCompany();
  const { body } = await sendTemplate(company.keys.messaging, order({ body_variables: ["Ada"] }));
  assert.deepEqual([body.code, body.channel.code], ["template_rejected", 132000]);
  assert.equal((await ledgerOf(company)).length, 1);
});

/**
 * Makes a stored template outdated: it now requires three values, but the channel's template
 * requires two.
 */
async function outdate(company: { id: string }) {
  await statement`
    update templates set variables = jsonb_set(variables, '{body,2}', '{"name": "3", "example": null}')
    where company_id = ${company.id} and name = 'order_update'
  `;
}

Deno.test("if a send does not match a template that was read ten minutes ago, the service reads the template again before it refuses the send", async () => {
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

Deno.test("if the template cannot be read again, the send is passed to the channel", async (t) => {
  const company = await companyWithTemplates();
  const failures: Record<string, () => Response | Promise<Response>> = {
    "the channel is down": () => new Response("Service Unavailable", { status: 503 }),
    "the channel throttles": () =>
      Response.json({ error: { code: 80007, message: "slow" } }, { status: 400 }),
    "the channel's response is not JSON": () => new Response("<html>"),
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
      await statement`delete from template_rereads where company_id = ${company.id}`;
      const { status, body } = await send(company.keys.messaging, order());
      assert.deepEqual([status, body.success], [200, true], JSON.stringify(body));
      assert.equal((await channel.taken()).length, 1);
    });
  }
});
