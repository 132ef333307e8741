// Tests requests to the channel: the meaning of each response, the limits of a response, and the
// secrets that errors must not contain.

import assert from "node:assert/strict";
import { askChannel, type Question } from "../../supabase/functions/_shared/channel/graph.ts";
import { breakingServer } from "../support/breaking_server.ts";
import { until } from "../support/started.ts";
import { channelAt, refusal, served, TOKEN } from "./served.ts";

async function ask(answer: () => Response | Promise<Response>, question: Partial<Question> = {}) {
  await using server = served(answer);
  const reply = await askChannel(server.channel, TOKEN, { path: "1", ...question });
  return { reply, seen: server.seen };
}

Deno.test("a channel request contains the path and the token, and returns the response's JSON", async () => {
  const { reply, seen } = await ask(() => Response.json({ id: "1" }), {
    path: "1/phone_numbers",
    query: { fields: "id,name", after: "a&b=" },
  });
  assert.deepEqual(reply, { kind: "answered", body: { id: "1" } });
  assert.equal(seen.length, 1);
  const [{ method, path, query, headers, body }] = seen;
  assert.deepEqual([method, path, body], ["GET", "/v26.0/1/phone_numbers", ""]);
  assert.deepEqual([...query], [["fields", "id,name"], ["after", "a&b="]]);
  assert.equal(headers.get("Authorization"), `Bearer ${TOKEN}`);
});

Deno.test("a write request to the channel has a JSON body", async () => {
  const { seen } = await ask(() => Response.json({}), {
    method: "POST",
    path: "1/subscribed_apps",
    body: { a: "é" },
    headers: { "X-More": "1" },
  });
  assert.equal(seen[0].method, "POST");
  assert.equal(seen[0].headers.get("Content-Type"), "application/json");
  assert.equal(seen[0].headers.get("X-More"), "1");
  assert.equal(seen[0].body, '{"a":"Ã©"}');
});

Deno.test("a known error code, not the HTTP status, decides whether the request was refused or the channel is unavailable", async () => {
  for (const status of [200, 400, 500]) {
    for (const code of [100, 190, 10, 299, 33, 132001]) {
      const { reply } = await ask(() => refusal(code, "No", {}, status));
      assert.equal(reply.kind, "refused", `${code} with ${status}`);
    }
    for (const code of [1, 2, 4, 17, 80007, 80008, 130429, 131000, 613]) {
      const { reply } = await ask(() => refusal(code, "Later", {}, status));
      assert.deepEqual(reply, {
        kind: "unavailable",
        cause: `HTTP ${status}, code ${code}: Later`,
      });
    }
  }
  assert.equal((await ask(() => refusal(4711, "No"))).reply.kind, "refused");
  assert.equal((await ask(() => refusal(4711, "No", {}, 500))).reply.kind, "unavailable");
  const passes = await ask(() => refusal(100, "No", { is_transient: true }));
  assert.equal(passes.reply.kind, "unavailable");
});

Deno.test("a refusal contains the channel's message, details, trace id and subcode", async () => {
  const more = { error_subcode: 33, error_data: { details: "d" }, fbtrace_id: "T" };
  const { reply } = await ask(() => refusal(100, "No", more));
  assert.deepEqual(reply, {
    kind: "refused",
    channel: { code: 100, message: "No", details: "d", traceId: "T", subcode: 33 },
    status: 400,
  });
});

Deno.test("if a response is not in the channel's format, the channel counts as unavailable, and the `Retry-After` is returned", async () => {
  const redirect = new Headers({ Location: "https://elsewhere.example/" });
  const odd: [Response, string][] = [
    [new Response("<h1>Hello</h1>"), "HTTP 200, with an answer that is not JSON"],
    [new Response(null, { status: 204 }), "HTTP 204, with an answer that is not JSON"],
    [new Response("Forbidden", { status: 403 }), "HTTP 403"],
    [new Response("{}", { status: 502 }), "HTTP 502"],
    [Response.json({ error: "no" }, { status: 400 }), "HTTP 400"],
    [new Response(null, { status: 302, headers: redirect }), "HTTP 302"],
  ];
  for (const [answer, cause] of odd) {
    assert.deepEqual((await ask(() => answer)).reply, { kind: "unavailable", cause });
  }
  const headers = { "Retry-After": "7" };
  const { reply } = await ask(() => new Response(null, { status: 503, headers }));
  assert.deepEqual(reply, { kind: "unavailable", cause: "HTTP 503", retryAfter: 7 });
  const syncing = (await ask(() => refusal(134101, "Wait"))).reply;
  assert.equal(syncing.kind === "unavailable" && syncing.retryAfter, 600);
});

