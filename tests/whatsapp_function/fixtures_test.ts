import assert from "node:assert/strict";
import { eventsOf, ownWebhook } from "../support/channel_apps.ts";
import { withDatabase } from "../support/test_stack.ts";
import { fixture, FIXTURES, pieces, regrouped } from "./told/fixtures.ts";
import { rowsOf } from "./told/rows.ts";
import { newWorld, type World } from "./told/world.ts";

const webhook = await ownWebhook();
const DAY = 86_400;
const ANA = "+5511987654321";

type Rows = Awaited<ReturnType<typeof rowsOf>>;

/** What is true after a fixture, or after several in this order; further ones by their numbers. */
interface Truth {
  files: string[];
  without?: "Bia";
  before?(world: World): Promise<void>;
  then(rows: Rows, world: World): void | Promise<void>;
}

const send = (rows: Rows, number: number) =>
  rows.messages.find(({ content }) => content === `Send ${number}`)!;
const inbound = (rows: Rows) => rows.messages.filter(({ direction }) => direction === "inbound");
const contact = (rows: Rows, name: string) => rows.contacts.find((row) => row.name === name)!;
const talk = (rows: Rows, who: string, number = "1") =>
  rows.conversations.find((row) => row.contact === who && row.number === number)!;
/** Some members of a row. */
const part = (row: Record<string, unknown>, ...names: string[]) => names.map((name) => row[name]);

/** The only message that somebody sent. */
function only(rows: Rows) {
  const [message, ...others] = inbound(rows);
  assert.deepEqual(others, []);
  return message;
}

function isOpenFrom(rows: Rows, who: string, seconds: number, number = "1") {
  const { last_message_at, window_expires_at, opened_until } = talk(rows, who, number);
  assert.deepEqual(
    { last_message_at, window_expires_at, opened_until },
    {
      last_message_at: seconds,
      window_expires_at: seconds + DAY,
      opened_until: seconds + DAY,
    },
  );
}

async function noticesOf({ a }: World) {
  return await withDatabase((sql) =>
    sql`select * from account_notices where company_id = ${a.id} order by account_id, event`
  );
}

