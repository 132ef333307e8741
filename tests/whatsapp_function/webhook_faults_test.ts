// The webhook on a bad day: large and slow bodies, broken connections, a database that is away.
import assert from "node:assert/strict";
import { eventsOf, newChannelApp, ownWebhook, signatureOf } from "../support/channel_apps.ts";
import { watchedStack } from "../support/own_functions.ts";
import { rawConnection, served } from "../support/raw_http.ts";

const webhook = await ownWebhook();
const MAX_BYTES = 3 * 1024 * 1024;

function anyBytes(length: number) {
  const bytes = new Uint8Array(length);
  for (let at = 0; at < length; at += 65_536) {
    crypto.getRandomValues(bytes.subarray(at, Math.min(at + 65_536, length)));
  }
  return bytes;
}

Deno.test("a body of 3 MiB is stored, and one byte more is a 413", async () => {
  const app = await newChannelApp();
  const body = anyBytes(MAX_BYTES);
  assert.equal((await webhook.post(app, body)).status, 200);
  const more = new Uint8Array([...body, 0]);
  assert.equal((await webhook.post(app, more)).status, 413);
  // Without a Content-Length, too.
  const streamed = await webhook.fetch(
    new Request(`http://edge/whatsapp/webhook/${app.app_key}`, {
      method: "POST",
      headers: { "X-Hub-Signature-256": await signatureOf(more, app.secret) },
      body: new Blob([more]).stream(),
    }),
  );
  assert.equal(streamed.status, 413);
  await streamed.body?.cancel();
  const [stored, ...others] = await eventsOf(app);
  assert.ok(stored.body.equals(body));
  assert.deepEqual(others, []);
});

Deno.test("a body without a signature is refused before it is read", async () => {
  const app = await newChannelApp();
  const { port, ...server } = served(webhook.fetch);
  await using _server = server;
  const connection = await rawConnection(port, head(app.app_key, 1_000_000));
  const { status, body } = await connection.answer();
  assert.deepEqual([status, body.code], [401, "invalid_signature"]);
});

Deno.test("a body that does not come is a 408, and nothing is stored", async () => {
  const app = await newChannelApp();
  const impatient = await ownWebhook({ bodyTimeoutMs: 50 });
  const { port, ...server } = served(impatient.fetch);
  await using _server = server;
  const signature = await signatureOf(new TextEncoder().encode("event"), app.secret);
  const connection = await rawConnection(port, `${head(app.app_key, 5, signature)}eve`);
  assert.equal((await connection.answer()).status, 408);
  assert.deepEqual(await eventsOf(app), []);
});

Deno.test("of a connection that breaks within the body, nothing is stored", async () => {
  const app = await newChannelApp();
  const answered = Promise.withResolvers<number>();
  const { port, ...server } = served(async (request) => {
    const answer = await webhook.fetch(request);
    answered.resolve(answer.status);
    return answer;
  });
  await using _server = server;
  const body = new TextEncoder().encode("event");
  const signature = await signatureOf(body, app.secret);
  const connection = await rawConnection(port, `${head(app.app_key, 9, signature)}event`);
  connection.hangUp();
  assert.equal(await answered.promise, 400);
  assert.deepEqual(await eventsOf(app), []);
});

Deno.test("large bodies that do not come keep other large ones waiting, and no ordinary one", async () => {
  const app = await newChannelApp();
  const own = await ownWebhook({
    largeEventShare: { atOnce: 1, waiting: 0, patienceMs: 0 },
    bodyTimeoutMs: 5_000,
  });
  const large = anyBytes(100_000);
  const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const { port, ...server } = served(async (request) => {
    const answering = own.fetch(request);
    begun.resolve();
    const answer = await answering;
    ended.resolve();
    return answer;
  });
  await using _server = server;
  assert.equal((await own.post(app, large)).status, 200); // the app is known from now on
  const signature = await signatureOf(large, app.secret);
  const connection = await rawConnection(
    port,
    head(app.app_key, large.length, signature) + "begun",
  );
  await begun.promise;
  const other = anyBytes(100_000);
  const busy = await own.post(app, other);
  assert.deepEqual([busy.status, busy.body.code], [503, "database_unavailable"]);
  assert.ok(busy.headers.has("Retry-After"));
  assert.equal((await own.post(app, "small")).status, 200);
  connection.hangUp();
  await ended.promise;
  assert.equal((await own.post(app, other)).status, 200);
});

function head(appKey: string, length: number, signature?: string): string {
  return `POST /whatsapp/webhook/${appKey} HTTP/1.1\r\nHost: edge\r\nContent-Length: ${length}\r\n` +
    (signature ? `X-Hub-Signature-256: ${signature}\r\n` : "") + "\r\n";
}

Deno.test("an event is two round trips at first and one while its app is known", async () => {
  const app = await newChannelApp();
  await using watched = watchedStack();
  const own = await ownWebhook({ supabaseUrl: watched.url });
  const calls = async (body: string) => {
    const before = watched.seen.length;
    assert.equal((await own.post(app, body)).status, 200);
    return watched.seen.slice(before).map(({ path }) => path.replace("/rest/v1/rpc/", ""));
  };
  assert.deepEqual(await calls("1"), ["channel_app", "receive_channel_event"]);
  assert.deepEqual(await calls("2"), ["receive_channel_event"]);
  // A wrong signature reads the app once more; one without a form of a signature does not.
  const before = watched.seen.length;
  await own.post(app, "3", `sha256=${"0".repeat(64)}`);
  assert.equal(watched.seen.length, before + 1);
  await own.post(app, "3", null);
  assert.equal(watched.seen.length, before + 1);
  // What has not the form of an app's key is not looked up.
  await own.post({ ...app, app_key: "nothing" }, "4");
  assert.equal(watched.seen.length, before + 1);
});

Deno.test("while the database is away an event is a 503 with Retry-After, and is stored when it is back", async () => {
  const app = await newChannelApp();
  let isAway = true;
  await using watched = watchedStack(() =>
    isAway ? new Response("upstream is away", { status: 502 }) : null
  );
  const own = await ownWebhook({ supabaseUrl: watched.url });
  const errors = console.error;
  console.error = () => {};
  try {
    for (const known of [false, true]) {
      isAway = true;
      const body = `event ${known}`;
      const { status, headers, body: answer } = await own.post(app, body);
      assert.deepEqual([status, answer.code], [503, "database_unavailable"]);
      assert.ok(Number(headers.get("Retry-After")) > 0);
      isAway = false;
      assert.equal((await own.post(app, body)).status, 200);
    }
  } finally {
    console.error = errors;
  }
  assert.equal((await eventsOf(app)).length, 2);
});

Deno.test("an answer of the database that is lost is a 503, and the repeat is stored once", async () => {
  const app = await newChannelApp();
  let loses = true;
  await using watched = watchedStack(async (request) => {
    if (!loses || !request.url.endsWith("receive_channel_event")) return null;
    await (await watched.forward(request)).body?.cancel();
    return new Response("", { status: 504 });
  });
  const own = await ownWebhook({ supabaseUrl: watched.url });
  const errors = console.error;
  console.error = () => {};
  assert.equal((await own.post(app, "event")).status, 503);
  console.error = errors;
  loses = false;
  assert.equal((await own.post(app, "event")).status, 200);
  assert.equal((await eventsOf(app)).length, 1);
});
