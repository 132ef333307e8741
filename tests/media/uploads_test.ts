// Tests media uploads: the accepted types, the size limits, and the file that the channel receives.
import assert from "node:assert/strict";
import { ACCEPTED_TYPES } from "../../supabase/functions/_shared/templates/media_types.ts";
import { assertField } from "../support/calls.ts";
import { connectAccount, newCompany } from "../support/company.ts";
import { watchedStack } from "../support/own_functions.ts";
import { setToken } from "../support/sending.ts";
import { until } from "../support/started.ts";
import { BEGINNINGS, fileOfType, ogg, ownUploads, uploadChannel } from "../support/uploading.ts";
import { withDatabase } from "../support/test_stack.ts";

const MIB = 2 ** 20;

Deno.test("an upload is sent in the channel's format, and the response describes the stored file", async () => {
  const company = await newCompany();
  await setToken(company, "EAAG-upload");
  await using channel = uploadChannel();
  const upload = await ownUploads(channel.url);
  const file = fileOfType("application/pdf", 48_213);
  const { status, body } = await upload(company.keys.messaging, file, {
    type: "application/pdf; charset=binary",
    query: `?filename=${encodeURIComponent('../"Fatura nº 7".pdf')}`,
  });
  const [sent, ...more] = channel.uploads;
  assert.deepEqual(more, []);
  assert.deepEqual(sent, {
    path: `/v26.0/${company.phone_number_id}/media`,
    authorization: "Bearer EAAG-upload",
    fields: { messaging_product: "whatsapp", type: "application/pdf" },
    type: "application/pdf",
    filename: "Fatura nº 7.pdf",
    length: file.length,
    sha256: sent.sha256,
  });
  const { id, created_at, expires_at, ...rest } = body.data;
  assert.equal(status, 201);
  assert.deepEqual(rest, {
    phone_number_id: company.phone_number_id,
    type: "document",
    mime_type: "application/pdf",
    bytes: file.length,
    sha256: sent.sha256,
    filename: "Fatura nº 7.pdf",
  });
  assert.equal(Date.parse(expires_at) - Date.parse(created_at), 29 * 86_400_000);
  const read = await upload(company.keys.messaging, null, { id });
  assert.deepEqual([read.status, read.body], [200, body]);
});

Deno.test("the upload accepts every type that the channel supports, and refuses a file whose first bytes do not match its type", async () => {
  const company = await newCompany();
  await using channel = uploadChannel();
  const upload = await ownUploads(channel.url);
  assert.deepEqual(Object.keys(BEGINNINGS).sort(), Object.keys(ACCEPTED_TYPES).sort());
  for (const type of Object.keys(ACCEPTED_TYPES)) {
    const accepted = await upload(company.keys.messaging, fileOfType(type, 2_000), { type });
    assert.equal(accepted.status, 201, type);
    const other = new Uint8Array(2_000).fill(0);
    const refused = await upload(company.keys.messaging, other, { type });
    assertField(refused, "Content-Type", `is ${type}, but the file does not begin like one`);
  }
  assert.equal(channel.uploads.length, Object.keys(ACCEPTED_TYPES).length);
});

Deno.test("if a file exceeds the size limit of its type by one byte, the response is a 413 that names the limit", async () => {
  const company = await newCompany();
  await using channel = uploadChannel();
  const upload = await ownUploads(channel.url);
  const limits = { "image/png": 5, "video/mp4": 16, "audio/mpeg": 16 };
  for (const [type, mib] of Object.entries(limits)) {
    const atLimit = await upload(company.keys.messaging, fileOfType(type, mib * MIB), { type });
    assert.deepEqual([atLimit.status, atLimit.body.data?.bytes], [201, mib * MIB], type);
    for (
      const body of [fileOfType(type, mib * MIB + 1), streamed(fileOfType(type, mib * MIB + 1))]
    ) {
      const over = await upload(company.keys.messaging, body, { type });
      assert.deepEqual([over.status, over.body.code], [413, "payload_too_large"], type);
      assert.match(over.body.error, new RegExp(`larger than the ${mib} MB`));
    }
  }
  const declared = await upload(company.keys.messaging, fileOfType("application/pdf", 100), {
    type: "application/pdf",
    headers: { "Content-Length": String(100 * MIB + 1) },
  });
  assert.match(declared.body.error, /larger than the 100 MB/);
  assert.equal(channel.uploads.length, 3, "a file that is too large is not sent to the channel");
});

