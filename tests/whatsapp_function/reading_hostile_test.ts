// Tests bodies that are malformed, hostile or very large. Reading never throws, and an error in one
// part of a body does not affect the other parts.
import assert from "node:assert/strict";
import fc from "fast-check";
import { readEvent } from "../../supabase/functions/whatsapp/events/reading/event.ts";
import {
  eventBytes,
  eventFiles,
  eventOf,
  itemsIn,
  messageItem,
  readValue,
} from "./reading_events.ts";
import { runs } from "../support/runs.ts";

const encoder = new TextEncoder();
const readText = (text: string) => readEvent(encoder.encode(text));
const good = { from: "5511987654321", id: "wamid.G", timestamp: "1795262460", type: "text" };
const goodStatus = { id: "wamid.S", status: "sent", timestamp: "1795262400" };

Deno.test("a body that is not JSON or not an event results in a problem and no items", () => {
  for (const text of ["", "{", "\0", "not json", '{"entry":', "\ufffe"]) {
    assert.deepEqual(readText(text), { items: [], problem: "The body is not JSON" }, text);
  }
  for (const text of ["null", "1", '"text"', "[]", "{}", '{"object":"page"}']) {
    const { items, problem } = readText(text);
    assert.deepEqual(items, []);
    assert.match(problem!, /it has no entry$/);
  }
  assert.deepEqual(readText('{"entry":[]}'), { items: [], problem: null });
});

Deno.test("an event about another product than WhatsApp results in an item of the kind `unknown`", () => {
  const { items } = readValue({ object: "page", entry: [{ changes: [{ field: "feed" }] }] });
  assert.deepEqual(items.map((item) => item.kind === "unknown" && item.field), ["page.feed"]);
});

Deno.test("a malformed message or status counts as `unknown`, and the items next to it are still read", () => {
  const malformed = [
    null,
    1,
    "text",
    [],
    {},
    { ...good, id: null },
    { ...good, id: "" },
    { ...good, id: "with space" },
    { ...good, id: "x".repeat(256) },
    { ...good, id: {} },
    { ...good, from: null },
    { ...good, from: "abc" },
    { ...good, from: "12" },
    { ...good, type: "reaction" },
    { ...good, type: "reaction", reaction: { message_id: 1.5 } },
    { ...good, type: "edit", edit: { original_message_id: "wamid.A" } },
    { ...good, type: "edit", edit: { original_message_id: "wamid.A", message: { type: "text" } } },
    { ...good, type: "revoke", revoke: null },
    { ...good, group_id: "group" },
  ];
  const text = { ...good, text: { body: "good" } };
  for (const message of malformed) {
    const items = itemsIn({ messages: [text, message, { ...text, id: "wamid.H" }] });
    const kinds = items.map(({ kind }) => kind);
    assert.deepEqual(kinds, ["message", "unknown", "message"], JSON.stringify(message));
  }
  for (const status of [null, 1, {}, { ...goodStatus, id: 1.5 }, { ...goodStatus, status: 1 }]) {
    const kinds = itemsIn({ statuses: [goodStatus, status, goodStatus] }).map(({ kind }) => kind);
    assert.deepEqual(kinds, ["status", "unknown", "status"], JSON.stringify(status));
  }
});

Deno.test("a message with missing or unexpected content is stored as `unsupported`, not dropped", () => {
  const odd = [
    { type: "interactive" },
    { type: "interactive", interactive: {} },
    { type: "interactive", interactive: { type: "button_reply" } },
    { type: "interactive", interactive: { type: "constructor" } },
    { type: "text" },
    { type: "text", text: { body: 1 } },
    { type: "image" },
    { type: "image", image: { caption: "without an id" } },
    { type: "contacts", contacts: [] },
    { type: "poll_of_2027", poll_of_2027: { question: "?" } },
    { type: "__proto__" },
    { type: "constructor" },
    { type: 1 },
    {},
  ];
  for (const message of odd) {
    const { kind, type, media } = messageItem(message);
    const read = [kind, type, media];
    assert.deepEqual(read, ["message", "unsupported", null], JSON.stringify(message));
  }
  const { content, payload } = messageItem(odd[7]);
  assert.deepEqual([content, payload], ["without an id", null]);
  assert.deepEqual(messageItem(odd[9]).payload, { poll_of_2027: { question: "?" } });
});