const TRUTHS: Record<string, Truth> = {
  "a status fills its slot, and its price is kept": {
    files: ["01"],
    then(rows) {
      assert.deepEqual(
        part(send(rows, 1), "status", "sent_at", "price_category", "state"),
        ["sent", 0, "utility", "sent"],
      );
      assert.equal(talk(rows, ANA).last_message_at, null);
    },
  },
  "a report tells the id of the person who got the message": {
    files: ["01"],
    then(rows) {
      assert.deepEqual(part(contact(rows, "Ana Souza"), "user_ids", "has_identity"), [
        ["BR.1043781234567890"],
        true,
      ]);
    },
  },
  "a delivered message is delivered, also without a report that it was sent": {
    files: ["02"],
    then(rows) {
      assert.deepEqual(part(send(rows, 1), "status", "sent_at", "delivered_at"), [
        "delivered",
        null,
        2,
      ]);
    },
  },
  "a read message is read, whatever comes later": {
    files: ["03", "02", "01"],
    then(rows) {
      assert.deepEqual(
        part(send(rows, 1), "status", "sent_at", "delivered_at", "read_at"),
        ["read", 0, 2, 9],
      );
    },
  },
  "a failure after the channel took a message is the message's, and the ledger stays": {
    files: ["04"],
    then(rows) {
      const failed = send(rows, 2);
      assert.deepEqual(part(failed, "status", "failed_at", "state", "outcome"), [
        "failed",
        1,
        "sent",
        "accepted",
      ]);
      assert.deepEqual(part(failed.failure, "reason", "code", "message"), [
        "recipient_unreachable",
        131026,
        "Message undeliverable",
      ]);
    },
  },
  "the channel's cap on marketing is no opt-out": {
    files: ["05"],
    then(rows) {
      assert.deepEqual(part(send(rows, 3), "status"), ["failed"]);
      assert.equal(send(rows, 3).failure.code, 131049);
      assert.equal(contact(rows, "Ana Souza").marketing_opt_out_at, null);
    },
  },
  "a refusal because of an opt-out is an opt-out": {
    files: ["06"],
    then(rows) {
      assert.equal(send(rows, 4).failure.code, 131050);
      assert.deepEqual(part(contact(rows, "Ana Souza"), "marketing_opt_out_at", "do_not_contact"), [
        1,
        false,
      ]);
    },
  },
  "media that the channel could not load has to be uploaded again": {
    files: ["07"],
    async before({ a }) {
      await withDatabase((sql) =>
        sql`insert into template_media (company_id, account_id, sample_source, media_id, uploaded_at)
          values (${a.id}, ${a.account_id}, 'https://example.com/5', 'media5', now())`
      );
    },
    async then(rows, { a }) {
      assert.equal(send(rows, 5).failure.code, 131053);
      const [media] = await withDatabase((sql) =>
        sql`select media_id from template_media where company_id = ${a.id}`
      );
      assert.equal(media.media_id, null);
    },
  },
  "parameters that do not fit make the catalogue stale": {
    files: ["08"],
    async then(rows, { a }) {
      assert.equal(send(rows, 6).failure.code, 132012);
      const [catalogue] = await withDatabase((sql) =>
        sql`select sync_due_at <= now() as is_due from template_catalogues where company_id = ${a.id}`
      );
      assert.equal(catalogue.is_due, true);
    },
  },
  "a free reply outside of the window closes it": {
    files: ["09"],
    then(rows) {
      assert.deepEqual(part(send(rows, 7), "status"), ["failed"]);
      assert.deepEqual(part(send(rows, 7).failure, "reason", "code"), ["window_closed", 131047]);
      assert.ok((talk(rows, ANA).window_expires_at ?? 0) <= 1);
    },
  },
  "the window that was closed is open again when the person writes": {
    files: ["09", "30"],
    then(rows) {
      isOpenFrom(rows, ANA, 60);
    },
  },
  "a closed window that the person renewed stays open": {
    files: ["30", "09"],
    then(rows) {
      isOpenFrom(rows, ANA, 60);
    },
  },
  "a played voice message is read": {
    files: ["10"],
    then: (rows) => assert.deepEqual(part(send(rows, 8), "status", "read_at"), ["read", 20]),
  },
  "a message can be read without having been delivered": {
    files: ["11"],
    then: (rows) =>
      assert.deepEqual(part(send(rows, 9), "status", "delivered_at", "read_at"), [
        "read",
        null,
        3,
      ]),
  },
  "of statuses in one second the higher one counts, whichever came first": {
    files: ["12a", "12b"],
    then: (rows) =>
      assert.deepEqual(part(send(rows, 10), "status", "sent_at", "delivered_at"), [
        "delivered",
        0,
        0,
      ]),
  },
  "a status that comes again in another body is known": {
    files: ["12a", "12b", "13"],
    then: (rows) =>
      assert.deepEqual(part(send(rows, 10), "status", "sent_at", "delivered_at", "read_at"), [
        "read",
        0,
        0,
        5,
      ]),
  },
  "three statuses of one message in one body fill three slots": {
    files: ["14"],
    then: (rows) =>
      assert.deepEqual(part(send(rows, 11), "status", "sent_at", "delivered_at", "read_at"), [
        "read",
        1,
        2,
        4,
      ]),
  },
  "every item of a body with many entries counts, each for its own company": {
    files: ["15"],
    async then(rows, { a }) {
      assert.deepEqual(part(send(rows, 12), "status"), ["sent"]);
      assert.deepEqual(part(send(rows, 13), "status", "company"), ["delivered", "Company B"]);
      assert.deepEqual(
        inbound(rows).map((row) => part(row, "company", "contact", "number", "content")),
        [
          ["Company A", "+5491123456789", "3", "Hola, ¿siguen abiertos?"],
          ["Company A", ANA, "1", "Recebi, obrigada"],
        ],
      );
      isOpenFrom(rows, ANA, 60);
      isOpenFrom(rows, "+5491123456789", 60, "3");
      const [catalogue] = await withDatabase((sql) =>
        sql`select sync_due_at <= now() as is_due from template_catalogues where company_id = ${a.id}`
      );
      assert.equal(catalogue.is_due, true);
    },
  },
  "a report settles a send whose outcome was unknown": {
    files: ["16"],
    then(rows, { message_ids }) {
      assert.ok(message_ids[14]);
      assert.deepEqual(
        part(send(rows, 14), "status", "state", "reason", "outcome", "failure"),
        ["sent", "sent", null, "accepted", null],
      );
      assert.equal(
        send(rows, 14).whatsapp_message_id,
        "wamid.HQMMJv0Gg3+Zssm9L3Phf1HLQVCmCDv/0YIMPuwGpYDf0vQ=",
      );
    },
  },
  "a report about a message that is not known is kept": {
    files: ["17"],
    then(rows) {
      assert.deepEqual(part(send(rows, 15), "status"), ["delivered"]);
      assert.deepEqual(rows.waiting.map((row) => ({ ...row })), [{
        whatsapp_message_id: "wamid.HQMMZWdxkF4e9zH2XNCg2fsGEjg4ChoBLmq9+Ebsx9LqNv0=",
        kind: "status",
        times: 1,
      }]);
    },
  },
  "a message to a person without a phone is delivered": {
    files: ["18"],
    then: (rows) =>
      assert.deepEqual(part(send(rows, 16), "status", "contact"), ["delivered", "Bia ✨"]),
  },
  "a free entry point is a price, and no window": {
    files: ["19"],
    then(rows) {
      assert.deepEqual(part(send(rows, 17), "status", "price_type", "price_category"), [
        "sent",
        "free_entry_point",
        "referral_conversion",
      ]);
      assert.equal(talk(rows, ANA).window_expires_at, null);
    },
  },
  "trouble of a number is shown on its account": {
    files: ["20"],
    async then(_rows, world) {
      const notices = await noticesOf(world);
      assert.deepEqual(notices.map(({ account_id }) => account_id), [world.a.account_id]);
      assert.match(JSON.stringify(notices[0]), /130429/);
    },
  },
  "a status that nobody knows changes nothing": {
    files: ["21"],
    then: (rows) => assert.deepEqual(part(send(rows, 15), "status"), ["accepted"]),
  },
  "an inbound text opens the window": {
    files: ["30"],
    then(rows) {
      assert.deepEqual(
        part(only(rows), "contact", "type", "content", "sent_at", "status", "payload", "media"),
        [ANA, "text", "Bom dia! Ainda têm o modelo azul?", 60, null, null, null],
      );
      isOpenFrom(rows, ANA, 60);
    },
  },
  "an escaped text is stored as it was written": {
    files: ["31"],
    then: (rows) =>
      assert.equal(only(rows).content, "Olá 👋🏽 <b>50%</b> a/b ana@exemplo.com.br — 日本"),
  },
  "an image has a caption and media, and no address": {
    files: ["32"],
    then(rows) {
      assert.deepEqual(part(only(rows), "type", "content", "media_expires_at"), [
        "image",
        "Esse aqui",
        60 + 7 * DAY,
      ]);
      assert.deepEqual(part(only(rows).media, "id", "mime_type", "sha256"), [
        "1000753432651280",
        "image/jpeg",
        "r2wV5hBd9RMx+yFaT5NUa8+iqwAiASLyjUr1A1EDmyM=",
      ]);
      assert.doesNotMatch(JSON.stringify(only(rows)), /lookaside/);
    },
  },
  "a voice message is an audio that says so": {
    files: ["33"],
    then(rows) {
      assert.deepEqual(part(only(rows), "type", "content"), ["audio", ""]);
      assert.equal(only(rows).media.voice, true);
    },
  },
  "a video without a caption has no text": {
    files: ["34"],
    then: (rows) => assert.deepEqual(part(only(rows), "type", "content"), ["video", ""]),
  },
  "a document keeps the name of its file": {
    files: ["35"],
    then(rows) {
      assert.deepEqual(part(only(rows), "type", "content"), ["document", "segue"]);
      assert.equal(only(rows).media.filename, "Orçamento_2026 (final).pdf");
    },
  },
  "a sticker has no text": {
    files: ["36"],
    then: (rows) => assert.deepEqual(part(only(rows), "type", "content"), ["sticker", ""]),
  },
  "a location names the place": {
    files: ["37"],
    then(rows) {
      assert.equal(only(rows).type, "location");
      assert.match(only(rows).content, /MASP/);
    },
  },
  "a shared contact makes no contact and changes nobody's phone": {
    files: ["38"],
    then(rows) {
      assert.deepEqual(part(only(rows), "type", "content"), ["contacts", "Carlos Lima"]);
      assert.deepEqual(rows.contacts.map(({ contact }) => contact), [
        "+5511987650001",
        ANA,
        "Bia ✨",
        "+525512345678",
      ]);
    },
  },
  "a person without a phone who gives it stays one contact": {
    files: ["51", "39"],
    without: "Bia",
    then(rows) {
      const bia = contact(rows, "Bia ✨");
      assert.deepEqual(part(bia, "contact", "source", "user_ids"), [
        "+5511966660000",
        "whatsapp",
        ["BR.5043781234567894"],
      ]);
      assert.equal(rows.contacts.length, 4);
      assert.equal(rows.conversations.filter(({ contact }) => contact === bia.contact).length, 1);
      assert.equal(inbound(rows).length, 2);
    },
  },
  "a tap on a quick reply answers the template and opens the window": {
    files: ["40"],
    then(rows) {
      assert.deepEqual(part(only(rows), "type", "content", "answers"), [
        "button",
        "Confirmar",
        "Send 1",
      ]);
      assert.match(JSON.stringify(only(rows).payload), /CONFIRM/);
      isOpenFrom(rows, ANA, 60);
    },
  },
  "a tap on a button is interactive and keeps its id": {
    files: ["41"],
    then(rows) {
      assert.deepEqual(part(only(rows), "type", "content", "answers"), [
        "interactive",
        "Terça 15h",
        "Send 7",
      ]);
      assert.match(JSON.stringify(only(rows).payload), /slot-2/);
    },
  },
  "a choice from a list is interactive": {
    files: ["42"],
    then: (rows) =>
      assert.deepEqual(part(only(rows), "type", "content"), ["interactive", "Plano Pro"]),
  },
  "the answer to a flow keeps its JSON as the text that it is": {
    files: ["43"],
    then(rows) {
      assert.deepEqual(part(only(rows), "type", "content"), ["interactive", "Sent"]);
      assert.match(JSON.stringify(only(rows).payload), /\{\\\\?"flow_token/);
    },
  },
  "a reaction is a fact of its message, until it is taken back": {
    files: ["44"],
    then(rows) {
      assert.deepEqual(inbound(rows), []);
      assert.equal(send(rows, 1).reaction, null);
      assert.equal(talk(rows, ANA).window_expires_at, null);
    },
  },
  "a message that the channel cannot show opens the window": {
    files: ["45"],
    then(rows) {
      assert.deepEqual(part(only(rows), "type", "content"), ["unsupported", ""]);
      assert.match(JSON.stringify(only(rows).payload), /poll_creation/);
      isOpenFrom(rows, ANA, 60);
    },
  },
  "a person who changes the phone stays one contact": {
    files: ["46"],
    then(rows) {
      const ana = contact(rows, "Ana Souza");
      assert.deepEqual(part(ana, "contact", "former_phones", "user_ids"), [
        "+5521987654321",
        [ANA],
        ["BR.1043781234567898"],
      ]);
      assert.equal(rows.contacts.length, 4);
      assert.equal(talk(rows, "+5521987654321").window_expires_at, null);
    },
  },
  "a new phone that is somebody's already is only noted": {
    files: ["46"],
    async before({ a }) {
      await withDatabase((sql) =>
        sql`insert into contacts (company_id, name, phone) values (${a.id}, 'Rui', '+5521987654321')`
      );
    },
    then(rows) {
      assert.deepEqual(part(contact(rows, "Ana Souza"), "contact", "former_phones"), [ANA, []]);
      assert.match(contact(rows, "Ana Souza").events.join(), /phone_taken/);
      assert.deepEqual(part(contact(rows, "Rui"), "contact"), ["+5521987654321"]);
    },
  },
  "a person who answers an advertisement becomes a contact": {
    files: ["47"],
    then(rows) {
      assert.deepEqual(part(contact(rows, "Mariano"), "contact", "source", "user_ids"), [
        "+5491123456789",
        "whatsapp",
        ["AR.4043781234567893"],
      ]);
      assert.match(JSON.stringify(only(rows).payload), /120200000000000001/);
      isOpenFrom(rows, "+5491123456789", 60);
    },
  },
  "a reply to a message that is not known keeps its id": {
    files: ["48"],
    then(rows) {
      assert.deepEqual(part(only(rows), "reply_to_whatsapp_id", "answers"), [
        "wamid.HQMMx5hDSAv6YJbALxNwLV0Yh4jhsRyRuTOQy+dXOkmueC4=",
        null,
      ]);
    },
  },
  "a message without a profile leaves the name": {
    files: ["49"],
    then(rows) {
      assert.equal(only(rows).contact, ANA);
      assert.equal(contact(rows, "Ana Souza").contact, ANA);
    },
  },
  "two first messages make one contact and one conversation": {
    files: ["50"],
    async then(rows, { a }) {
      const luz = rows.contacts.filter(({ company, name }) =>
        company === "Company A" && name === "Luz Hernández"
      );
      assert.deepEqual(luz.map((row) => part(row, "contact", "source")), [
        ["+5215512345678", "whatsapp"],
      ]);
      assert.equal(inbound(rows).length, 2);
      assert.equal(
        rows.conversations.filter(({ contact }) => contact === "+5215512345678").length,
        1,
      );
      const types = await withDatabase((sql) =>
        sql`select type from messages where company_id = ${a.id} and direction = 'inbound'
          order by created_at, id`
      );
      assert.deepEqual(types.map(({ type }) => type), ["text", "image"]);
    },
  },
  "a person without a phone becomes a contact": {
    files: ["51"],
    without: "Bia",
    then(rows) {
      assert.deepEqual(part(contact(rows, "Bia ✨"), "contact", "has_identity", "user_ids"), [
        "Bia ✨",
        true,
        ["BR.5043781234567894"],
      ]);
      isOpenFrom(rows, "Bia ✨", 60);
    },
  },
  "a shorter spelling of a phone is the same contact, whose spelling stays": {
    files: ["52"],
    then(rows) {
      assert.deepEqual(part(contact(rows, "João"), "contact", "user_ids"), [
        "+5511987650001",
        ["BR.2043781234567891"],
      ]);
      assert.equal(rows.contacts.length, 4);
    },
  },
  "a word that asks for no more messages sets do_not_contact": {
    files: ["53"],
    then(rows) {
      assert.deepEqual(
        part(
          contact(rows, "Ana Souza"),
          "do_not_contact",
          "do_not_contact_source",
          "do_not_contact_at",
        ),
        [true, "word", 60],
      );
      assert.equal(only(rows).content.trim(), "Parar.");
    },
  },
  "a preference stops marketing and nothing else": {
    files: ["54"],
    then: (rows) =>
      assert.deepEqual(part(contact(rows, "Ana Souza"), "marketing_opt_out_at", "do_not_contact"), [
        30,
        false,
      ]),
  },
  "marketing that was resumed stays so when the stop comes again": {
    files: ["54", "55", "54"],
    then: (rows) => assert.equal(contact(rows, "Ana Souza").marketing_opt_out_at, null),
  },
  "an order keeps its items": {
    files: ["56"],
    then(rows) {
      assert.deepEqual(part(only(rows), "type", "content"), ["order", "para sexta"]);
      assert.match(JSON.stringify(only(rows).payload), /sku-1/);
    },
  },
  "a message is edited and taken back": {
    files: ["30", "57"],
    then(rows) {
      assert.deepEqual(part(only(rows), "edited_at", "revoked_at"), [80, 95]);
      isOpenFrom(rows, ANA, 60);
    },
  },
  "an edit that comes before its message waits for it": {
    files: ["57", "30"],
    then(rows) {
      assert.deepEqual(part(only(rows), "edited_at", "revoked_at"), [80, 95]);
      assert.deepEqual(rows.waiting.length, 0);
      isOpenFrom(rows, ANA, 60);
    },
  },
  "a long text is stored whole": {
    files: ["58"],
    then: (rows) => assert.equal(only(rows).content.length, 10_000),
  },
  "traffic limits of a number change no send": {
    files: ["64"],
    then: (rows) => assert.deepEqual(part(send(rows, 1), "status"), ["accepted"]),
  },
  "a restriction is shown on every account of the business, until it ends": {
    files: ["65"],
    async then(_rows, world) {
      const notices = await noticesOf(world);
      assert.deepEqual(
        new Set(notices.map(({ account_id }) => account_id)),
        new Set([world.a.account_id, world.a.other_account_id]),
      );
      for (const { until } of notices) {
        assert.equal(until.getTime() / 1000, 1795867200 + world.shift.seconds);
      }
      const [{ count }] = await withDatabase((sql) =>
        sql`select count(*)::integer from messaging_accounts
          where company_id = ${world.a.id} and disconnected_at is null`
      );
      assert.equal(count, 2);
    },
  },
  "a ban that is announced is shown on every account of the business": {
    files: ["66"],
    async then(_rows, world) {
      assert.equal((await noticesOf(world)).length, 2);
    },
  },
  "a person has a further id": {
    files: ["49", "67"],
    then: (rows) =>
      assert.deepEqual(contact(rows, "Ana Souza").user_ids, [
        "BR.1043781234567890",
        "BR.1043781234567899",
      ]),
  },
  "what people of the company write on the phone is no inbound message": {
    files: ["68"],
    then(rows) {
      assert.deepEqual(inbound(rows), []);
      assert.equal(talk(rows, ANA).window_expires_at, null);
    },
  },
};

for (const [fact, { files, without, before, then }] of Object.entries(TRUTHS)) {
  Deno.test(`${fact} (${files.join(", ")})`, async () => {
    const world = await newWorld({ withBia: without !== "Bia" });
    await before?.(world);
    const bodies = files.map((number) => fixture(number, world.shift));
    await post(world, bodies);
    const once = await rowsOf(world);
    await then(once, world);
    // Again as they were, and once more each item for itself.
    await post(world, [...bodies, ...pieces(bodies).map((piece) => regrouped([piece]))]);
    assert.deepEqual(await rowsOf(world), once);
  });
}

Deno.test("an event of a field that nobody knows is kept", async () => {
  const world = await newWorld();
  await post(world, [fixture("69", world.shift)]);
  const [event, ...others] = await eventsOf(world.app);
  assert.deepEqual([event.state, others], ["unroutable", []]);
  assert.match(event.error, /something_of_2027/);
});

Deno.test("trouble has no time of its own: it happened when it was received, also when it is applied again", async () => {
  const world = await newWorld();
  await post(world, [fixture("20", world.shift)]);
  const at = async () => (await noticesOf(world)).map(({ happened_at }) => happened_at);
  const first = await at();
  const [{ id, received_at }] = await eventsOf(world.app);
  assert.deepEqual(first, [received_at]);
  await withDatabase(async (sql) => {
    await sql`update channel_events set state = 'stored' where id = ${id}`;
  });
  await post(world, [fixture("20", world.shift)]);
  assert.equal((await eventsOf(world.app))[0].state, "done");
  assert.deepEqual(await at(), first);
});

Deno.test("every fixture has a fact", () => {
  const named = new Set(Object.values(TRUTHS).flatMap(({ files }) => files));
  const elsewhere = ["60", "61", "62", "63", "69"];
  const missing = FIXTURES.map((name) => name.split("_")[0])
    .filter((number) => !named.has(number) && !elsewhere.includes(number));
  assert.deepEqual(missing, []);
});

async function post(world: World, bodies: string[]) {
  for (const body of bodies) {
    const { status, text } = await webhook.post(world.app, body);
    assert.equal(status, 200, text);
  }
}
