// Tests the sandbox's media files: template samples and callers' uploads.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { SANDBOX_TOKEN } from "../../sandbox/rules.ts";
import type { Template } from "../../sandbox/template_types.ts";
import { assertFault, CHANNEL, directSandbox, fileOf, largeUpload } from "./direct_sandbox.ts";

const MIB = 1024 * 1024;
const SENDER = "106540352242922";
const DAY_MS = 24 * 60 * 60 * 1000;

type Direct = ReturnType<typeof directSandbox>;

/** The URL of a template's sample. */
async function sampleOf({ get }: Direct, name: string): Promise<string> {
  const { body } = await get(`/1/message_templates?limit=100&name=${name}`);
  const [{ components }]: Template[] = body.data;
  const [header] = components;
  assert.ok(header.type === "HEADER" && "example" in header);
  return (header.example as { header_handle: string[] }).header_handle[0];
}

const FORMATS: Record<string, [type: string, begins: RegExp, ends: RegExp]> = {
  new_arrival: ["image/jpeg", /^\xff\xd8\xff/, /\xff\xd9$/],
  machine_tour: ["video/mp4", /^....ftypisom/s, /mdat/],
  invoice_ready: ["application/pdf", /^%PDF-1\.4\n/, /startxref\n\d+\n%%EOF\n$/],
};

for (const [name, [type, begins, ends]] of Object.entries(FORMATS)) {
  Deno.test(`the sample of ${name} is a real file of the type ${type} and needs no token`, async () => {
    const direct = directSandbox();
    const answer = await direct.fetch(new Request(await sampleOf(direct, name)));
    assert.deepEqual([answer.status, answer.headers.get("Content-Type")], [200, type]);
    const bytes = await answer.bytes();
    assert.equal(answer.headers.get("Content-Length"), `${bytes.length}`);
    assert.ok(bytes.length > 500 && bytes.length < 8 * 1024);
    const text = new TextDecoder("latin1").decode(bytes);
    assert.match(text, begins);
    assert.match(text, ends);
  });
}

Deno.test("a sample URL returns a 403 if its query is missing or wrong, or if the URL has expired", async () => {
  const direct = directSandbox();
  const statusOf = async (url: string) => (await direct.fetch(new Request(url))).status;
  const url = await sampleOf(direct, "new_arrival");
  assert.equal(await statusOf(url), 200);
  const changed = new URL(url);
  changed.searchParams.set("oe", "7FFFFFFF");
  const addresses = [
    url.split("?")[0],
    url.replace(/&oe=.+/, ""),
    url.replace(/oh=./, "oh=x"),
    changed.href,
  ];
  for (const wrong of addresses) {
    assert.equal(await statusOf(wrong), 403, wrong);
  }
  assert.equal(await statusOf(url.replace("espresso_cup.jpg", "machine_tour.mp4")), 403);
  assert.equal(await statusOf(`${CHANNEL}/samples/other.jpg`), 404);
  assert.equal(await statusOf(`${CHANNEL}/samples/constructor`), 404);

  direct.clock.now += 6 * DAY_MS;
  assert.equal(await statusOf(url), 200);
  direct.clock.now += DAY_MS + 1000;
  assert.equal(await statusOf(url), 403);
});

Deno.test("an upload returns an id, and the channel describes the file under this id", async () => {
  const { upload, get } = directSandbox();
  // The file contains strings that look like lines of the multipart form itself.
  const content = "--\r\n\r\n------boundary\r\n--".repeat(10_000);
  const { status, body } = await upload(
    SENDER,
    new File([content], 'ação "1".pdf', { type: "application/pdf" }),
  );
  assert.equal(status, 200, JSON.stringify(body));
  assert.deepEqual(Object.keys(body), ["id"]);
  assert.match(body.id, /^[1-9]\d{14,15}$/);
  assert.deepEqual((await get(`/${body.id}`)).body, {
    messaging_product: "whatsapp",
    id: body.id,
    mime_type: "application/pdf",
    sha256: createHash("sha256").update(content).digest("hex"),
    file_size: content.length,
  });
});

Deno.test("a file of its format's maximum size is accepted, and a larger file is refused with error code 131053", async () => {
  const { fetch } = directSandbox();
  const uploaded = async (type: string, size: number) => {
    const answer = await fetch(largeUpload(`${CHANNEL}/${SENDER}/media`, type, size));
    return { status: answer.status, headers: answer.headers, body: await answer.json() };
  };
  const limits: [string, number][] = [
    ...["image/jpeg", "image/png"].map((type): [string, number] => [type, 5]),
    ...["video/mp4", "video/3gpp"].map((type): [string, number] => [type, 16]),
    ["application/pdf", 100],
  ];
  for (const [type, mib] of limits) {
    assert.equal((await uploaded(type, mib * MIB)).status, 200, type);
    assertFault(await uploaded(type, mib * MIB + 1), 131053, /at most \d+ bytes/);
  }
});

Deno.test("a file type that the channel does not accept is refused with error code 131053", async () => {
  const { upload } = directSandbox();
  const unaccepted = [
    ...["image/gif", "image/svg+xml", "video/webm", "application/octet-stream", "text/html", ""],
  ];
  for (const type of unaccepted) {
    const refused = await upload(SENDER, fileOf(type), { type: "image/jpeg" });
    assertFault(refused, 131053, /one of the types/);
  }
  assertFault(await upload(SENDER, fileOf("image/jpeg"), { type: "image/png" }), 131053);
});

