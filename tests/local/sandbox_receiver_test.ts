// Tests the page where the local stack receives webhooks and shows them.
import assert from "node:assert/strict";
import { receiver } from "../../sandbox/receiver/receiver.ts";
import { newSecret, sign } from "../../supabase/functions/_shared/webhooks/signature.ts";

const ADDRESS = "http://127.0.0.1:54321/sandbox/webhooks";
const NOW = Date.parse("2026-11-23T12:00:00Z");
const EVENT = JSON.stringify({ id: "evt_1", type: "deal.won", data: { title: "<script>&" } });
const SECRET = newSecret();

const own = (options: Parameters<typeof receiver>[0] = {}) =>
  receiver({
    secretsOf: (url) => Promise.resolve(url === `${ADDRESS}/orders` ? [SECRET] : null),
    now: () => NOW,
    ...options,
  });
type Own = ReturnType<typeof own>;

const ask = async (to: Own, method: string, path: string, init: RequestInit = {}) =>
  await to.fetch(new Request(ADDRESS + path, { method, ...init }));
const listed = async (from: Own, path = "/orders.json") =>
  (await (await ask(from, "GET", path)).json()).data;

/** Posts an event as the `webhooks` function does. */
async function post(
  to: Own,
  { path = "/orders", body = EVENT, secret = SECRET, at = NOW / 1000, signed = EVENT } = {},
) {
  const headers = {
    "webhook-id": "evt_1",
    "webhook-timestamp": String(at),
    "webhook-signature": await sign([newSecret(), secret], "evt_1", at, signed),
  };
  return await ask(to, "POST", path, { headers, body });
}

Deno.test("a delivery is accepted, and shown with its headers, its type and its exact body", async () => {
  const box = own();
  assert.equal((await post(box)).status, 200);
  const [received, ...others] = await listed(box);
  assert.deepEqual(others, []);
  assert.deepEqual(
    [received.name, received.type, received.verified, received.why, received.answered],
    ["orders", "deal.won", true, null, 200],
  );
  assert.equal(received.body, EVENT);
  assert.equal(received.headers["webhook-id"], "evt_1");
});

Deno.test("a request counts as verified only if it is signed with the secret of a webhook with this URL, and the timestamp is recent", async () => {
  const box = own();
  const whys: [Parameters<typeof post>[1], RegExp][] = [
    [{ secret: newSecret() }, /matches no secret of a webhook/],
    [{ signed: "another body" }, /matches no secret of a webhook/],
    [{ path: "/invoices" }, /no webhook has this address/],
    [{ at: NOW / 1000 - 301 }, /more than five minutes/],
    [{ at: NOW / 1000 + 301 }, /more than five minutes/],
  ];
  for (const [request, why] of whys) {
    await post(box, request);
    const [{ verified, why: said }] = await listed(box, ".json");
    assert.equal(verified, false);
    assert.match(said, why);
  }
  await ask(box, "POST", "/orders", { body: "hello" });
  const [{ type, why }] = await listed(box);
  assert.equal(type, null);
  assert.match(why, /webhook-signature are not all present/);
});

Deno.test("a sandbox without a stack verifies a receiver's deliveries after the receiver's secret has been set", async () => {
  const box = own({ secretsOf: undefined });
  const verified = async (request: Parameters<typeof post>[1] = {}) => {
    await post(box, request);
    const [{ verified, why }] = await listed(box, ".json");
    return verified || why;
  };
  const page = async () => await (await ask(box, "GET", "/orders")).text();
  assert.equal(await verified(), "the sandbox does not have the secret of this webhook");
  assert.match(await page(), /runs without a stack/);
  assert.ok((await page()).includes(`curl -X PUT ${ADDRESS}/orders `));
  const told = await ask(box, "PUT", "/orders", { body: JSON.stringify({ secret: SECRET }) });
  assert.doesNotMatch(await told.text(), /whsec_/);
  assert.equal(await verified(), true);
  assert.match(await verified({ secret: newSecret() }), /matches no secret/);
  assert.equal(
    await verified({ path: "/others" }),
    "the sandbox does not have the secret of this webhook",
  );
  // Changing another setting keeps the secret, and DELETE removes the secret.
  await ask(box, "PUT", "/orders", { body: '{"status":503,"times":1}' });
  assert.deepEqual([await verified(), await verified()], [true, true]);
  await ask(box, "DELETE", "/orders");
  assert.equal(await verified(), "the sandbox does not have the secret of this webhook");
  assert.doesNotMatch(await (await ask(own(), "GET", "/orders")).text(), /without a stack/);
});

