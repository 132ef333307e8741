// Tests marketing templates to people who have opted out of marketing.

import assert from "node:assert/strict";
import { anyPhone, newCompany } from "../support/company.ts";
import { call } from "../support/calls.ts";
import { messagesFrom, nameChannelApp, ownWebhook } from "../support/channel_apps.ts";
import { companyWithTemplates } from "../support/known_templates.ts";
import { ownSender } from "../support/own_functions.ts";
import { accepted, ledgerOf, ownChannel, template } from "../support/sending.ts";
import { statement, withDatabase } from "../support/test_stack.ts";

/** A company with a contact who has opted out of marketing. */
async function optedOut() {
  const company = await companyWithTemplates();
  const phone = anyPhone();
  const { body } = await call(company.keys.all, "POST", "/contacts", { json: { phone } });
  await statement`
    update contacts set marketing_stopped_at = now(), marketing_stop_source = 'preference'
    where id = ${body.data.id}
  `;
  return { company, phone };
}

/** Turns the template that these tests send into a marketing template. */
async function asMarketing({ id }: { id: string }) {
  await statement`
    update templates set category = 'MARKETING' where company_id = ${id} and name = 'order_update'
  `;
}

Deno.test("a contact who has opted out of marketing gets no marketing templates, and the idempotency key can be used again", async () => {
  const { company, phone } = await optedOut();
  await asMarketing(company);
  await using channel = ownChannel(() => accepted());
  const send = await ownSender(channel.url);
  const json = template(phone, { idempotency_key: "campaign" });
  const dry = await send(company.keys.messaging, json, "?dry_run=true");
  assert.deepEqual(dry.body, { success: false, dry_run: true, outcome: "marketing_opt_out" });
  const { status, body } = await send(company.keys.messaging, json);
  assert.deepEqual([status, body], [200, { success: false, reason: "marketing_opt_out" }]);
  assert.deepEqual([await ledgerOf(company), channel.calls.length], [[], 0]);

  await statement`
    update contacts set marketing_resumed_at = now() + interval '1 second' where phone = ${phone}
  `;
  const again = await send(company.keys.messaging, json);
  assert.deepEqual([again.body.success, again.body.idempotent_hit], [true, false]);
});

Deno.test("a contact who has opted out of marketing still gets utility templates", async () => {
  const { company, phone } = await optedOut();
  await using channel = ownChannel(() => accepted());
  const send = await ownSender(channel.url);
  const { body } = await send(company.keys.messaging, template(phone));
  assert.equal(body.success, true);
});

Deno.test("`do_not_contact` is checked before a marketing opt-out", async () => {
  const { company, phone } = await optedOut();
  await asMarketing(company);
  await statement`update contacts set do_not_contact = true where phone = ${phone}`;
  await using channel = ownChannel(() => accepted());
  const send = await ownSender(channel.url);
  const { body } = await send(company.keys.messaging, template(phone));
  assert.deepEqual(body, { success: false, reason: "do_not_contact" });
});

Deno.test("if the channel refuses a template with code 131047 (window closed), the error is `template_rejected`", async () => {
  const company = await newCompany();
  await using channel = ownChannel(() =>
    Response.json({ error: { code: 131047, message: "Re-engagement" } }, { status: 400 })
  );
  const send = await ownSender(channel.url);
  const { status, body } = await send(company.keys.messaging, template(anyPhone()));
  assert.deepEqual([status, body.code, body.channel], [422, "template_rejected", {
    code: 131047,
    message: "Re-engagement",
  }]);
});

Deno.test("tapping the stop button of a marketing template stops only marketing, and a stop word elsewhere stops all messages; a start button elsewhere ends no opt-out", async () => {
  const company = await companyWithTemplates();
  const app = await withDatabase((sql) => nameChannelApp(sql, company.account_id));
  const webhook = await ownWebhook();
  let wamid = "";
  await using channel = ownChannel(() => accepted(wamid));
  const send = await ownSender(channel.url);
  const [all, marketing, none] = [[true, false, null], [false, true, "button"], [
    false,
    false,
    null,
  ]];
  await asMarketing(company);
  const [MARKETING, UTILITY] = ["order_update", "hello_world"];
  const sends = {
    [MARKETING]: {},
    [UTILITY]: { template_name: UTILITY, language_code: "en_US", body_variables: [] },
  };
  type Tap = { sent: string; type?: "text" | "interactive"; label: string };
  const cases: [Tap[], (boolean | string | null)[]][] = [
    [[{ sent: MARKETING, label: "SAIR" }], marketing],
    [[{ sent: MARKETING, label: "Stop promotions" }], marketing],
    [[{ sent: MARKETING, type: "text", label: "SAIR" }], all],
    [[{ sent: UTILITY, label: "SAIR" }], all],
    [[{ sent: UTILITY, label: "Stop promotions" }], marketing],
    [[{ sent: "unknown", label: "STOP" }], all],
    [[{ sent: MARKETING, label: "SAIR" }, { sent: MARKETING, label: "Voltar" }], none],
    // The start button of a marketing template ends only a marketing opt-out.
    [[{ sent: UTILITY, label: "SAIR" }, { sent: MARKETING, label: "Voltar" }], all],
    // Only a written start word, or the start button of a marketing template, ends an opt-out.
    [[{ sent: UTILITY, label: "SAIR" }, { sent: "reply", type: "text", label: "Voltar" }], none],
    [[{ sent: "reply", type: "interactive", label: "SAIR" }], all],
    ...[UTILITY, "unknown", "reply"].flatMap((sent): typeof cases => {
      const type = sent === "reply" ? "interactive" : undefined;
      return [
        [[{ sent: UTILITY, label: "SAIR" }, { sent, type, label: "Voltar" }], all],
        [[{ sent: MARKETING, label: "SAIR" }, { sent, type, label: "Voltar" }], marketing],
      ];
    }),
  ];
  for (const [taps, end] of cases) {
    const phone = anyPhone();
    const ids = new Map([["unknown", `wamid.${crypto.randomUUID()}`]]);
    for (const [name, fields] of Object.entries(sends)) {
      wamid = `wamid.${crypto.randomUUID()}`;
      const { body } = await send(company.keys.messaging, template(phone, fields));
      assert.equal(body.success, true, JSON.stringify(body));
      ids.set(name, wamid);
    }
    for (const [place, { sent, type = "button", label }] of taps.entries()) {
      const message = {
        ...{ type, context: { id: ids.get(sent) } },
        timestamp: String(Math.floor(Date.now() / 1000) - 60 + place),
        [type]: {
          text: { body: label },
          button: { text: label, payload: label },
          interactive: { type: "list_reply", list_reply: { id: "1", title: label } },
        }[type],
      };
      const body = messagesFrom(phone, company.phone_number_id, [message]);
      assert.equal((await webhook.post(app, body)).status, 200);
    }
    const path = `/contacts?phone=${encodeURIComponent(phone)}`;
    const [found] = (await call(company.keys.read, "GET", path)).body.data;
    assert.deepEqual(
      [found.do_not_contact, found.marketing_opt_out, found.marketing_opt_out_source],
      end,
      JSON.stringify(taps),
    );
    if (end === marketing) {
      const reasons = [];
      for (const fields of Object.values(sends)) {
        const { body } = await send(company.keys.messaging, template(phone, fields));
        reasons.push(body.reason);
      }
      assert.deepEqual(reasons, ["marketing_opt_out", undefined], "utility templates arrive");
    }
  }
});