Deno.test("strings and keys in items contain no null characters and no lone surrogates", () => {
  const bad = "a\0b\ud83dc\udc4b👋";
  const clean = "a\ufffdb\ufffdc\ufffd👋";
  const items = [
    messageItem({ type: "text", text: { body: bad } }),
    messageItem({ type: "button", button: { text: bad, [bad]: { [bad]: [bad] } } }),
    messageItem({ type: "reaction", reaction: { message_id: "wamid.A", emoji: bad } }),
  ];
  assert.equal(items[0].content, clean);
  assert.deepEqual(items[1].payload, { button: { text: clean, [clean]: { [clean]: [clean] } } });
  assert.equal(items[2].emoji, clean);
  const [named] = itemsIn({
    contacts: [{ profile: { name: bad }, wa_id: "5511987654321" }],
    messages: [{ ...good, text: { body: "" } }],
  });
  assert.ok(named.kind === "message");
  assert.equal(named.person.name, clean);
});

Deno.test("a text is cut after 65,536 characters, and a large or deep payload is left out", () => {
  const long = messageItem({ type: "text", text: { body: "👋".repeat(70_000) } });
  assert.equal(long.content, "👋".repeat(65_536));
  const whole = messageItem({ type: "text", text: { body: "é".repeat(65_536) } });
  assert.equal(whole.content.length, 65_536);
  const payload = (button: unknown) => messageItem({ type: "button", button }).payload;
  assert.deepEqual(payload({ text: "x", more: "é".repeat(32_700) }).truncated, undefined);
  assert.deepEqual(payload({ text: "x", more: "é".repeat(32_800) }), { truncated: true });
  assert.deepEqual(payload({ text: "x", more: Array(40_000).fill(0) }), { truncated: true });
  let deep: unknown = "end";
  for (let depth = 0; depth < 40; depth++) deep = [deep];
  assert.deepEqual(payload({ text: "x", deep }), { truncated: true });
  // Postgres would store this number with 301 digits.
  const { button } = payload({ text: "x", n: 1e300, m: 12.5 });
  assert.deepEqual(button, { text: "x", n: "1e+300", m: 12.5 });
});

Deno.test("names such as __proto__ and constructor are read like other keys", () => {
  const body = JSON.stringify(eventOf("messages", {})).replace(
    '"metadata"',
    `"messages":[{"from":"5511987654321","id":"wamid.A","type":"button","button":{"text":"x","__proto__":{"polluted":1},` +
      `"constructor":{"prototype":{"polluted":1}}},"__proto__":{"group_id":"g"}}],"__proto__":{"statuses":[1]},"metadata"`,
  );
  const [item, ...more] = readText(body).items;
  assert.deepEqual(more, []);
  assert.ok(item.kind === "message");
  const button = item.payload!.button as object;
  assert.ok(Object.hasOwn(button, "__proto__"));
  assert.equal(({} as { polluted?: number }).polluted, undefined);
});

Deno.test("a malformed time is left out", () => {
  const at = (timestamp: unknown) =>
    messageItem({ type: "text", text: { body: "" }, timestamp }).at;
  for (const time of ["1795262460", 1795262460]) assert.equal(at(time), "2026-11-21T12:01:00.000Z");
  const none = ["", "0", "-1", "abc", 1.5, 1e300, "99999999999999999999", 1795262460000, null, {}];
  for (const time of none) assert.equal(at(time), null, String(time));
});

Deno.test("the callback data in a status is read only in the format that this platform sends", () => {
  const mark = (biz_opaque_callback_data: unknown) => {
    const [item] = itemsIn({ statuses: [{ ...goodStatus, biz_opaque_callback_data }] });
    assert.ok(item.kind === "status");
    return item.mark;
  };
  const id = "5e4d0000-0000-4000-8000-000000000001";
  assert.deepEqual(mark(`${id}.12`), { send_id: id, attempt: 12 });
  assert.deepEqual(mark(`${id.toUpperCase()}.1`), { send_id: id, attempt: 1 });
  assert.equal(mark("reaction"), "reaction");
  const none = [
    id,
    `${id}.`,
    `${id}.0`,
    `${id}.-1`,
    `${id}.1x`,
    `${id}.99999999999`,
    `x${id}.1`,
    "reactions",
    1,
    {},
  ];
  for (const other of none) assert.equal(mark(other), null, String(other));
});

