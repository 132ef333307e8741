// Tests how the service copies the sample of a media header from the sample's host to the channel.
// Only allowed hosts are accepted, the size and the time are limited, and the host receives no
// token.

import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import type { Sample } from "../../supabase/functions/_shared/templates/sample.ts";
import { bareChannel, write } from "../support/bare_channel.ts";
import { pause } from "../support/started.ts";
import { type Seen, served, TOKEN } from "./served.ts";
import {
  type Answer,
  assertTrouble,
  IN_TIME,
  JPEG,
  jpeg,
  MIB,
  NO_SIGNAL,
  stream,
  upload,
} from "./uploading.ts";

Deno.test("the sample is uploaded as a form with the token, but the sample's host receives no token", async () => {
  const { result, host, channel } = await upload(jpeg, { path: "/v/1.jpg?oh=secret" });
  assert.deepEqual(result, { mediaId: "media-1", filename: null });
  assert.equal(host.seen.length, 1);
  assert.equal(host.seen[0].headers.get("Authorization"), null);
  assert.ok(!JSON.stringify([...host.seen[0].headers]).includes(TOKEN));
  const [{ method, path, headers, body }] = channel.seen;
  assert.deepEqual([method, path], ["POST", "/v26.0/106540352242922/media"]);
  assert.equal(headers.get("Authorization"), `Bearer ${TOKEN}`);
  const form = await new Response(body, { headers }).formData();
  assert.equal(form.get("messaging_product"), "whatsapp");
  assert.equal(form.get("type"), "image/jpeg");
  const file = form.get("file") as File;
  assert.deepEqual([file.name, file.type, await file.text()], ["1.jpg", "image/jpeg", "JPEG"]);
});

Deno.test("an upload has a `Content-Length` if the sample's length is known, and is otherwise chunked", async () => {
  const known = await upload(jpeg);
  const { headers, body } = known.channel.seen[0];
  assert.equal(headers.get("Content-Length"), String(body.length));
  assert.equal(headers.get("Transfer-Encoding"), null);
  const chunked = await upload(() => new Response(stream(100_000).body, { headers: JPEG }));
  assert.equal(chunked.result.mediaId, "media-1");
  assert.equal(chunked.channel.seen[0].headers.get("Content-Length"), null);
  assert.equal(chunked.channel.seen[0].headers.get("Transfer-Encoding"), "chunked");
  assert.ok(chunked.channel.seen[0].body.length > 100_000);
});

Deno.test("a sample is requested uncompressed, and a compressed sample is refused", async () => {
  const { host } = await upload(jpeg);
  assert.equal(host.seen[0].headers.get("Accept-Encoding"), "identity");
  const headers = { ...JPEG, "Content-Encoding": "gzip" };
  const bytes = new Uint8Array(gzipSync(new Uint8Array(100_000)));
  const { channel } = await assertTrouble(
    upload(() => new Response(bytes, { headers })),
    /^The host compresses the sample, /,
  );
  assert.equal(channel.seen.length, 0);
});

