// Tests the chats in which the sandbox shows the messages of people and of the service.
import assert from "node:assert/strict";
import { SANDBOX_TOKEN } from "../../sandbox/rules.ts";
import { fileOf } from "./direct_sandbox.ts";
import { NUMBER, sandboxWithWebhook, template, text } from "./sandbox_webhook.ts";

const ANA = "+5511987654321";
const MIB = 2 ** 20;
type Channel = ReturnType<typeof sandboxWithWebhook>;

/** A page below /sandbox/chat. */
async function get(channel: Channel, path = "") {
  const response = await channel.get(`/chat${path}`);
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** The chat of a person, without line breaks. */
async function chatOf(channel: Channel, userId: string) {
  const { status, text } = await get(channel, `/${NUMBER}/${userId}`);
  assert.equal(status, 200);
  return text.replaceAll("\n", " ");
}

/** Makes Ana write, so that the service may send her free replies. Returns her id. */
const meet = async (channel: Channel) => (await channel.writes(ANA, "Hello")).body.user_id;

/** Uploads a file for the number, and returns its id. */
async function upload(channel: Channel, file: File) {
  const body = new FormData();
  body.append("messaging_product", "whatsapp");
  body.append("type", file.type);
  body.append("file", file);
  const headers = { Authorization: `Bearer ${SANDBOX_TOKEN}` };
  const answer = await channel.fetch(`/v26.0/${NUMBER}/media`, { method: "POST", headers, body });
  return (await answer.json()).id as string;
}

Deno.test("the list of chats shows each person's newest message, and the newest chat is first", async () => {
  await using channel = sandboxWithWebhook();
  assert.match((await get(channel)).text, /Chats of the sandbox/);
  await channel.writes(ANA, "first", { name: "Ana Souza" });
  await channel.writes("+14155550123", "second", { name: "Maya" });
  await channel.send({ to: ANA });
  const { status, headers, text: html } = await get(channel);
  assert.equal(status, 200);
  assert.equal(headers.get("Content-Type"), "text/html; charset=utf-8");
  assert.match(headers.get("Content-Security-Policy")!, /default-src 'none'; script-src 'self';/);
  const [ana, maya] = [html.indexOf("Ana Souza"), html.indexOf("Maya")];
  assert.ok(0 < ana && ana < maya, html);
  assert.match(html, /Hello Ada, your order A-1815 is on its way/);
  assert.doesNotMatch(html, /first/);
});

Deno.test("a chat shows the person's messages on one side, the service's messages on the other side, and whether the window is open", async () => {
  await using channel = sandboxWithWebhook();
  const user = await meet(channel);
  await channel.send({ to: ANA }, text("Good morning"));
  const html = await chatOf(channel, user);
  assert.match(html, /<li id="wamid\S+" class="received"> <p dir="auto">Hello<\/p>/);
  assert.match(html, /<li id="wamid\S+" class="sent"> <p dir="auto">Good morning<\/p>/);
  assert.match(html, /The window for free replies is open until \d{4}-\d\d-\d\d \d\d:\d\d\./);
  channel.clock.now += 24 * 60 * 60 * 1000;
  assert.match(await chatOf(channel, user), /The window for free replies closed at /);
  await channel.send({ to: "+12025550199" });
  const [, other] = /chat\/\d+\/(US\.\d+)/.exec((await get(channel)).text)!;
  assert.match(await chatOf(channel, other), /The person has not written, so only templates/);
});

Deno.test("a chat shows the last state that the sandbox has reported for a message", async () => {
  await using channel = sandboxWithWebhook();
  const states: [to: string, state: RegExp][] = [
    [ANA, /class="read">✓✓ read</],
    ["+15552000001", />✓ sent</],
    ["+15552000003", /class="failed">failed 131049</],
    ["+15552000005", />✓✓ read</],
    ["+15552000011", />✓✓ delivered</],
  ];
  for (const [to, state] of states) {
    await channel.send({ to });
    await channel.told();
    const [, path] = /<a href="\/sandbox\/chat(\/[^"]+)"/.exec((await get(channel)).text)!;
    const shown = await get(channel, path);
    assert.match(shown.text, state, to);
  }
});

