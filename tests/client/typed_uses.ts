// Calls of the client that TypeScript must accept or refuse. `npm run check` compiles this file,
// but nothing runs it.
import {
  ConflictError,
  type Contact,
  CRM,
  type DealIncluded,
  type DryRun,
  type Page,
  type SendResult,
} from "../../client/src/main.ts";
import { type EventType, verifyWebhook, type WebhookEvent } from "../../client/src/webhooks.ts";

type Same<One, Other> = (<T>() => T extends One ? 1 : 2) extends (<T>() => T extends Other ? 1 : 2)
  ? true
  : false;
function same<One, Other>(_is: Same<One, Other>) {}

const crm = new CRM({ apiKey: "sk_live_…", baseUrl: "https://api.test/functions/v1" });
const ID = "5f0e0f0a-52f5-4f2c-9a3e-6d1f7b0f7c11";

// A custom fetch receives its URL as a string, even if the platform's fetch accepts other types.
new CRM({
  apiKey: "sk_live_…",
  baseUrl: "https://…",
  fetch: async (url: string) => await fetch(url),
});
// @ts-expect-error baseUrl is required
new CRM({ apiKey: "sk_live_…" });

export async function lists() {
  for await (const contact of crm.contacts.list({ temperature: "hot" })) {
    same<typeof contact, Contact>(true);
  }
  const page = await crm.contacts.list({
    temperature: ["hot", "warm"],
    "created_at[gte]": new Date(),
  });
  same<typeof page, Page<Contact>>(true);
  const next = await page.next();
  same<typeof next, Page<Contact> | null>(true);

  const [chosen] = (await crm.contacts.list({ fields: ["id", "name"] })).data;
  same<typeof chosen, Pick<Contact, "id" | "name">>(true);
  // @ts-expect-error the request did not include it
  chosen.email;

  const [deal] = (await crm.deals.list({ include: "contact", "value[gte]": 5 })).data;
  same<typeof deal.contact, DealIncluded["contact"]>(true);
  // @ts-expect-error the request did not include it
  deal.stage;

  crm.contacts.list({ "custom_fields.plan": "gold", sort: "-name", include_total: true });
  // @ts-expect-error no such temperature value
  crm.contacts.list({ temperature: "boiling" });
  // @ts-expect-error this field has no such operator
  crm.contacts.list({ "phone[contains]": "1" });
  // @ts-expect-error no such field
  crm.contacts.list({ fields: ["surname"] });
  const [contact] = (await crm.contacts.list({ include: "deals" })).data;
  contact.deals.data.map(({ title }) => title);
  // @ts-expect-error the request did not include it
  contact.conversations;
  // @ts-expect-error a contact includes no stages
  crm.contacts.list({ include: "stages" });
  // @ts-expect-error no such parameter
  crm.contacts.changes({ temperature: "hot" });
}

export async function records() {
  const contact = await crm.contacts.get(ID);
  same<typeof contact.merged_into, string | undefined>(true);
  const same_or_null = await crm.contacts.get(ID, {}, { ifNoneMatch: contact.version });
  // @ts-expect-error an unchanged contact is null
  same_or_null.name;
  await crm.contacts.create({ phone: "+14155550178", custom_fields: { plan: { seats: 3 } } });
  // @ts-expect-error a contact needs a phone
  await crm.contacts.create({ name: "Ada" });
  // @ts-expect-error only the service writes this field
  await crm.contacts.create({ phone: "+14155550178", created_at: "2026-11-22" });
  await crm.contacts.update(ID, { name: null }, { ifMatch: [contact.version, "*"] });
  // @ts-expect-error a phone cannot be cleared
  await crm.contacts.update(ID, { phone: null });
  // @ts-expect-error a read has no version to compare
  await crm.contacts.get(ID, {}, { ifMatch: "1" });
  // @ts-expect-error an update has no idempotency key
  await crm.contacts.update(ID, { name: "Ada" }, { idempotencyKey: "1" });
  const nothing = await crm.deals.archive(ID);
  same<typeof nothing, void>(true);
  const { data, response } = await crm.deals.restore(ID).withResponse();
  same<typeof data.status, "open" | "won" | "lost">(true);
  same<typeof response, Response>(true);
}

export async function batches() {
  const { data, summary } = await crm.deals.createMany([{
    title: "A",
    contact_id: ID,
    stage_id: ID,
  }]);
  same<typeof summary.failed, number>(true);
  for (const item of data) {
    if (item.error) same<typeof item.status, 404 | 409 | 422>(true);
    else same<typeof item.data.title, string>(true);
  }
}

export async function changes() {
  for await (const change of crm.messages.changes({ start: "now" })) {
    if ("deleted_at" in change) same<typeof change.deleted_at, string>(true);
    else same<typeof change.direction, "inbound" | "outbound">(true);
  }
}

const MESSAGE = {
  phone: "+14155550178",
  template_name: "order_update",
  language_code: "pt_BR",
  display_text: "Hello",
};

export async function sends() {
  const sent = await crm.templates.send(MESSAGE, { idempotencyKey: "order-1" });
  same<typeof sent, SendResult>(true);
  if (sent.success) same<typeof sent.message_id, string>(true);
  else same<typeof sent.reason, "do_not_contact" | "marketing_opt_out">(true);
  const dry = await crm.templates.send(MESSAGE, { dryRun: true });
  same<typeof dry, DryRun>(true);
  // @ts-expect-error a template has a language
  await crm.templates.send({ ...MESSAGE, language_code: undefined });
  await crm.conversations.reply(ID, { text: "Hello" });
  const found = await crm.sends.find("order-1");
  // @ts-expect-error the send may not exist
  found.state;
}

export function errors(error: unknown) {
  if (error instanceof ConflictError) {
    same<typeof error.existingId, string | null>(true);
    same<typeof error.details[0]["field"], string>(true);
    // @ts-expect-error this member belongs to another error
    error.windowExpiresAt;
  }
}

export async function webhooks(request: Request) {
  const event = await verifyWebhook(request.headers, await request.text(), "whsec_…");
  same<typeof event["type"], EventType>(true);
  switch (event.type) {
    case "deal.won":
      same<typeof event.resource, "deal">(true);
      event.data?.title?.trim();
      // @ts-expect-error a deal has no phone
      event.data?.phone;
      // @ts-expect-error the record may be gone
      event.data.title;
      break;
    case "message.received":
      same<typeof event, WebhookEvent<"message.received">>(true);
      event.data?.content?.trim();
      break;
    case "webhook.switched_off":
      same<typeof event.changes, { why: string }>(true);
      break;
    // @ts-expect-error no such type
    case "deal.sold":
      break;
  }
}