Deno.test("each format allows certain content types, and if the content type is generic, the file name determines the type", async () => {
  const fits: [Sample["format"], string | null, string, string][] = [
    ["IMAGE", "image/jpeg; charset=binary", "/x", "image/jpeg"],
    ["IMAGE", "Image/PNG", "/x", "image/png"],
    ["IMAGE", "image/jpg", "/x", "image/jpeg"],
    ["IMAGE", "application/octet-stream", "/a/b.PNG", "image/png"],
    ["VIDEO", "video/mp4", "/x", "video/mp4"],
    ["VIDEO", null, "/x.3gp", "video/3gpp"],
    ["DOCUMENT", "application/pdf", "/x", "application/pdf"],
    [
      "DOCUMENT",
      "binary/octet-stream",
      "/x.xlsx",
      "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ],
    ["DOCUMENT", "text/plain", "/x.pdf", "text/plain"],
  ];
  for (const [format, type, path, told] of fits) {
    const headers = new Headers(type === null ? {} : { "Content-Type": type });
    const bytes = new TextEncoder().encode("x");
    const { result, channel } = await upload(() => new Response(bytes, { headers }), {
      format,
      path,
    });
    assert.equal(result.mediaId, "media-1", `${type} ${result.message}`);
    assert.match(channel.seen[0].body, new RegExp(`name="type"\r\n\r\n${told}\r\n`));
  }
  const wrong: [Sample["format"], string, string, RegExp][] = [
    ["IMAGE", "image/webp", "/x.jpg", /^The sample is image\/webp, which .* of the format IMAGE$/],
    ["IMAGE", "text/html; charset=utf-8", "/x.jpg", /^The sample is text\/html, /],
    ["VIDEO", "image/png", "/x.mp4", /of the format VIDEO$/],
    ["DOCUMENT", "video/mp4", "/x.pdf", /of the format DOCUMENT$/],
    ["DOCUMENT", "constructor", "/x.pdf", /of the format DOCUMENT$/],
    ["IMAGE", "application/octet-stream", "/x.pdf", /does not report the type of the sample$/],
    ["IMAGE", "application/octet-stream", "/x", /does not report the type of the sample$/],
  ];
  for (const [format, type, path, words] of wrong) {
    const answer = () => new Response("x", { headers: { "Content-Type": type } });
    const { channel } = await assertTrouble(upload(answer, { format, path }), words);
    assert.equal(channel.seen.length, 0);
  }
});

Deno.test("a document is sent with its file name, and images and videos are sent without a file name", async () => {
  const pdf = (disposition?: string) => () =>
    new Response("PDF", {
      headers: {
        "Content-Type": "application/pdf",
        ...(disposition && { "Content-Disposition": disposition }),
      },
    });
  const nameOf = async (answer: Answer, path: string) =>
    (await upload(answer, { format: "DOCUMENT", path })).result.filename;
  assert.equal(await nameOf(pdf('inline; filename="Terms 2026.pdf"'), "/x.pdf"), "Terms 2026.pdf");
  assert.equal(await nameOf(pdf(), "/a/Pre%C3%A7os.pdf?oh=secret"), "Preços.pdf");
  assert.equal(await nameOf(pdf(), "/x"), "promo.pdf");
  const { channel } = await upload(pdf(), { format: "DOCUMENT", path: "/Pre%C3%A7os.pdf" });
  assert.match(channel.seen[0].body, /name="file"; filename="PreÃ§os\.pdf"\r\n/);
});

Deno.test("samples may come only from the channel's hosts over https and from configured hosts", async () => {
  await using stranger = served(jpeg);
  const port = new URL(stranger.origin).port;
  const refused = [
    ...["http://scontent.whatsapp.net/x?secret", "https://scontent.whatsapp.net:8443/x"],
    ...["https://evilwhatsapp.net/x", "https://whatsapp.net.evil.com/x", "https://fbcdn.net.x/"],
    ...["https://evil.com/scontent.whatsapp.net", "https://scontent.whatsapp.net@evil.com/"],
    ...["https://secret:secret@scontent.whatsapp.net/x", "https://169.254.169.254/latest"],
    ...[`${stranger.origin}/x`, `http://localhost:${port}/x`, "file:///etc/passwd", "data:,x"],
  ];
  for (const url of refused) {
    await assertTrouble(upload(jpeg, { url }), /^Samples are not fetched from /);
  }
  await assertTrouble(upload(jpeg, { url: "none" }), /^The address of the sample is not a URL$/);
  assert.equal(stranger.seen.length, 0);
  const withUser = stranger.origin.replace("//", "//user:secret@");
  const mediaHosts = [stranger.origin];
  await assertTrouble(upload(jpeg, { url: withUser, mediaHosts }), /user or a password/);
  const listed = await upload(jpeg, { url: `${stranger.origin}/x`, mediaHosts });
  assert.equal(listed.result.mediaId, "media-1");
});

Deno.test("up to three redirects are followed, and only to allowed hosts", async () => {
  await using stranger = served(jpeg);
  const hops = (count: number) => ({ query }: Seen) => {
    const n = Number(query.get("n"));
    return n < count ? redirect(`/sample?n=${n + 1}`) : jpeg();
  };
  const redirect = (Location: string) => new Response(null, { status: 302, headers: { Location } });
  assert.equal((await upload(hops(3))).result.mediaId, "media-1");
  await assertTrouble(upload(hops(4)), /redirects more than 3 times$/);
  const places = [
    ...[`${stranger.origin}/x?secret`, "http://scontent.whatsapp.net/x?secret", "file:///x"],
    ...["//evil.com/?secret", "https://user:secret@scontent.whatsapp.net/"],
  ];
  for (const to of places) {
    await assertTrouble(upload(() => redirect(to)), /^Samples are not fetched from /);
  }
  await assertTrouble(
    upload(() => redirect("http://[")),
    /^The address of the sample is not a URL$/,
  );
  assert.equal(stranger.seen.length, 0);
});

Deno.test("an expired URL has its own error, because the service can get a new URL", async () => {
  for (const status of [401, 403, 404, 410]) {
    const words = new RegExp(
      `^The address of the template's sample has expired \\(HTTP ${status}\\)$`,
    );
    await assertTrouble(
      upload(() => new Response("URL signature expired", { status })),
      words,
      true,
    );
  }
  for (const status of [204, 206, 304, 400, 429, 500]) {
    const words = new RegExp(`^The host of the sample answers HTTP ${status}$`);
    await assertTrouble(upload(() => new Response(null, { status })), words);
  }
});

Deno.test("a sample whose declared length exceeds the limit is not read", async () => {
  const limits = { IMAGE: 5, VIDEO: 16, DOCUMENT: 100 } as const;
  const types = { IMAGE: "image/png", VIDEO: "video/mp4", DOCUMENT: "application/pdf" };
  for (const format of ["IMAGE", "VIDEO", "DOCUMENT"] as const) {
    const { body, letGo } = stream(limits[format] * MIB + 1);
    const headers = {
      "Content-Type": types[format],
      "Content-Length": String(limits[format] * MIB + 1),
    };
    const words = new RegExp(`^The sample is larger than the ${limits[format]} MB `);
    const work = upload(() => new Response(body, { headers }), { format });
    const { channel } = await assertTrouble(work, words);
    await letGo;
    assert.equal(channel.seen.length, 0);
  }
});

Deno.test("if a sample without a declared length exceeds the limit, its upload is aborted at the limit", async () => {
  const { body, letGo } = stream();
  const work = upload(() => new Response(body, { headers: JPEG }));
  const { channel } = await assertTrouble(work, /^The sample is larger than the 5 MB /);
  await letGo;
  assert.equal(channel.seen.length, 0, "the channel receives no complete request");
});

Deno.test("a sample whose size equals the limit is accepted", async () => {
  for (const headers of [JPEG, { ...JPEG, "Content-Length": String(5 * MIB) }]) {
    const { result } = await upload(() => new Response(stream(5 * MIB).body, { headers }));
    assert.equal(result.mediaId, "media-1");
  }
});

Deno.test("an empty sample is refused", async () => {
  await assertTrouble(upload(() => new Response("", { headers: JPEG })), /^The sample is empty$/);
  const body = new ReadableStream({ start: (controller) => controller.close() });
  await assertTrouble(upload(() => new Response(body, { headers: JPEG })), /^The sample is empty$/);
});

/** Uploads a sample from a raw TCP server that responds to each request with this string. */
async function uploadFromBare(text: string, signal = NO_SIGNAL, keepOpen?: Promise<unknown>) {
  await using host = bareChannel();
  host.become(async (connection) => {
    await readHead(connection);
    await write(connection, text);
    await keepOpen;
  });
  const origin = `http://${host.address}`;
  return await upload(jpeg, { url: `${origin}/x.jpg?secret`, mediaHosts: [origin], signal });
}

/** Reads the headers of a request without a body. */
async function readHead(connection: Deno.TcpConn) {
  let text = "";
  const piece = new Uint8Array(65_536);
  while (!text.includes("\r\n\r\n")) {
    const count = await connection.read(piece);
    if (count === null) return;
    text += new TextDecoder().decode(piece.subarray(0, count));
  }
}

const HEAD = "HTTP/1.1 200 OK\r\nContent-Type: image/jpeg\r\n";

Deno.test("an upload is aborted if the sample ends before its declared length", async () => {
  const work = uploadFromBare(`${HEAD}Content-Length: 100\r\n\r\nshort`);
  const { channel } = await assertTrouble(work, /^The sample breaks off \(/);
  assert.equal(channel.seen.length, 0, "the channel receives no complete request");
});

Deno.test("if a sample is longer than its declared length, the bytes after this length are not uploaded", async () => {
  const { result, channel } = await uploadFromBare(`${HEAD}Content-Length: 4\r\n\r\nJPEGsecret`);
  assert.equal(result.mediaId, "media-1");
  assert.ok(!channel.seen[0].body.includes("secret"));
});

Deno.test("if a host closes the connection or cannot be reached, the error does not contain the sample's URL", async () => {
  await assertTrouble(uploadFromBare(""), /^The host of the sample does not answer \(/);
  const url = "http://127.0.0.1:1/x.jpg?secret";
  const work = upload(jpeg, { url, mediaHosts: ["http://127.0.0.1:1"] });
  const { result } = await assertTrouble(work, /^The host of the sample does not answer \(/);
  assert.doesNotMatch(result.message, /x\.jpg/);
});

Deno.test("the abort signal ends a download that stalls or is too slow, and closes the connection", async () => {
  const never = new Promise<Response>(() => {});
  const stop = new AbortController();
  const asked = Promise.withResolvers<void>();
  const hanging = bareChannel();
  hanging.become(async (connection) => {
    await readHead(connection);
    asked.resolve();
    // Reads until the other side closes the connection.
    while (await connection.read(new Uint8Array(1)) !== null);
  });
  const origin = `http://${hanging.address}`;
  const work = assertTrouble(
    upload(() => never, { url: `${origin}/x`, mediaHosts: [origin], signal: stop.signal }),
    IN_TIME,
  );
  await asked.promise;
  stop.abort();
  await work;
  await hanging[Symbol.asyncDispose]();

  const letGo = Promise.withResolvers<void>();
  const slow = new AbortController();
  let pieces = 0;
  const trickling = new ReadableStream<Uint8Array>({
    async pull(controller) {
      await pause(1);
      controller.enqueue(new Uint8Array(1));
      if (++pieces === 100) slow.abort();
    },
    cancel: () => letGo.resolve(),
  });
  await assertTrouble(
    upload(() => new Response(trickling, { headers: JPEG }), { signal: slow.signal }),
    IN_TIME,
  );
  await letGo.promise;
});