Deno.test("an event with any value in any place can be read, and Postgres accepts the resulting items as JSON", () => {
  const bodies = eventFiles().filter((name) => !name.startsWith("58"))
    .map((name) => new TextDecoder().decode(eventBytes(name)));
  const odd = fc.oneof(
    fc.jsonValue({ stringUnit: "binary", maxDepth: 3 }),
    fc.constantFrom(null, "", "\0", "\ud83d", -1, 1e300, [], {}, [[]], true),
  );
  fc.assert(
    fc.property(fc.constantFrom(...bodies), fc.nat(), odd, (body, at, value) => {
      const event = JSON.parse(body);
      const places: [Record<string, unknown>, string][] = [];
      const walk = (node: unknown) => {
        if (typeof node !== "object" || node === null) return;
        for (const key of Object.keys(node)) {
          places.push([node as Record<string, unknown>, key]);
          walk((node as Record<string, unknown>)[key]);
        }
      };
      walk(event);
      const [within, key] = places[at % places.length];
      within[key] = value;
      const read = JSON.stringify(readValue(event));
      assert.ok(!/\\u0000|\\ud[89a-f]/i.test(read.replaceAll("\\\\", "")), read);
    }),
    { numRuns: runs(2_000) },
  );
});

/**
 * The maximum time for reading 3 MB, in milliseconds. The time for parsing the JSON does not count.
 * An idle machine needs a fifth of this time.
 */
const MAX_MS = 1_000;

/**
 * Reads a body several times and uses the fastest time, because other tests run at the same time.
 */
function timed(text: string, maxMs = MAX_MS) {
  const bytes = encoder.encode(text);
  let [fastest, parsed] = [Infinity, Infinity];
  for (let tries = 0; tries < 5; tries++) {
    const began = performance.now();
    const read = readEvent(bytes);
    const ended = performance.now();
    isJson(text);
    fastest = Math.min(fastest, ended - began);
    parsed = Math.min(parsed, performance.now() - ended);
    if (fastest < maxMs + 3 * parsed) return read;
  }
  assert.fail(`${Math.round(fastest)} ms, including ${Math.round(parsed)} ms to parse JSON`);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

Deno.test("a body of 3 MB is read within a second, not counting the JSON parsing", () => {
  const size = 3_000_000;
  const within = (part: string, count: number) =>
    JSON.stringify(eventOf("messages", { X: 0 })).replace(
      '"X":0',
      `"messages":[${Array(count).fill(part).join(",")}]`,
    );
  assert.deepEqual(timed("[".repeat(size)).items, []);
  assert.deepEqual(timed("[".repeat(size / 2) + "]".repeat(size / 2)).items, []);
  const bomb = `${'{"a":'.repeat(200_000)}1${"}".repeat(200_000)}`;
  const [deep] = timed(
    within(`{"from":"5511987654321","id":"w","type":"button","button":${bomb}}`, 1),
  ).items;
  assert.ok(deep.kind === "message");
  assert.deepEqual(deep.payload, { truncated: true });
  assert.equal(timed(within("{}", size / 3)).items.length, 1);
  assert.equal(timed(within("[]", size / 3)).items.length, 1);
  assert.equal(timed(`{"entry":[${Array(size / 3).fill("{}").join(",")}]}`).items.length, 0);
  const short = '{"from":"5511987654321","id":"w","type":"text","text":{"body":"a"}}';
  const many = timed(within(short, Math.floor(size / short.length)));
  assert.equal(many.items.length, 10_000);
  assert.match(many.problem!, /^The event has more than 10000 items/);
  for (const body of ["\\u0000".repeat(size / 6), " ".repeat(size)]) {
    timed(within(short.replace('"a"', `"${body}"`), 1));
  }
});

Deno.test("1,000 statuses in one event are read within 50 ms, not counting the JSON parsing", () => {
  const statuses = Array.from({ length: 1000 }, (_, at) => ({ ...goodStatus, id: `wamid.${at}` }));
  // An idle machine needs a tenth of this time.
  const { items, problem } = timed(JSON.stringify(eventOf("messages", { statuses })), 50);
  assert.deepEqual([items.length, problem], [1000, null]);
});

Deno.test("if the name of an account event is malformed, the name of its field is used instead", () => {
  for (const event of ["two words", "\ud83d\ude00", "a".repeat(60) + "é", "", 5, null]) {
    const { items } = readValue(eventOf("account_update", { event }));
    assert.deepEqual(items.map((item) => item.kind === "account" && item.event), [
      "ACCOUNT_UPDATE",
    ]);
  }
});
