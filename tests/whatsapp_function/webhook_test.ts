// Tests that the webhook stores a body unchanged if, and only if, an app has signed it.
import assert from "node:assert/strict";
import {
  eventsOf,
  newChannelApp,
  ownWebhook,
  sealedSecret,
  signatureOf,
} from "../support/channel_apps.ts";
import { logged } from "../support/log_lines.ts";
import { stack, statement } from "../support/test_stack.ts";
import vectors from "./fixtures/signature_vectors.json" with { type: "json" };

const webhook = await ownWebhook();
const BODY = '{"object":"whatsapp_business_account","entry":[]}';
const bytesOf = (text: string) => new TextEncoder().encode(text);

Deno.test("verification requests and signed POST requests return the responses from the test vectors", async () => {
  const app = await newChannelApp({
    secret: vectors.app_secret,
    verify_token: vectors.verify_token,
  });
  for (const { query, status, body } of vectors.verification) {
    const answer = await webhook.ask(`${app.app_key}?${query}`);
    assert.equal(answer.status, status, query);
    if (body) assert.equal(answer.text, body);
  }
  for (const { body_base64, status, note, ...headers } of vectors.posts) {
    const body = Uint8Array.fromBase64(body_base64);
    const answer = await webhook.post(app, body, headers["X-Hub-Signature-256"]);
    assert.equal(answer.status, status, note);
    if (status === 200) assert.deepEqual(answer.body, {});
  }
  const stored = (await eventsOf(app)).map(({ body, state, attempts, error }) => ({
    body: body.toString("base64"),
    ...{ state, attempts, error },
  }));
  const [message, nothing, noJson] = vectors.posts.filter(({ status }) => status === 200);
  assert.deepEqual(stored, [
    {
      body: message.body_base64,
      state: "unroutable",
      attempts: 0,
      error: "No account that names this app has the number 730000000000001",
    },
    { body: nothing.body_base64, state: "done", attempts: 0, error: null },
    { body: noJson.body_base64, state: "dead", attempts: 0, error: "The body is not JSON" },
  ]);
});

Deno.test("the challenge is returned as plain text only if the mode, token and challenge are valid", async () => {
  const { app_key, verify_token } = await newChannelApp();
  const other = await newChannelApp();
  const right = `hub.mode=subscribe&hub.verify_token=${verify_token}`;
  const challenge = "<b>1</b> &é";
  const query = `${right}&hub.challenge=${encodeURIComponent(challenge)}&hub.more=1`;
  const { status, text, headers } = await webhook.ask(`${app_key}?${query}`);
  assert.deepEqual([status, text], [200, challenge]);
  assert.match(headers.get("Content-Type")!, /^text\/plain/);
  assert.equal(headers.get("X-Content-Type-Options"), "nosniff");
  const wrong = [
    ...[right, `${right}&hub.challenge=`, `hub.verify_token=${verify_token}&hub.challenge=1`],
    ...[`${right}x&hub.challenge=1`, `${right.slice(0, -1)}&hub.challenge=1`],
    `hub.mode=subscribe&hub.verify_token=${other.verify_token}&hub.challenge=1`,
    `${right}&hub.challenge=${"1".repeat(5_000)}`,
  ];
  for (const query of wrong) {
    const { status, body, text } = await webhook.ask(`${app_key}?${query}`);
    assert.deepEqual([status, body.code], [403, "wrong_verify_token"], query);
    assert.ok(!text.includes(verify_token));
  }
  // HEAD requests return the same status as GET requests.
  const head = await webhook.ask(`${app_key}?${right}&hub.challenge=1`, { method: "HEAD" });
  assert.deepEqual([head.status, head.text], [200, ""]);
});

