// The media of the sandbox: the samples of its templates, and what callers upload.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { SANDBOX_TOKEN } from "../../local/sandbox/rules.ts";
import type { Template } from "../../local/sandbox/template_types.ts";
import { assertFault, CHANNEL, directSandbox, fileOf, largeUpload } from "./direct_sandbox.ts";

const MIB = 1024 * 1024;
const SENDER = "106540352242922";
const DAY_MS = 24 * 60 * 60 * 1000;

type Direct = ReturnType<typeof directSandbox>;

/** The address of the sample of a template. */
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
  Deno.test(`the sample of ${name} is a real file of the type ${type}, without a token`, async () => {
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

Deno.test("the table of the PDF says where each of its objects is", async () => {
  const direct = directSandbox();
  const pdf = await (await direct.fetch(new Request(await sampleOf(direct, "invoice_ready"))))
    .text();
  const [, start] = /startxref\n(\d+)\n/.exec(pdf)!;
  assert.ok(pdf.slice(Number(start)).startsWith("xref\n"));
  const offsets = Array.from(pdf.matchAll(/^(\d{10}) 00000 n $/gm), ([, offset]) => Number(offset));
  assert.equal(offsets.length, 5);
  offsets.forEach((offset, at) => assert.ok(pdf.slice(offset).startsWith(`${at + 1} 0 obj\n`)));
});

Deno.test("a sample is a 403 without its query, with another one, and once its address has expired", async () => {
  const direct = directSandbox();
  const statusOf = async (url: string) => (await direct.fetch(new Request(url))).status;
  const url = await sampleOf(direct, "new_arrival");
  assert.equal(await statusOf(url), 200);
  const changed = new URL(url);
  changed.searchParams.set("oe", "7FFFFFFF");
  for (
    const wrong of [
      url.split("?")[0],
      url.replace(/&oe=.+/, ""),
      url.replace(/oh=./, "oh=x"),
      changed.href,
    ]
  ) {
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

Deno.test("an upload gets an id, by which the channel tells what the file is", async () => {
  const { upload, get } = directSandbox();
  // The content has what looks like the form's own lines.
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

Deno.test("each format may be as large as the channel allows, and no larger: 131053", async () => {
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

Deno.test("a type that the channel does not take is refused: 131053", async () => {
  const { upload } = directSandbox();
  for (
    const type of [
      "image/gif",
      "image/svg+xml",
      "video/webm",
      "application/octet-stream",
      "text/html",
      "",
    ]
  ) {
    assertFault(
      await upload(SENDER, fileOf(type), { type: "image/jpeg" }),
      131053,
      /one of the types/,
    );
  }
  assertFault(await upload(SENDER, fileOf("image/jpeg"), { type: "image/png" }), 131053);
});

Deno.test("an upload without one of its parts is refused: 100", async () => {
  const { upload, call } = directSandbox();
  const file = fileOf("image/jpeg");
  assertFault(await upload(SENDER, file, { messaging_product: null }), 100, /messaging_product/);
  assertFault(await upload(SENDER, file, { messaging_product: "sms" }), 100, /messaging_product/);
  assertFault(await upload(SENDER, file, { type: null }), 100, /type/);
  assertFault(await upload(SENDER, fileOf("image/jpeg", 0)), 100, /empty/);
  const form = new FormData();
  form.append("messaging_product", "whatsapp");
  form.append("type", "image/jpeg");
  assertFault(
    await call(`/${SENDER}/media`, { method: "POST", body: form }),
    100,
    /file is required/,
  );
  form.append("file", "text");
  assertFault(await call(`/${SENDER}/media`, { method: "POST", body: form }), 100, /no file/);
});

Deno.test("a body that is no whole form is refused: 100", async () => {
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
  for (
    const body of [
      undefined,
      "",
      "{}",
      whole.slice(0, -8),
      whole.slice(0, 100),
      `${"x".repeat(20_000)}`,
    ]
  ) {
    assertFault(await post(body, type), 100, /cannot be read/);
  }
  assertFault(
    await post(whole.replace("\r\n\r\n", `\r\nX: ${"x".repeat(9000)}\r\n\r\n`), type),
    100,
    /too long/,
  );
  assertFault(
    await post(whole.replace("\r\n\r\nwhatsapp", `\r\n\r\n${"x".repeat(2000)}`), type),
    100,
    /too long/,
  );
  assertFault(await post(whole, "application/json"), 100, /no multipart/);
  assertFault(await post(whole, "multipart/form-data"), 100, /no multipart/);
});

Deno.test("a form is read the same however the network cuts it", async () => {
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

Deno.test("a medium is gone once it is deleted, and 30 days after its upload", async () => {
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

Deno.test("media ask for the token and for an id of digits", async () => {
  const { call, upload } = directSandbox();
  const headers = { Authorization: "Bearer wrong" };
  const { id } = (await upload(SENDER, fileOf("image/jpeg"))).body;
  assertFault(
    await call(`/${SENDER}/media`, { method: "POST", headers, body: new FormData() }),
    190,
  );
  assertFault(await call(`/${id}`, { method: "DELETE", headers }), 190);
  assertFault(await call(`/${id}`, { headers }), 190);
  assertFault(await upload("abc", fileOf("image/jpeg")), 100, /does not exist/);
});
