// Tests the result of an upload if the channel accepts, refuses or interrupts the upload, or is too
// slow. When the upload ends, the connection to the sample's host is always closed.

import assert from "node:assert/strict";
import { MediaTrouble } from "../../supabase/functions/_shared/templates/media_trouble.ts";
import { uploadSample } from "../../supabase/functions/_shared/templates/sample_media.ts";
import { bareChannel, readRequest, write } from "../support/bare_channel.ts";
import { refusal, served, TOKEN } from "./served.ts";
import {
  ACCOUNT,
  assertTrouble,
  IN_TIME,
  JPEG,
  jpeg,
  MIB,
  NO_SIGNAL,
  stream,
  taken,
  upload,
} from "./uploading.ts";

Deno.test("the channel's response decides whether an upload succeeded", async () => {
  const media: [Response, RegExp, number?][] = [
    [
      refusal(131053, "Media upload error", { error_data: { details: "Unsupported type" } }),
      /^The channel refuses the media \(131053: Media upload error; Unsupported type\)$/,
      131053,
    ],
    [refusal(190, `Expired ${TOKEN}`), /^The channel refuses the media \(190: Expired \[/, 190],
    [
      refusal(131000, "Later"),
      /^The channel did not accept the media \(HTTP 400, code 131000: Later\)$/,
    ],
    [new Response("no", { status: 502 }), /^The channel did not accept the media \(HTTP 502\)$/],
    [new Response("{"), /with an answer that is not JSON\)$/],
    [Response.json({}), /without its id$/],
    [Response.json({ id: 7 }), /without its id$/],
    [Response.json({ id: "" }), /without its id$/],
    [Response.json({ id: "line\nbreak" }), /without its id$/],
    [Response.json({ id: TOKEN.slice(4, 30) }), /without its id$/],
    [Response.json(null), /without its id$/],
    [new Response(null, { status: 307, headers: { Location: "/x" } }), /\(HTTP 307\)$/],
  ];
  for (const [answer, words, code] of media) {
    const { result, channel } = await assertTrouble(upload(jpeg, {}, () => answer), words);
    assert.equal(result.channel?.code, code);
    assert.equal(channel.seen.length, 1);
  }
});

/**
 * Uploads an endless sample to a channel that uses raw connections, and waits until the sample's
 * connection is closed.
 */
async function uploadToBare(
  treat: (connection: Deno.TcpConn) => Promise<unknown>,
  signal = NO_SIGNAL,
) {
  const { body, letGo } = stream();
  const headers = { ...JPEG, "Content-Length": String(5 * MIB) };
  await using host = served(() => new Response(body, { headers }));
  await using channel = bareChannel();
  channel.become(treat);
  const error = await uploadSample(
    { url: `http://${channel.address}/v26.0`, timeoutMs: 20_000, mediaHosts: [host.origin] },
    ACCOUNT,
    { url: `${host.origin}/x`, format: "IMAGE", templateName: "promo" },
    signal,
  ).catch((error) => error);
  await letGo;
  assert.ok(error instanceof MediaTrouble);
  return { message: error.message, connections: channel.connections };
}

Deno.test("an interrupted upload fails without a retry, and closes the sample's connection", async () => {
  const { message, connections } = await uploadToBare(async (connection) => {
    await connection.read(new Uint8Array(65_536));
  });
  assert.match(message, /^The channel did not accept the media \(/);
  assert.equal(connections, 1);
});

Deno.test("the abort signal ends an upload that hangs, and the sample's connection is closed", async () => {
  const stop = new AbortController();
  const { message } = await uploadToBare(async (connection) => {
    await connection.read(new Uint8Array(1));
    stop.abort(); // the channel does not read the rest of the request
  }, stop.signal);
  assert.match(message, IN_TIME);
});

Deno.test("a response after the time limit is ignored", async () => {
  const stop = new AbortController();
  const work = upload(jpeg, { signal: stop.signal }, async () => {
    stop.abort();
    await Promise.resolve();
    return taken();
  });
  await assertTrouble(work, IN_TIME);
});

Deno.test("an upload never counts as accepted if the channel responds before the end of the sample", async () => {
  const answering = (json: string) => async (connection: Deno.TcpConn) => {
    await connection.read(new Uint8Array(1024));
    await write(connection, `HTTP/1.1 200 OK\r\nContent-Length: ${json.length}\r\n\r\n${json}`);
    while (await connection.read(new Uint8Array(65_536)) !== null);
  };
  const early = await uploadToBare(answering('{"id":"media-1"}'));
  assert.match(
    early.message,
    /^The channel (answered before it had the whole file|did not take the media)/,
  );
});

Deno.test("a channel that relies on `Content-Length` receives the complete request", async () => {
  await using host = served(jpeg);
  await using channel = bareChannel();
  channel.become(async (connection) => {
    await readRequest(connection); // reads as many bytes as Content-Length says
    await write(connection, 'HTTP/1.1 200 OK\r\nContent-Length: 16\r\n\r\n{"id":"media-1"}');
  });
  const { mediaId } = await uploadSample(
    { url: `http://${channel.address}/v26.0`, timeoutMs: 20_000, mediaHosts: [host.origin] },
    ACCOUNT,
    { url: `${host.origin}/x`, format: "IMAGE", templateName: "promo" },
    NO_SIGNAL,
  );
  assert.equal(mediaId, "media-1");
});
