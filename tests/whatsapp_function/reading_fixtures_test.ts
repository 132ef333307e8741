// Tests the items that the function reads from each event that the channel sends.
import assert from "node:assert/strict";
import type { Item } from "../../supabase/functions/whatsapp/events/reading/item.ts";
import { readEvent } from "../../supabase/functions/whatsapp/events/reading/event.ts";
import { eventBytes, eventFiles, itemsOf } from "./reading_events.ts";

/** Describes an item in a few words. */
function inWords(item: Item): string {
  switch (item.kind) {
    case "status": {
      const { status, mark, failure, price } = item;
      const of = typeof mark === "object" && mark
        ? `S${Number(mark.send_id.slice(-12))}.${mark.attempt}`
        : mark ?? "no mark";
      return [status, of, failure && `${failure.reason} ${failure.code}`, price?.type]
        .filter((word) => word).join(", ");
    }
    case "message": {
      const { type, content, word, has_own_phone, answers, media } = item;
      return [
        `${type} "${content.slice(0, 20)}"`,
        media && `media ${media.mime_type}`,
        answers && "answers",
        word,
        has_own_phone && "own phone",
      ].filter((word) => word).join(", ");
    }
    case "reaction":
      return `reaction ${item.emoji}`;
    case "edit":
      return `edit "${item.content}"`;
    case "system":
    case "identity":
      return `${item.kind} ${item.person.phone} ${item.person.user_id} → ${item.change.phone} ${item.change.user_id}`;
    case "preference":
      return `preference ${item.value} of ${item.person.user_id}`;
    case "template":
      return `template ${item.event} of ${item.name} ${item.language}`;
    case "account":
      return `account ${item.event}${item.stops_sending ? ", stops" : ""}${
        item.until ? ` until ${item.until}` : ""
      }`;
    case "trouble":
      return `trouble ${item.errors.map(({ code }) => code)}`;
    case "unknown":
      return `unknown ${item.field}`;
    case "revoke":
      return item.kind;
  }
}

const EXPECTED: Record<string, string[]> = {
  "01_status_sent": ["sent, S1.1, regular"],
  "02_status_delivered": ["delivered, S1.1, regular"],
  "03_status_read": ["read, S1.1"],
  "04_status_failed_undeliverable": ["failed, no mark, recipient_unreachable 131026"],
  "05_status_failed_marketing_cap": ["failed, S3.1, recipient_unreachable 131049"],
  "06_status_failed_opted_out": ["failed, S4.1, recipient_opted_out 131050"],
  "07_status_failed_media": ["failed, S5.1, template_rejected 131053"],
  "08_status_failed_header_mismatch": ["failed, S6.1, template_rejected 132012"],
  "09_status_failed_window_closed": ["failed, S7.1, window_closed 131047"],
  "10_status_played": ["read, S8.1"],
  "11_status_read_without_delivered": ["read, S9.1"],
  "12a_status_delivered_first": ["delivered, S10.1, regular"],
  "12b_status_sent_later_same_second": ["sent, S10.1, regular"],
  "13_redelivered_in_another_batch": ["delivered, S10.1, regular", "read, S10.1"],
  "14_batch_three_statuses_of_one_message": [
    ...["read, S11.1", "sent, S11.1, regular", "delivered, S11.1, regular"],
  ],
  "15_batch_many_entries": [
    "sent, S12.1, regular",
    'text "Recebi, obrigada"',
    'text "Hola, ¿siguen abiert"',
    "delivered, S13.1, regular",
    "template status of order_update pt_BR",
  ],
  "16_status_settles_unknown_outcome": ["sent, S14.1, regular"],
  "17_unknown_wamid_among_known": ["delivered, no mark", "delivered, S15.1, regular"],
  "18_status_bsuid_recipient": ["delivered, S16.1, regular"],
  "19_status_free_entry_point": ["sent, S17.1, free_entry_point"],
  "20_value_errors": ["trouble 130429"],
  "21_status_unknown_value": ["warning, S15.1"],
  "30_inbound_text": ['text "Bom dia! Ainda têm o"'],
  "31_inbound_text_escaped": ['text "Olá 👋🏽 <b>50%</b> "'],
  "32_inbound_image": ['image "Esse aqui", media image/jpeg'],
  "33_inbound_voice": ['audio "", media audio/ogg; codecs=opus'],
  "34_inbound_video": ['video "", media video/mp4'],
  "35_inbound_document": ['document "segue", media application/pdf'],
  "36_inbound_sticker": ['sticker "", media image/webp'],
  "37_inbound_location": ['location "MASP, Av. Paulista, "'],
  "38_inbound_contacts": ['contacts "Carlos Lima"'],
  "39_inbound_contact_request": ['contacts "Bia", own phone'],
  "40_inbound_template_button": ['button "Confirmar", answers'],
  "41_inbound_button_reply": ['interactive "Terça 15h", answers'],
  "42_inbound_list_reply": ['interactive "Plano Pro", answers'],
  "43_inbound_flow_reply": ['interactive "Sent", answers'],
  "44_inbound_reaction_and_removal": ["reaction ❤️", "reaction null"],
  "45_inbound_unsupported": ['unsupported ""'],
  "46_system_number_change": ["system +5511987654321 null → +5521987654321 BR.1043781234567898"],
  "47_inbound_from_ad": ['text "Quero saber mais"'],
  "48_inbound_reply_to_unknown": ['text "sobre isso aqui", answers'],
  "49_inbound_without_contacts": ['text "oi"'],
  "50_two_first_messages": ['text "Oi"', 'image "", media image/png'],
  "51_inbound_bsuid_only": ['text "oi, vi vocês no inst"'],
  "52_inbound_br_short_phone": ['text "ok"'],
  "53_inbound_stop": ['text " Parar. ", stop'],
  "54_preferences_stop": ["preference stop of BR.1043781234567890"],
  "55_preferences_resume": ["preference resume of BR.1043781234567890"],
  "56_inbound_order": ['order "para sexta"'],
  "57_edit_and_revoke": ['edit "Ainda têm o verde?"', "revoke"],
  "58_inbound_long_text": ['text "segue o relato compl"'],
  "60_template_rejected": ["template status of order_update pt_BR"],
  "61_template_paused": ["template status of order_update pt_BR"],
  "62_template_quality": ["template quality of order_update pt_BR"],
  "63_category_completed": ["template category of order_update pt_BR"],
  "64_phone_throughput": ["account THROUGHPUT_UPGRADE"],
  "65_account_restriction": ["account ACCOUNT_RESTRICTION, stops until 2026-11-28T12:00:00.000Z"],
  "66_account_disabled": ["account DISABLED_UPDATE, stops"],
  "67_user_id_update": ["identity +5511987654321 BR.1043781234567890 → null BR.1043781234567899"],
  "68_message_echo": ["unknown smb_message_echoes"],
  "69_unknown_field": ["unknown something_of_2027"],
};