Deno.test("the page shows the requests as escaped text, newest first", async () => {
  const box = own();
  const page = async (path: string) => await (await ask(box, "GET", path)).text();
  assert.match(await page(""), /Nothing has arrived yet/);
  await post(box);
  await post(box, { path: "/later", body: '{"type":"<img src=x>"}' });
  const html = await page("");
  assert.ok(html.indexOf("&lt;img src=x>") < html.indexOf("deal.won"));
  assert.ok(html.includes('"title": "&lt;script>&amp;"'.replaceAll('"', "&quot;")));
  assert.doesNotMatch(html, /<script|<img/);
  assert.match(html, /Not verified/);
  assert.match(html, /http-equiv="refresh"/);
  assert.doesNotMatch(await page("/orders"), /img/);
  const { headers } = await ask(box, "GET", "");
  assert.equal(headers.get("Content-Type"), "text/html; charset=utf-8");
  assert.equal(headers.get("Cross-Origin-Resource-Policy"), "same-origin");
});

Deno.test("the receiver fails the configured number of times, and then accepts requests again", async () => {
  const box = own();
  const told = await ask(box, "PUT", "/orders", {
    body: '{"status":503,"times":2,"retry_after":7}',
  });
  assert.equal((await told.json()).status, 503);
  const answers = [await post(box), await post(box), await post(box)];
  assert.deepEqual(answers.map(({ status }) => status), [503, 503, 200]);
  assert.equal(answers[0].headers.get("Retry-After"), "7");
  assert.equal((await post(box, { path: "/others" })).status, 200);
  const answered = (await listed(box)).map((each: { answered: number }) => each.answered);
  assert.deepEqual(answered, [200, 503, 503]);
});

Deno.test("a silent receiver responds only when the sandbox ends, and a slow receiver responds after its delay", async () => {
  const box = own();
  await ask(box, "PUT", "/orders", { body: '{"silent":true}' });
  await ask(box, "PUT", "/slow", { body: '{"delay_ms":30}' });
  assert.equal((await post(box, { path: "/slow" })).status, 200);
  let isAnswered = false;
  const waiting = post(box).then(() => isAnswered = true);
  while ((await listed(box)).length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  assert.equal(isAnswered, false);
  assert.equal((await listed(box))[0].answered, null);
  box.stop();
  await waiting;
});

Deno.test("the receiver keeps the newest 200 requests, and DELETE removes a receiver's requests and settings", async () => {
  const box = own();
  for (let number = 0; number < 205; number++) {
    await ask(box, "POST", "/orders", { body: `${number}` });
  }
  const kept = await listed(box);
  assert.deepEqual([kept.length, kept[0].body, kept[199].body], [200, "204", "5"]);
  await ask(box, "POST", "/others", { body: "kept" });
  await ask(box, "PUT", "/orders", { body: '{"status":500}' });
  assert.equal((await ask(box, "DELETE", "/orders")).status, 204);
  assert.deepEqual((await listed(box, ".json")).map(({ body }: { body: string }) => body), [
    "kept",
  ]);
  assert.equal((await post(box)).status, 200);
});

Deno.test("large bodies are refused, and stored bodies use a limited amount of memory", async () => {
  const max = 512 * 1024;
  // In UTF-8, the second character has three bytes.
  for (const [character, bytes] of [["x", 1], ["€", 3]] as const) {
    const box = own();
    const large = character.repeat(max / bytes);
    for (let number = 0; number < 40; number++) await ask(box, "POST", "/orders", { body: large });
    assert.equal((await listed(box)).length, 32, character);
    const larger = await ask(box, "POST", "/orders", { body: large + character });
    assert.equal(larger.status, 413, character);
  }
});

Deno.test("settings that are too large are refused and change nothing", async () => {
  const box = own();
  await ask(box, "PUT", "/orders", { body: '{"status":503}' });
  const body = `{"status":200}${" ".repeat(512 * 1024)}`;
  assert.equal((await ask(box, "PUT", "/orders", { body })).status, 413);
  assert.equal((await post(box)).status, 503);
});

Deno.test("if a request is invalid, the error says what to change", async () => {
  const box = own();
  const wrong: [string, string, string | undefined, number, RegExp][] = [
    ["PUT", "/orders", "{", 400, /is not JSON/],
    ["PUT", "/orders", "[]", 400, /must be an object/],
    ["PUT", "/orders", '{"status":99}', 400, /^status: /],
    ["PUT", "/orders", '{"delay":1}', 400, /^delay is not known; use status, delay_ms.*, secret$/],
    ["PUT", "/orders", '{"secret":"sk_live"}', 400, /^secret: must be whsec_ followed by base64/],
    ["PUT", "/orders", `{"secret":"whsec_${"A".repeat(33)}"}`, 400, /^secret: must be whsec_/],
    ["POST", "", "{}", 405, /use GET, HEAD, DELETE$/],
    ["POST", "/orders.json", "{}", 405, /use GET, HEAD$/],
    ["PATCH", "/orders", "{}", 405, /use GET, HEAD, POST, PUT, DELETE$/],
    ["POST", "/a/b", "{}", 404, /1 to 64 letters/],
  ];
  for (const [method, path, body, status, message] of wrong) {
    const answer = await ask(box, method, path, { body });
    assert.equal(answer.status, status, `${method} ${path} ${body}`);
    assert.match((await answer.json()).message, message);
  }
});