Deno.test("a template is shown with its header, its filled text, its footer and its buttons", async () => {
  await using channel = sandboxWithWebhook();
  const user = await meet(channel);
  const parameters = (...values: string[]) => values.map((text) => ({ type: "text", text }));
  const components = [
    { type: "header", parameters: parameters("S-205") },
    { type: "body", parameters: parameters("Maya", "2 May") },
  ];
  const language = { code: "en_US" };
  await channel.send({ to: ANA }, { template: { name: "service_visit", language, components } });
  const visit = await chatOf(channel, user);
  assert.match(visit, /<strong>Service order S-205<\/strong>/);
  assert.match(visit, /Hello Maya, our technician will be with you on 2 May\./);
  assert.match(visit, /<p class="footer">Ondalva Coffee Equipment<\/p>/);
  assert.match(visit, /data-tap="Another day" data-answers="wamid[^"]+">Another day</);
  assert.match(visit, /Call us: \+12025550100/);

  const parcel = template("delivery_tracking", "Maya", "Correos").template;
  const button = { type: "button", sub_type: "url", index: 1, parameters: parameters("BR-7") };
  await channel.send({ to: ANA }, {
    template: { ...parcel, components: [...parcel.components, button] },
  });
  const tracked = await chatOf(channel, user);
  assert.match(
    tracked,
    /href="https:\/\/ondalva\.example\/track\/BR-7" rel="noreferrer">Track it</,
  );

  const file = new File(["%PDF-1.4"], "a.pdf", { type: "application/pdf" });
  const document = { id: await upload(channel, file), filename: "Invoice 7.pdf" };
  await channel.send({ to: ANA }, {
    template: {
      ...{ name: "invoice_ready", language },
      components: [
        { type: "header", parameters: [{ type: "document", document }] },
        { type: "body", parameters: parameters("A-7", "USD 5") },
      ],
    },
  });
  const [, path] = /<a href="\/sandbox\/chat(\/media\/\d+)" download="Invoice 7.pdf">/
    .exec(await chatOf(channel, user))!;
  const got = await get(channel, path);
  assert.deepEqual([got.text, got.headers.get("Content-Type")], ["%PDF-1.4", "application/pdf"]);
  assert.equal(got.headers.get("Content-Disposition"), "attachment");
});