Deno.test("a body or signature with one changed bit is refused with a 401, and nothing is stored", async () => {
  const app = await newChannelApp();
  const body = bytesOf(BODY);
  const signature = await signatureOf(body, app.secret);
  const bodies = Array.from(body, (_, at) => {
    const changed = body.slice();
    changed[at] ^= 1 << (at % 8);
    return changed;
  });
  bodies.push(body.slice(1), body.slice(0, -1), new Uint8Array([...body, 10]));
  const signatures = Array.from(signature.slice("sha256=".length), (digit, place) => {
    const at = "sha256=".length + place;
    return signature.slice(0, at) + (digit === "0" ? "1" : "0") + signature.slice(at + 1);
  });
  const answers = await Promise.all([
    ...bodies.map((changed) => webhook.post(app, changed, signature)),
    ...signatures.map((changed) => webhook.post(app, body, changed)),
  ]);
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([401]));
  assert.deepEqual(await eventsOf(app), []);
});

Deno.test("a signature header that differs from the channel's format is refused with a 401", async () => {
  const [app, other] = [await newChannelApp(), await newChannelApp()];
  const body = bytesOf(BODY);
  const signature = await signatureOf(body, app.secret);
  const hex = signature.slice("sha256=".length);
  const wrong = [
    null,
    "",
    hex,
    `sha256=${hex.toUpperCase()}`,
    `SHA256=${hex}`,
    `sha1=${hex.slice(0, 40)}`,
    `sha256= ${hex}`,
    `sha256 =${hex}`,
    `sha256=${hex}0`,
    `sha256=${hex.slice(1)}`,
    `sha256=`,
    `sha256=${"0".repeat(64)}`,
    `${signature}, ${signature}`,
    `sha256=${"0".repeat(64)}, ${signature}`,
    await signatureOf(body, other.secret),
  ];
  for (const header of wrong) {
    const answer = await webhook.post(app, body, header);
    assert.deepEqual([answer.status, answer.body.code], [401, "invalid_signature"], `${header}`);
  }
  // The HTTP server joins two headers with the same name with a comma.
  const twice = await webhook.ask(app.app_key, {
    method: "POST",
    headers: [["X-Hub-Signature-256", signature], ["X-Hub-Signature-256", signature]],
    body,
  });
  assert.equal(twice.status, 401);
  const sha1 = await webhook.ask(app.app_key, {
    method: "POST",
    headers: { "X-Hub-Signature": signature },
    body,
  });
  assert.equal(sha1.status, 401);
  assert.deepEqual(await eventsOf(app), []);
  assert.equal((await webhook.post(app, body, signature)).status, 200);
});

Deno.test("for an unknown app, the response is the same as for an unknown path, even with another app's signature or token", async () => {
  const app = await newChannelApp();
  const unknown = [
    crypto.randomUUID().replaceAll("-", ""),
    "short",
    "a".repeat(65),
    "a%00b".repeat(5),
  ];
  const { request_id: _, ...expected } = (await webhook.ask("a/b")).body;
  assert.equal(expected.code, "route_not_found");
  for (const app_key of unknown) {
    const post = await webhook.post({ ...app, app_key }, BODY);
    const get = await webhook.ask(
      `${app_key}?hub.mode=subscribe&hub.verify_token=${app.verify_token}&hub.challenge=1`,
    );
    for (const { status, body: { request_id: _, ...body } } of [post, get]) {
      assert.deepEqual([status, body], [404, expected], app_key);
    }
  }
  for (const app_key of [app.app_key, unknown[0]]) {
    const { status, headers, body } = await webhook.ask(app_key, { method: "PUT", body: BODY });
    assert.deepEqual(
      [status, headers.get("Allow"), body.error],
      [405, "GET, HEAD, POST", "Send an event with POST"],
    );
  }
});

Deno.test("the same bytes are stored once per app, even if they come 50 times simultaneously", async () => {
  const [app, other] = [await newChannelApp(), await newChannelApp()];
  const answers = await Promise.all(Array.from({ length: 50 }, () => webhook.post(app, BODY)));
  assert.deepEqual(answers.map(({ status }) => status), Array(50).fill(200));
  assert.equal((await webhook.post(app, BODY)).status, 200);
  assert.equal((await webhook.post(other, BODY)).status, 200);
  for (const each of [app, other]) {
    const [event, ...more] = await eventsOf(each);
    assert.deepEqual([event.body.toString(), more], [BODY, []]);
    const digest = await crypto.subtle.digest("SHA-256", bytesOf(BODY));
    assert.equal(event.body_sha256.toString("hex"), new Uint8Array(digest).toHex());
  }
});