Deno.test("Ogg files with Opus audio are uploaded as audio/ogg, but WebM files and Ogg files with another codec are refused", async () => {
  const company = await newCompany();
  await using channel = uploadChannel();
  const upload = await ownUploads(channel.url);
  const types = ["audio/ogg", "audio/opus", "application/ogg", "audio/webm", "audio/mpeg"];
  for (const type of types) {
    const { status, body } = await upload(company.keys.messaging, ogg("OpusHead"), { type });
    assert.deepEqual([status, body.data.mime_type, body.data.type], [
      201,
      "audio/ogg; codecs=opus",
      "audio",
    ]);
  }
  for (const { fields, type } of channel.uploads) {
    assert.deepEqual([fields.type, type], ["audio/ogg; codecs=opus", "audio/ogg; codecs=opus"]);
  }
  const vorbis = await upload(company.keys.messaging, ogg("\x01vorbis"), { type: "audio/ogg" });
  assertField(vorbis, "Content-Type", /no Opus/);
  const webm = new Uint8Array([0x1a, 0x45, 0xdf, 0xa3, 1]);
  for (const type of ["audio/webm", "audio/opus"]) {
    assertField(await upload(company.keys.messaging, webm, { type }), "Content-Type", /WebM/);
  }
  assert.equal(channel.uploads.length, types.length);
});

Deno.test("a wrong type, an empty file and HTML declared as an image are refused with an error that names the field", async () => {
  const { keys } = await newCompany();
  await using channel = uploadChannel();
  const upload = await ownUploads(channel.url);
  for (const type of ["text/html", "image/webp", "application/octet-stream", "", "audio/wav"]) {
    const answer = await upload(keys.messaging, new Uint8Array([1]), { type });
    assertField(
      answer,
      "Content-Type",
      /^must be a type that the messaging channel accepts: image/,
    );
  }
  assertField(
    await upload(keys.messaging, "<html>", { type: "image/png" }),
    "Content-Type",
    /begin/,
  );
  assertField(await upload(keys.messaging, "", { type: "image/png" }), "Content-Type", /empty/);
  assertField(await upload(keys.messaging, null, { type: "image/png" }), "Content-Type", /empty/);
  assert.equal(channel.uploads.length, 0);
});

Deno.test("only keys with the `messaging` scope can create and read uploads, and only for their own company", async () => {
  const company = await newCompany();
  const other = await newCompany();
  await using channel = uploadChannel();
  const upload = await ownUploads(channel.url);
  const file = fileOfType("image/png", 64);
  const { body: { data: { id } } } = await upload(company.keys.messaging, file, {
    type: "image/png",
  });
  for (
    const [key, status] of [[null, 401], ["sk_live_wrong", 401], [company.keys.read, 403], [
      company.keys.write,
      403,
    ]] as const
  ) {
    for (const asked of [{ type: "image/png" }, { id }, { type: "text/html" }]) {
      const answer = await upload(key, asked.id ? null : file, asked);
      assert.equal(answer.status, status, `${key} ${JSON.stringify(asked)}`);
    }
  }
  for (const unknown of [id, crypto.randomUUID()]) {
    const answer = await upload(other.keys.messaging, null, { id: unknown });
    assert.deepEqual([answer.status, answer.body.code], [404, "not_found"]);
  }
  const query = `?phone_number_id=${company.phone_number_id}`;
  assertField(
    await upload(other.keys.messaging, file, { type: "image/png", query }),
    "phone_number_id",
    /^may be/,
  );
  assert.equal(channel.uploads.length, 1);
});

Deno.test("with several accounts, an upload must name a phone number, and the error for a missing number lists the accounts' numbers", async () => {
  const company = await newCompany();
  const second = await withDatabase((sql) => connectAccount(sql, company.id));
  await using channel = uploadChannel();
  const upload = await ownUploads(channel.url);
  const file = fileOfType("image/png", 64);
  const unnamed = await upload(company.keys.messaging, file, { type: "image/png" });
  assert.deepEqual([unnamed.status, unnamed.body.code], [422, "phone_number_id_required"]);
  assert.equal(unnamed.body.details.length, 2);
  const query = `?phone_number_id=${second.phone_number_id}`;
  const named = await upload(company.keys.messaging, file, { type: "image/png", query });
  assert.equal(named.body.data.phone_number_id, second.phone_number_id);
  assert.equal(channel.uploads[0].path, `/v26.0/${second.phone_number_id}/media`);
});