Deno.test("a redirect is not followed, so no other host receives the token", async () => {
  await using elsewhere = served(() => Response.json({}));
  const headers = { Location: `${elsewhere.origin}/x` };
  for (const status of [301, 302, 307, 308]) {
    await ask(() => new Response(null, { status, headers }));
  }
  assert.equal(elsewhere.seen.length, 0);
});

Deno.test("if a response is too long, too late or incomplete, the channel counts as unavailable", async () => {
  const long = await ask(() => Response.json("x".repeat(2000)), { maxBytes: 2001 });
  assert.deepEqual(long.reply, {
    kind: "unavailable",
    cause: "HTTP 200, with an answer of more than 2001 bytes",
  });
  const fits = await ask(() => Response.json("x".repeat(2000)), { maxBytes: 2002 });
  assert.equal(fits.reply.kind, "answered");

  const letGo = Promise.withResolvers<void>();
  let isAsked = false;
  const endless = () => {
    isAsked = true;
    const start = (body: ReadableStreamDefaultController) =>
      body.enqueue(new TextEncoder().encode("["));
    return new Response(new ReadableStream({ start, cancel: () => letGo.resolve() }));
  };
  // On a busy machine, a request may be too late even before it reaches the channel.
  await until(async () => {
    assert.equal((await ask(endless, { timeoutMs: 50 })).reply.kind, "unavailable");
    return isAsked;
  });
  await letGo.promise;

  await using broken = breakingServer();
  const reply = await askChannel(channelAt(broken.url), TOKEN, {
    method: "POST",
    path: "1",
    body: {},
  });
  assert.equal(reply.kind, "unavailable");
  assert.equal(broken.requests, 1, "a POST is not repeated");
});

Deno.test("a channel message contains no part of the token and no query string of a URL", async () => {
  const piece = TOKEN.slice(20, 40);
  const told =
    `Bad ${piece} at https://graph.facebook.com/x?access_token=${TOKEN}&s=signed (${TOKEN})`;
  const more = { error_data: { details: told }, fbtrace_id: TOKEN };
  const refused = await ask(() => refusal(190, told, more));
  const unavailable = await ask(() => refusal(131000, told, more));
  const unreachable = await askChannel(channelAt("http://127.0.0.1:1"), TOKEN, {
    path: "debug_token",
    query: { input_token: TOKEN },
  });
  const unsendable = await askChannel(channelAt("http://127.0.0.1:1"), `${TOKEN}\n`, { path: "1" });
  for (const reply of [refused.reply, unavailable.reply, unreachable, unsendable]) {
    const text = JSON.stringify(reply);
    assert.notEqual(reply.kind, "answered");
    for (let at = 0; at + 8 <= TOKEN.length; at++) {
      assert.ok(!text.includes(TOKEN.slice(at, at + 8)), text);
    }
    assert.doesNotMatch(text, /signed|input_token/);
  }
});

Deno.test("the query string is removed from the URL of the next page, because the channel puts the token there", async () => {
  const next = `https://graph.facebook.com/v26.0/1/message_templates?access_token=${TOKEN}&after=x`;
  const { reply } = await ask(() =>
    Response.json({ data: [], paging: { cursors: { after: "x" }, next, previous: next } })
  );
  const page = "https://graph.facebook.com/v26.0/1/message_templates";
  assert.deepEqual(reply, {
    kind: "answered",
    body: { data: [], paging: { cursors: { after: "x" }, next: page, previous: page } },
  });
});
