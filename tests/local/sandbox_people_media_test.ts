// Tests files from simulated people. The sandbox returns the files' URLs and bytes as the channel
// does.
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { readFile } from "node:fs/promises";
import { digestOf, PEOPLE_MEDIA } from "../../sandbox/people_media.ts";
import { SANDBOX_TOKEN } from "../../sandbox/rules.ts";
import { root } from "../../local/checkout.ts";
import { hex } from "../support/media.ts";
import { directSandbox } from "./direct_sandbox.ts";
import { NUMBER, sandboxWithWebhook } from "./sandbox_webhook.ts";

const MINUTE = 60_000;
const AUTHORIZED = { headers: { Authorization: `Bearer ${SANDBOX_TOKEN}` } };

/** Posts a message with a file, and returns the part of the message that describes the file. */
async function sent(medium: string, more: Record<string, unknown> = {}) {
  await using channel = sandboxWithWebhook();
  const json = { phone_number_id: NUMBER, from: "+5511987654321", medium, ...more };
  const { status, body } = await channel.call("/inbound", json);
  assert.equal(status, 200, JSON.stringify(body));
  const [{ value }] = await channel.told();
  const [message] = value.messages;
  return { message, own: message[message.type] };
}

Deno.test("a person can send each of the sandbox's files, and the sandbox posts the message in the channel's format", async () => {
  for (const [name, made] of Object.entries(PEOPLE_MEDIA)) {
    const { message, own } = await sent(name);
    assert.equal(message.type, made.type);
    assert.match(own.id, /^19\d{14}$/);
    assert.equal(own.mime_type, made.mime_type);
    assert.equal(Buffer.from(own.sha256, "base64").toString("hex"), digestOf(name));
    assert.equal(own.filename, made.filename);
    assert.equal(own.voice, made.type === "audio" ? true : undefined);
  }
  assert.equal((await sent("pdf", { caption: "See page 2" })).own.caption, "See page 2");
});

Deno.test("an unknown file, a caption for a voice message, and a message with two contents are refused", async () => {
  await using channel = sandboxWithWebhook();
  const base = { phone_number_id: NUMBER, from: "+5511987654321" };
  for (
    const [json, message] of [
      [{ medium: "film" }, /^medium must be one of picture, voice, /],
      [{ medium: "voice", caption: "x" }, /^caption needs a medium/],
      [{ text: "hi", caption: "x" }, /^caption needs a medium/],
      [{ medium: "pdf", text: "hi" }, /^text is required, unless/],
    ] as const
  ) {
    const { status, body } = await channel.call("/inbound", { ...base, ...json });
    assert.equal(status, 400);
    assert.match(body.message, message);
  }
});

/**
 * Reads the description of the file with this name. `at` requests the file's bytes at the described
 * URL.
 */
async function readFixed(direct: ReturnType<typeof directSandbox>, name: string) {
  const at = Object.keys(PEOPLE_MEDIA).indexOf(name) + 1;
  const { body } = await direct.get(`/19000000000000${String(at).padStart(2, "0")}`);
  return { body, at: (init?: RequestInit) => direct.fetch(new Request(body.url, init)) };
}

Deno.test("a file's URL requires the token and expires after five minutes", async () => {
  const direct = directSandbox();
  const { body, at } = await readFixed(direct, "picture");
  const response = await at(AUTHORIZED);
  assert.equal(response.status, 200);
  const bytes = await response.bytes();
  assert.deepEqual([hex(bytes), bytes.length], [body.sha256, body.file_size]);
  assert.equal((await at()).status, 401);
  const changed = body.url.replace(/oh=./, "oh=x");
  assert.equal((await direct.fetch(new Request(changed, AUTHORIZED))).status, 404);
  direct.clock.now += 5 * MINUTE;
  assert.equal((await at(AUTHORIZED)).status, 404);
});

Deno.test("each faulty file fails in the way that its name describes", async () => {
  const direct = directSandbox();
  const wrong = await readFixed(direct, "wrong_digest");
  assert.notEqual(hex(await (await wrong.at(AUTHORIZED)).bytes()), wrong.body.sha256);
  const expired = await readFixed(direct, "expired");
  assert.deepEqual([expired.body.error.code, expired.body.error.error_subcode], [100, 33]);
  const breaking = await (await readFixed(direct, "breaks")).at(AUTHORIZED);
  await assert.rejects(breaking.bytes());
  const redirect = await (await readFixed(direct, "redirects")).at(AUTHORIZED);
  assert.equal(new URL(redirect.headers.get("Location")!).hostname, "files.example.com");
  assert.equal((await (await readFixed(direct, "ended_address")).at(AUTHORIZED)).status, 404);
  assert.equal((await (await readFixed(direct, "ended_address")).at(AUTHORIZED)).status, 200);
  assert.equal((await readFixed(direct, "refused")).body.error.code, 190);
  assert.equal((await readFixed(direct, "throttled")).body.error.code, 130429);
});

Deno.test("the large file has 100 MB and is generated while it is read", async () => {
  const direct = directSandbox();
  const { body, at } = await readFixed(direct, "large");
  assert.equal(body.file_size, 100 * 2 ** 20);
  let size = 0;
  for await (const piece of (await at(AUTHORIZED)).body!) size += piece.length;
  assert.equal(size, body.file_size);
});

Deno.test("docs/sandbox.md lists each file that a person can send", async () => {
  const page = await readFile(`${root}docs/sandbox.md`, "utf8");
  for (const [name, { does }] of Object.entries(PEOPLE_MEDIA)) {
    assert.ok(page.includes(`| \`${name}\` | ${does} |\n`), name);
  }
});