Deno.test("nothing is stored if the request body is incomplete or too slow, or if the channel refuses the file", async () => {
  const company = await newCompany();
  let refusal = {
    code: 131053,
    message: "(#131053) Media upload error",
    error_data: { details: "Bad file" },
  };
  let status = 400;
  await using channel = uploadChannel(async (request) => {
    await request.arrayBuffer().catch(() => {});
    return Response.json({ error: { ...refusal, type: "OAuthException", fbtrace_id: "t" } }, {
      status,
      headers: { "Retry-After": "90" },
    });
  });
  const upload = await ownUploads(channel.url);
  const png = { type: "image/png" };
  const broken = new ReadableStream<Uint8Array>({
    start(body) {
      body.enqueue(fileOfType("image/png", 2_000));
    },
    pull(body) {
      body.error(new Error("The caller has hung up"));
    },
  });
  const brokenOff = await upload(company.keys.messaging, broken, png);
  assert.deepEqual([brokenOff.status, brokenOff.body.code], [400, "malformed_request"]);
  const stalled = new ReadableStream<Uint8Array>({
    start: (body) => body.enqueue(fileOfType("image/png", 2_000)),
  });
  const impatient = await ownUploads(channel.url, { uploadTimes: { fileMs: 200, allMs: 5_000 } });
  const late = await impatient(company.keys.messaging, stalled, png);
  assert.deepEqual([late.status, late.body.code], [408, "request_timeout"]);

  const file = fileOfType("image/png", 64);
  const rejected = await upload(company.keys.messaging, file, png);
  assert.deepEqual([rejected.status, rejected.body.code, rejected.body.channel], [
    422,
    "media_rejected",
    { code: 131053, message: "(#131053) Media upload error", details: "Bad file" },
  ]);
  [refusal, status] = [{ ...refusal, code: 190 }, 401];
  const account = await upload(company.keys.messaging, file, png);
  assert.deepEqual([account.status, account.body.code], [500, "channel_account_error"]);
  [refusal, status] = [{ ...refusal, code: 2 }, 503];
  const away = await upload(company.keys.messaging, file, png);
  assert.deepEqual([away.status, away.body.code, away.body.outcome], [
    502,
    "channel_unavailable",
    "not_sent",
  ]);
  assert.equal(away.headers.get("Retry-After"), "90");
  const stored = await withDatabase((sql) =>
    sql`select from media_uploads where company_id = ${company.id}`
  );
  assert.equal(stored.length, 0);
});

Deno.test("uploads with unknown keys do not delay the upload of a known company", async () => {
  const company = await newCompany();
  await using channel = uploadChannel();
  const gate = Promise.withResolvers<null>();
  let [isHeld, held] = [false, 0];
  await using database = watchedStack(() => {
    if (!isHeld) return null;
    held++;
    return gate.promise;
  });
  const upload = await ownUploads(channel.url, {
    supabaseUrl: database.url,
    databaseTimeoutMs: 60_000,
    uploadShare: { atOnce: 3, inAll: 6, waiting: 64, patienceMs: 500 },
    strangerShare: { atOnce: 2, waiting: 8, patienceMs: 60_000, placeMs: 60_000 },
  });
  const png = fileOfType("image/png", 64);
  const uploaded = (key: string) => upload(key, png, { type: "image/png" });
  assert.equal((await uploaded(company.keys.messaging)).status, 201);
  isHeld = true;
  const trying = Array.from({ length: 10 }, () => uploaded(`sk_live_${crypto.randomUUID()}`));
  await until(() => held === 2);
  isHeld = false;
  const known = await uploaded(company.keys.messaging);
  gate.resolve(null);
  assert.equal(known.status, 201);
  for (const { status } of await Promise.all(trying)) assert.equal(status, 401);
});

Deno.test("if the database fails after the channel has the file, the error says that it may have been stored", async () => {
  const company = await newCompany();
  await using channel = uploadChannel();
  await using database = watchedStack((request) =>
    /\/(add_)?media_upload$/.test(request.url) ? new Response(null, { status: 503 }) : null
  );
  const upload = await ownUploads(channel.url, { supabaseUrl: database.url });
  const png = { type: "image/png" };
  const away = await upload(company.keys.messaging, fileOfType("image/png", 64), png);
  assert.deepEqual([away.status, away.body.code, channel.uploads.length], [
    ...[503, "database_unavailable", 1],
  ]);
  assert.match(away.body.error, /; the file may have been stored, so .+ a repeat does no harm$/);
  const unread = await upload(company.keys.messaging, null, { id: crypto.randomUUID() });
  assert.deepEqual([unread.status, unread.body.error.split("; ")[1]], [503, "try again"]);
});

Deno.test("expired uploads are not returned, and the `tend_channel` job deletes them", async () => {
  const company = await newCompany();
  await using channel = uploadChannel();
  const upload = await ownUploads(channel.url);
  const made = async () => {
    const { body } = await upload(company.keys.messaging, fileOfType("image/png", 64), {
      type: "image/png",
    });
    return body.data.id as string;
  };
  const [old, current] = [await made(), await made()];
  await withDatabase((sql) => sql`update media_uploads set expires_at = now() where id = ${old}`);
  assert.equal((await upload(company.keys.messaging, null, { id: old })).status, 404);
  const left = () =>
    withDatabase((sql) => sql`select id from media_uploads where company_id = ${company.id}`);
  // If another run of the job has locked the expired upload, that run deletes it.
  await until(async () => {
    await withDatabase((sql) => sql`select public.tend_channel()`);
    return (await left()).length < 2;
  });
  assert.deepEqual([...await left()], [{ id: current }]);
});

/** A body without a length. */
function streamed(file: Uint8Array): ReadableStream<Uint8Array> {
  return ReadableStream.from([file.subarray(0, 100_000), file.subarray(100_000)]);
}