Deno.test("a body with any bytes is stored unchanged, even an empty body", async () => {
  const every = Uint8Array.from({ length: 256 * 200 }, (_, at) => at % 256);
  for (const body of [every, every.slice(0, 24_577), bytesOf("\u0000\ud83d"), new Uint8Array()]) {
    const app = await newChannelApp();
    assert.equal((await webhook.post(app, body)).status, 200);
    const [stored] = await eventsOf(app);
    assert.ok(stored.body.equals(body), `${body.length} bytes`);
  }
});

Deno.test("an app's new secret is valid immediately, and the previous secret remains valid until the rotation ends", async () => {
  const app = await newChannelApp();
  const rotated = { ...app, secret: `new-${crypto.randomUUID()}` };
  // This instance has cached only the old secret.
  assert.equal((await webhook.post(app, "1")).status, 200);
  assert.equal((await webhook.post(rotated, "2")).status, 401);
  const sealed = await sealedSecret(rotated);
  await statement`select rotate_channel_app(${app.app_key}, ${sealed})`;
  assert.equal((await webhook.post(rotated, "2")).status, 200);
  assert.equal((await webhook.post(app, "3")).status, 200);
  await statement`select finish_channel_app_rotation(${app.app_key})`;
  const another = await ownWebhook();
  assert.equal((await another.post(app, "4")).status, 401);
  assert.equal((await another.post(rotated, "4")).status, 200);
  assert.equal((await eventsOf(app)).length, 4);
});

Deno.test("an event for a deleted app immediately returns a 404, even from an instance that has cached the app", async () => {
  const app = await newChannelApp();
  assert.equal((await webhook.post(app, "1")).status, 200);
  await statement`select delete_channel_app(${app.app_key}, true)`;
  assert.equal((await webhook.post(app, "2")).status, 404);
});

Deno.test("if the secrets cannot be decrypted, an event is refused with a 503, and a log line gives the reason", async () => {
  const [app, other] = [await newChannelApp(), await newChannelApp()];
  // The app's verify token replaces the app's secret, and another app's verify token replaces the
  // app's verify token.
  await statement`update channel_apps set
        sealed_secret = channel_apps.sealed_verify_token, sealed_verify_token = others.sealed_verify_token
      from channel_apps as others where others.id = ${other.id} and channel_apps.id = ${app.id}`;
  const lines = await logged(async () => {
    for (const secret of [app.secret, app.verify_token]) {
      const { status, headers, body } = await webhook.post({ ...app, secret }, BODY);
      assert.deepEqual([status, body.code], [503, "app_secret_unusable"]);
      assert.ok(Number(headers.get("Retry-After")) > 0);
    }
    const query = `hub.mode=subscribe&hub.verify_token=${other.verify_token}&hub.challenge=1`;
    assert.equal((await webhook.ask(`${app.app_key}?${query}`)).status, 503);
  });
  const told = lines.map((line) => JSON.parse(line)).filter(({ event }) =>
    event === "app_secret_unusable"
  );
  assert.deepEqual(new Set(told.map(({ kind }) => kind)), new Set(["secret", "verify_token"]));
  for (const { app_key, error } of told) {
    assert.equal(app_key, app.app_key);
    assert.match(error, /^The secret is sealed for another app or another use, /);
  }
  assert.deepEqual(await eventsOf(app), []);
});

Deno.test("the sandbox's app on the stack accepts signed events over HTTP", async () => {
  const { callback_url, app_secret, verify_token } = stack.channel_app!;
  const query = `hub.mode=subscribe&hub.verify_token=${verify_token}&hub.challenge=42`;
  const verified = await fetch(`${callback_url}?${query}`);
  assert.deepEqual([verified.status, await verified.text()], [200, "42"]);
  const body = bytesOf(`event ${crypto.randomUUID()}`);
  const headers = { "X-Hub-Signature-256": await signatureOf(body, app_secret) };
  const posted = await fetch(callback_url, { method: "POST", headers, body });
  assert.deepEqual([posted.status, await posted.text()], [200, "{}"]);
});