Deno.test("an upload with a missing form part is refused with error code 100", async () => {
  const { upload, call } = directSandbox();
  const file = fileOf("image/jpeg");
  assertFault(await upload(SENDER, file, { messaging_product: null }), 100, /messaging_product/);
  assertFault(await upload(SENDER, file, { messaging_product: "sms" }), 100, /messaging_product/);
  assertFault(await upload(SENDER, file, { type: null }), 100, /type/);
  assertFault(await upload(SENDER, fileOf("image/jpeg", 0)), 100, /empty/);
  const form = new FormData();
  form.append("messaging_product", "whatsapp");
  form.append("type", "image/jpeg");
  const without = await call(`/${SENDER}/media`, { method: "POST", body: form });
  assertFault(without, 100, /file is required/);
  form.append("file", "text");
  assertFault(await call(`/${SENDER}/media`, { method: "POST", body: form }), 100, /not a file/);
});

Deno.test("an incomplete form is refused with error code 100", async () => {
  const { call } = directSandbox();
  const whole = await new Response((() => {
    const form = new FormData();
    form.append("messaging_product", "whatsapp");
    form.append("type", "image/jpeg");
    form.append("file", fileOf("image/jpeg"));
    return form;
  })()).text();
  const boundary = whole.split("\r\n")[0].slice(2);
  const type = `multipart/form-data; boundary=${boundary}`;
  const post = (body: string | undefined, type: string) =>
    call(`/${SENDER}/media`, { method: "POST", body, headers: { "Content-Type": type } });
  assert.equal((await post(whole, type)).status, 200);
  assert.equal(
    (await post(whole, `multipart/form-data; charset=utf-8; boundary="${boundary}"`)).status,
    200,
  );
  const broken = [undefined, "", "{}", whole.slice(0, -8), whole.slice(0, 100), "x".repeat(20_000)];
  for (const body of broken) {
    assertFault(await post(body, type), 100, /cannot be read/);
  }
  const header = whole.replace("\r\n\r\n", `\r\nX: ${"x".repeat(9000)}\r\n\r\n`);
  const value = whole.replace("\r\n\r\nwhatsapp", `\r\n\r\n${"x".repeat(2000)}`);
  for (const long of [header, value]) assertFault(await post(long, type), 100, /too long/);
  assertFault(await post(whole, "application/json"), 100, /not multipart/);
  assertFault(await post(whole, "multipart/form-data"), 100, /not multipart/);
});

Deno.test("the sandbox reads a form correctly, however the network splits it", async () => {
  const { fetch, get } = directSandbox();
  const content = "a\r\n--b\r\n----x--\r\n".repeat(20);
  const form = new TextEncoder().encode(
    'preamble\r\n--b-1\r\nContent-Disposition: form-data; name="messaging_product"\r\n\r\nwhatsapp\r\n' +
      '--b-1\r\ncontent-disposition: form-data; name="type"\r\n\r\nimage/png\r\n' +
      '--b-1\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n' +
      `Content-Type: image/png\r\n\r\n${content}\r\n--b-1--\r\nepilogue`,
  );
  for (const size of [1, 2, 3, 7, 64, form.length]) {
    const pieces = Array.from(
      { length: Math.ceil(form.length / size) },
      (_, at) => form.slice(at * size, (at + 1) * size),
    );
    const answer = await fetch(
      new Request(`${CHANNEL}/${SENDER}/media`, {
        method: "POST",
        headers: {
          Authorization: `Bearer ${SANDBOX_TOKEN}`,
          "Content-Type": "multipart/form-data; boundary=b-1",
        },
        body: ReadableStream.from(pieces),
      }),
    );
    const { id } = await answer.json();
    const { body } = await get(`/${id}`);
    assert.equal(body.sha256, createHash("sha256").update(content).digest("hex"), `${size}`);
  }
});

Deno.test("an uploaded file is unavailable after its deletion, and 30 days after its upload", async () => {
  const { upload, call, get, clock } = directSandbox();
  const id = (await upload(SENDER, fileOf("image/jpeg"))).body.id;
  const deleted = await call(`/${id}`, { method: "DELETE" });
  assert.deepEqual([deleted.status, deleted.body], [200, { success: true }]);
  assertFault(await get(`/${id}`), 100, /does not exist/);
  assertFault(await call(`/${id}`, { method: "DELETE" }), 100, /does not exist/);

  const other = (await upload(SENDER, fileOf("image/jpeg"))).body.id;
  clock.now += 30 * DAY_MS - 1;
  assert.equal((await get(`/${other}`)).status, 200);
  clock.now += 1;
  const { status, body } = await get(`/${other}`);
  assert.deepEqual([status, body.error.code, body.error.error_subcode], [400, 100, 33]);
});

Deno.test("media paths require the token and a numeric id", async () => {
  const { call, upload } = directSandbox();
  const headers = { Authorization: "Bearer wrong" };
  const { id } = (await upload(SENDER, fileOf("image/jpeg"))).body;
  const asked = { method: "POST", headers, body: new FormData() };
  assertFault(await call(`/${SENDER}/media`, asked), 190);
  assertFault(await call(`/${id}`, { method: "DELETE", headers }), 190);
  assertFault(await call(`/${id}`, { headers }), 190);
  assertFault(await upload("abc", fileOf("image/jpeg")), 100, /does not exist/);
});