Deno.test("the function reads the expected items from each event", () => {
  const read = Object.fromEntries(eventFiles().map((name) => [name, itemsOf(name).map(inWords)]));
  assert.deepEqual(read, EXPECTED);
});

Deno.test("an event gives the same result with escaped and with plain characters", () => {
  const name = "31_inbound_text_escaped";
  const [escaped] = itemsOf(name);
  const text = JSON.stringify(JSON.parse(new TextDecoder().decode(eventBytes(name))));
  assert.ok(text.includes("👋🏽"));
  const [plain] = readEvent(new TextEncoder().encode(text)).items;
  assert.deepEqual(plain, escaped);
  assert.ok(escaped.kind === "message");
  assert.equal(escaped.content, "Olá 👋🏽 <b>50%</b> a/b ana@exemplo.com.br — 日本");
});

Deno.test("a media item keeps its id, type, digest and expiry, but not its URL", () => {
  for (const name of eventFiles()) assert.ok(!JSON.stringify(itemsOf(name)).includes("lookaside"));
  const [image] = itemsOf("32_inbound_image");
  assert.ok(image.kind === "message");
  assert.deepEqual(image.media, {
    id: "1000753432651280",
    mime_type: "image/jpeg",
    sha256: "af6c15e6105df51331fb215a4f93546bcfa2ab00220122f28d4af50351039b23",
    filename: null,
    voice: null,
    animated: null,
    expires_at: "2026-11-28T12:01:00+00:00",
  });
  const [voice] = itemsOf("33_inbound_voice");
  assert.ok(voice.kind === "message" && voice.media?.voice);
  const [document] = itemsOf("35_inbound_document");
  assert.ok(document.kind === "message");
  assert.equal(document.media?.filename, "Orçamento_2026 (final).pdf");
});

Deno.test("the payload of a message contains only the properties that are specific to its type", () => {
  const messages = eventFiles().flatMap(itemsOf).filter((item) => item.kind === "message");
  const payloads = Object.fromEntries(
    messages.map(({ id, type, payload }) => [`${type} ${id.slice(10, 14)}`, payload]),
  );
  const kept = Object.values(payloads);
  const place = { latitude: -23.5614, longitude: -46.6559, name: "MASP" };
  for (
    const payload of [
      { button: { payload: "CONFIRM", text: "Confirmar" } },
      { interactive: { type: "button_reply", button_reply: { id: "slot-2", title: "Terça 15h" } } },
      { location: { ...place, address: "Av. Paulista, 1578" } },
    ]
  ) assert.ok(kept.some((other) => JSON.stringify(other) === JSON.stringify(payload)));
  const [flow] = itemsOf("43_inbound_flow_reply");
  assert.ok(flow.kind === "message");
  assert.deepEqual(flow.payload, {
    interactive: {
      type: "nfm_reply",
      nfm_reply: {
        name: "flow",
        body: "Sent",
        response_json: '{"flow_token":"f-1","date":"2026-11-30","note":"à tarde"}',
      },
    },
  });
  const [fromAd] = itemsOf("47_inbound_from_ad");
  assert.ok(fromAd.kind === "message");
  assert.deepEqual(Object.keys(fromAd.payload!), ["referral"]);
});

Deno.test("the sender comes from the message, and the sender's details come from the event's `contacts`", () => {
  const persons = (name: string) =>
    itemsOf(name).map((item) => "person" in item ? item.person : null);
  const ana = {
    phone: "+5511987654321",
    user_id: "BR.1043781234567890",
    name: "Ana Souza",
    username: null,
  };
  assert.deepEqual(persons("30_inbound_text"), [ana]);
  assert.deepEqual(persons("49_inbound_without_contacts"), [{ ...ana, name: null }]);
  assert.deepEqual(persons("51_inbound_bsuid_only"), [
    { phone: null, user_id: "BR.5043781234567894", name: "Bia ✨", username: "bia.doces" },
  ]);
  assert.deepEqual(persons("46_system_number_change"), [
    { phone: "+5511987654321", user_id: null, name: null, username: null },
  ]);
});
