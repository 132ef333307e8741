// Sends every kind of template to the sandbox, which refuses the messages that WhatsApp would
// refuse.
import assert from "node:assert/strict";
import { TEMPLATES } from "../../sandbox/templates.ts";
import { anyPhone } from "../support/company.ts";
import { companyWithTemplates } from "../support/known_templates.ts";
import { sendTemplate, storedMessage, takenFrom } from "../support/sending.ts";

interface Sent {
  fields?: Record<string, unknown>;
  components: unknown[];
  /** The message text as the recipient sees it. */
  rendered: string;
}

const text = (value: string) => ({ type: "text", text: value });
const named = (parameter_name: string, value: string) => ({
  type: "text",
  parameter_name,
  text: value,
});
const body = (...values: string[]) => ({ type: "body", parameters: values.map(text) });
const button = (sub_type: string, index: string, parameter: unknown) => ({
  type: "button",
  sub_type,
  index,
  parameters: [parameter],
});

const SENDABLE: Record<string, Sent> = {
  hello_world: {
    components: [],
    rendered: "Hello World\n\nWelcome! If you can read this, your number can send templates." +
      "\n\nA sample message",
  },
  order_update: {
    fields: { body_variables: ["Ada", "{{1}} 🚚"] },
    components: [body("Ada", "{{1}} 🚚")],
    rendered: "Hello Ada, your order {{1}} 🚚 is on its way.",
  },
  service_visit: {
    fields: { header_variables: ["S-9"], body_variables: ["Ada", "Monday"] },
    components: [{ type: "header", parameters: [text("S-9")] }, body("Ada", "Monday")],
    rendered: "Service order S-9\n\nHello Ada, our technician will be with you on Monday." +
      "\n\nOndalva Coffee Equipment\n\n[Confirm] [Another day] [Call us]",
  },
  quote_ready: {
    fields: { header_variables: ["Q-1"], body_variables: ["Ada", "Brisa", "USD 1", "May"] },
    components: [
      { type: "header", parameters: [named("quote_number", "Q-1")] },
      {
        type: "body",
        parameters: [
          named("customer_name", "Ada"),
          named("machine", "Brisa"),
          named("amount", "USD 1"),
          named("expiry_date", "May"),
        ],
      },
    ],
    rendered:
      "Quote Q-1\n\nHello Ada, the Brisa costs USD 1 until May. Shall we reserve it for you, Ada?" +
      "\n\nOndalva Coffee Equipment",
  },
  delivery_tracking: {
    fields: { body_variables: ["Ada", "Correos"], button_variables: ["BR 2/é"] },
    components: [body("Ada", "Correos"), button("url", "1", text("BR 2/é"))],
    rendered:
      "Hello Ada, your parcel is with Correos now.\n\n[Not at home] [Track it] [All parcels]",
  },
  welcome_discount: {
    fields: { body_variables: ["Ada"], button_variables: ["BEANS20"] },
    components: [
      body("Ada"),
      button("copy_code", "0", { type: "coupon_code", coupon_code: "BEANS20" }),
    ],
    rendered:
      "Welcome, Ada! Here is a code for 15 % off your first beans.\n\nOne use for each customer" +
      "\n\n[Copy offer code] [To the shop]",
  },
  loyalty_points: {
    fields: { body_variables: ["Ada", "7"] },
    components: [body("Ada", "7")],
    rendered: "7 points are waiting for you, Ada. Use your 7 points by June.",
  },
};

Deno.test("each template without media is sent with the caller's values, and the text is stored as the recipient sees it", async (t) => {
  const company = await companyWithTemplates();
  for (const [template_name, { fields, components, rendered }] of Object.entries(SENDABLE)) {
    await t.step(template_name, async () => {
      const phone = anyPhone();
      const { status, body } = await sendTemplate(company.keys.messaging, {
        phone,
        template_name,
        language_code: "en_US",
        display_text: "As the caller wants it",
        ...fields,
      });
      assert.equal(status, 200, JSON.stringify(body));
      const [{ message }] = await takenFrom(company, phone);
      assert.deepEqual(message.template.components, components);
      const stored = await storedMessage(body.message_id);
      assert.deepEqual(
        [stored.content, stored.rendered_text, stored.type],
        ["As the caller wants it", rendered, "text"],
      );
    });
  }
});

Deno.test("a send of an authentication template contains the code in the body and in the button", async (t) => {
  const company = await companyWithTemplates();
  for (const template_name of ["login_code", "phone_verification"]) {
    await t.step(template_name, async () => {
      const phone = anyPhone();
      const json = { phone, template_name, language_code: "en_US", display_text: "code" };
      const { status, body: sent } = await sendTemplate(company.keys.messaging, {
        ...json,
        body_variables: ["123456"],
      });
      assert.equal(status, 200, JSON.stringify(sent));
      const [{ message }] = await takenFrom(company, phone);
      assert.deepEqual(message.template.components, [
        body("123456"),
        button("url", "0", text("123456")),
      ]);
      assert.match((await storedMessage(sent.message_id)).rendered_text, /123456/);
    });
  }
});

/** Templates that the service never sends, each with the field and the message of the error. */
const NOT_SENDABLE: Record<string, [field: string, message: RegExp]> = {
  pickup_point: ["template_name", /location/i],
  season_picks: ["template_name", /carousel/i],
  payment_reminder: ["template_name", /PAUSED.*until|PAUSED.*at the latest/],
  free_machine: ["template_name", /REJECTED/],
  visit_survey: ["template_name", /PENDING/],
};

Deno.test("every sandbox template is tested in this file or in media_test.ts", () => {
  const media = ["new_arrival", "machine_tour", "invoice_ready"];
  const codes = ["login_code", "phone_verification"];
  assert.deepEqual(
    [...Object.keys(SENDABLE), ...codes, ...Object.keys(NOT_SENDABLE), ...media].sort(),
    Object.keys(TEMPLATES).sort(),
  );
});