Deno.test("a chat shows the files of the person and of the service, or lets the reader save them", async () => {
  await using channel = sandboxWithWebhook();
  const user = await meet(channel);
  const id = await upload(channel, fileOf("image/jpeg"));
  await channel.send({ to: ANA }, { ...text(""), type: "image", text: undefined, image: { id } });
  const audio = { id: await upload(channel, fileOf("audio/ogg")), voice: true };
  await channel.send({ to: ANA }, { template: undefined, type: "audio", audio });
  const link = { link: "https://files.example.com/a.mp4" };
  await channel.send({ to: ANA }, { template: undefined, type: "video", video: link });
  const base = { phone_number_id: NUMBER, from: ANA };
  await channel.call("/inbound", { ...base, medium: "picture", caption: "My cup" });
  await channel.call("/inbound", { ...base, medium: "voice" });
  await channel.call("/inbound", { ...base, medium: "pdf" });
  await channel.call("/inbound", { ...base, message: { type: "image", image: { id: "1" } } });
  const html = await chatOf(channel, user);
  assert.equal(html.match(/<img src="\/sandbox\/chat\/media\/\d+" alt="Picture">/g)?.length, 2);
  assert.equal(html.match(/<audio src="/g)?.length, 2);
  assert.match(html, /<a href="https:\/\/files\.example\.com\/a\.mp4" rel="noreferrer">Video<\/a>/);
  assert.match(html, /My cup/);
  assert.match(html, /download="invoice\.pdf">invoice\.pdf</);
  assert.match(html, /Picture, which the sandbox does not have/);
  for (const [, path] of html.matchAll(/(?:src|href)="\/sandbox\/chat(\/media\/\d+)"/g)) {
    const { status, headers } = await get(channel, path);
    assert.deepEqual([status, headers.get("X-Content-Type-Options")], [200, "nosniff"]);
  }
  assert.equal((await get(channel, "/media/1")).status, 404);
});

Deno.test("a browser can get a part of a file, as Safari does before it plays audio", async () => {
  await using channel = sandboxWithWebhook();
  const file = new File(["0123456789"], "a.ogg", { type: "audio/ogg" });
  const path = `/chat/media/${await upload(channel, file)}`;
  const part = async (Range: string) => {
    const response = await channel.fetch(path, { headers: { Range } });
    const { status, headers } = response;
    return [status, headers.get("Content-Range"), await response.text()];
  };
  assert.deepEqual(await part("bytes=0-1"), [206, "bytes 0-1/10", "01"]);
  assert.deepEqual(await part("bytes=7-"), [206, "bytes 7-9/10", "789"]);
  assert.deepEqual(await part("bytes=9-100"), [206, "bytes 9-9/10", "9"]);
  assert.deepEqual(await part("bytes=10-"), [200, null, "0123456789"]);
  assert.deepEqual(await part("bytes=5-2"), [200, null, "0123456789"]);
  assert.deepEqual(await part("words=1-2"), [200, null, "0123456789"]);
});

Deno.test("the sandbox keeps files of up to 16 MiB each and 64 MiB in total", async () => {
  await using channel = sandboxWithWebhook();
  const status = async (id: string) => (await get(channel, `/media/${id}`)).status;
  assert.equal(await status(await upload(channel, fileOf("text/plain", 16 * MIB + 1))), 404);
  const ids: string[] = [];
  for (let at = 0; at < 5; at++) {
    ids.push(await upload(channel, fileOf("text/plain", 16 * MIB)));
  }
  assert.deepEqual(await Promise.all(ids.map(status)), [404, 200, 200, 200, 200]);
});

Deno.test("reply buttons and lists can be tapped in the page, and a reply quotes the message to which it replies", async () => {
  await using channel = sandboxWithWebhook();
  const { body } = await channel.writes(ANA, "When?");
  const rows = [{ id: "late", title: "It is late", description: "More than a day" }];
  const context = { message_id: body.message_id };
  await channel.send({ to: ANA }, {
    ...{ template: undefined, type: "interactive", context },
    interactive: {
      ...{ type: "list", body: { text: "What is it about?" } },
      action: { button: "Choose", sections: [{ title: "Orders", rows }] },
    },
  });
  const html = await chatOf(channel, body.user_id);
  assert.match(html, /<blockquote><a href="#wamid[^"]+" dir="auto">When\?<\/a><\/blockquote>/);
  assert.match(html, /<details><summary>Choose<\/summary> <strong>Orders<\/strong>/);
  assert.match(
    html,
    /data-tap="late" data-answers="wamid[^"]+">It is late <small>More than a day<\/small>/,
  );
});

Deno.test("a chat shows reactions, read marks and typing next to the messages", async () => {
  await using channel = sandboxWithWebhook();
  const { body: { user_id, message_id } } = await channel.writes(ANA, "Hello");
  const sent = await channel.send({ to: ANA }, text("Good morning"));
  const reaction = (id: string, emoji: string) => ({
    type: "reaction",
    reaction: { message_id: id, emoji },
  });
  await channel.send({ to: ANA }, { template: undefined, ...reaction(message_id, "👍") });
  const base = { phone_number_id: NUMBER, from: ANA };
  await channel.call("/inbound", { ...base, message: reaction(sent, "🎉") });
  await channel.call(`/v26.0/${NUMBER}/messages`, {
    ...{ messaging_product: "whatsapp", status: "read", message_id },
    typing_indicator: { type: "text" },
  });
  const html = await chatOf(channel, user_id);
  assert.equal(html.match(/<li /g)?.length, 2);
  assert.match(html, /<span title="from the service">👍<\/span>/);
  assert.match(html, /<span title="from the person">🎉<\/span>/);
  assert.match(html, /read by the service/);
  assert.match(html, /The service is typing … The window/);
  await channel.call("/inbound", { ...base, message: reaction(sent, "") });
  channel.clock.now += 25_000;
  const later = await chatOf(channel, user_id);
  assert.doesNotMatch(later, /🎉/);
  assert.doesNotMatch(later, /typing/);
});

Deno.test("a chat shows the texts of the person and of the service as plain text, never as HTML", async () => {
  await using channel = sandboxWithWebhook();
  const evil = `"><script>alert(1)</script>`;
  const { body: { user_id } } = await channel.writes(ANA, evil, { name: evil });
  const base = { phone_number_id: NUMBER, from: ANA };
  const messages = [
    { type: "location", location: { name: evil } },
    { type: evil, [evil]: { evil } },
    { type: "text", text: { body: { evil } } },
    { type: "interactive", interactive: { type: "button_reply", button_reply: { title: evil } } },
    { type: "interactive", interactive: { type: evil } },
    { type: "document", document: { id: evil, filename: evil } },
    { type: "reaction", reaction: { message_id: "1", emoji: evil } },
  ];
  for (const message of messages) await channel.call("/inbound", { ...base, message });
  await channel.call("/inbound", { ...base, text: "x", answers: evil });
  await channel.send({ to: ANA }, text(evil));
  await channel.send({ to: ANA }, template("order_update", evil, evil));
  for (const html of [await chatOf(channel, user_id), (await get(channel)).text]) {
    assert.deepEqual(html.match(/<script[^>]*>/g), [
      '<script type="module" src="/sandbox/chat/page.js">',
    ]);
    assert.match(html, /&quot;>&lt;script>alert\(1\)/);
  }
});

Deno.test("the page's script and style are served, and an unknown chat returns a 404", async () => {
  await using channel = sandboxWithWebhook();
  for (const [file, type] of [["page.js", "text/javascript"], ["page.css", "text/css"]]) {
    const { status, headers } = await get(channel, `/${file}`);
    assert.deepEqual([status, headers.get("Content-Type")], [200, `${type}; charset=utf-8`]);
  }
  assert.equal((await get(channel, "/page.ts")).status, 404);
  const { status, text: answer } = await get(channel, `/${NUMBER}/US.1`);
  assert.equal(status, 404);
  assert.match(answer, /The sandbox has no such chat/);
});

Deno.test("the sandbox keeps the newest 200 messages of a chat and the newest 500 chats", async () => {
  await using channel = sandboxWithWebhook(undefined, { webhook: () => null });
  const user = await meet(channel);
  for (let at = 1; at <= 200; at++) await channel.writes(ANA, `message ${at} ends`);
  const html = await chatOf(channel, user);
  assert.equal(html.match(/<li /g)?.length, 200);
  assert.doesNotMatch(html, />Hello</);
  for (let at = 0; at < 500; at++) await channel.writes(`+1202555${1000 + at}`, "Hi");
  assert.equal((await get(channel)).text.match(/<li /g)?.length, 500);
  assert.equal((await get(channel, `/${NUMBER}/${user}`)).status, 404);
});
