// Tests which requests the client retries, and after which responses.
import assert from "node:assert/strict";
import {
  APIError,
  ChannelUnavailableError,
  ConflictError,
  ConnectionError,
  type CRM,
  CRMError,
  IdempotencyKeyReusedError,
  PreconditionFailedError,
  RateLimitError,
  SendFailedError,
  SendMismatchError,
  SendPendingError,
  TimeoutError,
} from "../../client/src/main.ts";
import { failure, json, LOST, RECORD, scripted, type Step, withoutPauses } from "./scripted.ts";

const ID = "5f0e0f0a-52f5-4f2c-9a3e-6d1f7b0f7c11";
const MESSAGE = {
  phone: "+14155550178",
  template_name: "order_update",
  language_code: "pt_BR",
  display_text: "Hello",
};

/** One request of each kind. */
const REQUESTS: Record<string, (crm: CRM) => PromiseLike<unknown>> = {
  GET: (crm) => crm.contacts.get(ID),
  POST: (crm) => crm.contacts.create({ phone: "+14155550178" }),
  PUT: (crm) => crm.contacts.put({ phone: "+14155550178" }),
  "PUT with If-Match": (crm) => crm.contacts.put({ phone: "+14155550178" }, {}, { ifMatch: "1" }),
  DELETE: (crm) => crm.contacts.archive(ID),
  "DELETE with If-Match": (crm) => crm.contacts.archive(ID, { ifMatch: "1" }),
  PATCH: (crm) => crm.contacts.update(ID, { name: "Ada" }),
  "PATCH with If-Match": (crm) => crm.contacts.update(ID, { name: "Ada" }, { ifMatch: "1" }),
  "PATCH of a batch": (crm) => crm.contacts.updateMany([{ id: ID, name: "Ada" }]),
};

const HTML = (status: number) =>
  new Response("<html>", { status, headers: { "Content-Type": "text/html" } });
const cut = (status: number) =>
  new Response('{"data": {"id', { status, headers: { "Content-Type": "application/json" } });
const unavailable = (sentence: string) =>
  failure(503, "database_unavailable", { error: `The database is away; ${sentence}` });

/** The client retries these requests even if it does not know whether they took effect. */
const SAFE = ["GET", "POST"];
const ALL = Object.keys(REQUESTS);

/** For each response, the requests that the client retries. */
const ANSWERS: [name: string, step: Step, repeated: string[]][] = [
  ["a lost connection", LOST, SAFE],
  ["a truncated response", cut(200), SAFE],
  ["a truncated error response", cut(409), SAFE],
  ["200 without JSON", HTML(200), SAFE],
  ["a proxy's 502", HTML(502), SAFE],
  ["a proxy's 504", HTML(504), SAFE],
  ["a proxy's 408", HTML(408), SAFE],
  ["500 internal", failure(500, "internal"), SAFE],
  ["a 500 without an error code", json(500, {}), SAFE],
  ["503, perhaps done", unavailable("check whether the change was made"), SAFE],
  ["503, nothing changed", unavailable("nothing was changed, so try again"), ALL],
  ["429", failure(429, "too_many_requests"), ALL],
  ["a proxy's 429", HTML(429), ALL],
  ["408 request_timeout", failure(408, "request_timeout"), ALL],
  ["400 malformed_request", failure(400, "malformed_request"), ALL],
  ["502 not_sent", failure(502, "channel_unavailable", { outcome: "not_sent" }), ALL],
  ["409 idempotency_in_progress", failure(409, "idempotency_in_progress"), SAFE],
  ["409 conflict", failure(409, "conflict"), []],
  ["409 window_closed", failure(409, "window_closed"), []],
  ["a proxy's 409", HTML(409), []],
  ["a proxy's 400", HTML(400), []],
  ["401", failure(401, "invalid_api_key"), []],
  ["403", failure(403, "insufficient_scope"), []],
  ["404", failure(404, "not_found"), []],
  ["410", failure(410, "cursor_expired"), []],
  ["412", failure(412, "precondition_failed"), []],
  ["413", failure(413, "payload_too_large"), []],
  ["422", failure(422, "invalid_request"), []],
  ["422 query_too_expensive", failure(422, "query_too_expensive"), []],
  ["500 channel_account_error", failure(500, "channel_account_error"), []],
  ["a redirect", new Response(null, { status: 302, headers: { Location: "/" } }), []],
];

for (const [name, step, repeated] of ANSWERS) {
  Deno.test(`after ${name}, the client repeats ${repeated.length === 0 ? "nothing" : repeated.join(", ")}`, async () => {
    await withoutPauses(async () => {
      for (const [kind, request] of Object.entries(REQUESTS)) {
        const attempts = repeated.includes(kind) ? 3 : 1;
        const failing = scripted([step]);
        await assert.rejects(async () => await request(failing.crm), CRMError);
        assert.equal(failing.made.length, attempts, kind);
        const keys = failing.made.map(({ headers }) => headers.get("Idempotency-Key"));
        assert.equal(new Set(keys).size, 1, "each attempt has the same idempotency key");

        const mended = scripted([step, RECORD]);
        const answer = (async () => await request(mended.crm))();
        if (attempts === 1) await assert.rejects(answer);
        else await answer;
      }
    });
  });
}

Deno.test("`maxRetries` limits the retries of every request of a client, or of a single request", async () => {
  await withoutPauses(async () => {
    for (const [client, request, attempts] of [[0, undefined, 1], [4, undefined, 5], [4, 1, 2]]) {
      const { crm, made } = scripted([LOST], { maxRetries: client });
      const get = () => crm.contacts.get(ID, undefined, { maxRetries: request }).then();
      await assert.rejects(get, ConnectionError);
      assert.equal(made.length, attempts);
    }
  });
});

Deno.test("an error says whether its request may have taken effect", async () => {
  await withoutPauses(async () => {
    const told = async (kind: string, steps: Step[]) =>
      await (async () => await REQUESTS[kind](scripted(steps).crm))().then(
        () => assert.fail("it failed"),
        (error: CRMError) => error.mayBeDone,
      );
    assert.equal(await told("POST", [LOST]), true);
    assert.equal(await told("PATCH", [LOST]), true);
    assert.equal(await told("GET", [LOST]), false);
    assert.equal(await told("POST", [failure(429, "too_many_requests")]), false);
    // A retry with the same idempotency key receives the response to the first attempt.
    assert.equal(await told("POST", [LOST, failure(409, "conflict")]), false);
    assert.equal(await told("POST", [LOST, failure(401, "invalid_api_key")]), true);
    assert.equal(await told("POST", [LOST, failure(403, "insufficient_scope")]), true);
    assert.equal(await told("POST", [LOST, failure(429, "too_many_requests")]), true);
    // A proxy's response does not show whether the first attempt took effect.
    assert.equal(await told("POST", [LOST, HTML(404)]), true);
    for (const kind of ["PUT", "DELETE", "PATCH with If-Match"]) {
      assert.equal(await told(kind, [LOST]), true);
      assert.equal(await told(kind, [failure(429, "too_many_requests"), LOST]), true);
      assert.equal(await told(kind, [failure(412, "precondition_failed")]), false);
    }
  });
});

/** Changes that the client repeats without an idempotency key, because a repeat does no harm. */
const HARMLESS: Record<string, (crm: CRM) => PromiseLike<unknown>> = {
  markRead: (crm) => crm.messages.markRead(ID),
  react: (crm) => crm.messages.react(ID, "👍"),
  unreact: (crm) => crm.messages.unreact(ID),
  upload: (crm) => crm.media.upload(new Uint8Array([1]), { type: "application/pdf" }),
};

Deno.test("after a lost response, the client repeats a read mark, a reaction or an upload; if all repeats fail, the error says that the change may be done", async () => {
  await withoutPauses(async () => {
    for (const [kind, change] of Object.entries(HARMLESS)) {
      const told = async (steps: Step[]) => {
        const { crm, made } = scripted(steps);
        const error = await (async () => await change(crm))().catch((error: CRMError) => error);
        assert.ok(error instanceof CRMError, kind);
        assert.equal(error.idempotencyKey, null);
        return [made.length, error.mayBeDone];
      };
      assert.deepEqual(await told([LOST]), [3, true], kind);
      // Without a key, a refused repeat does not show whether the first attempt took effect.
      assert.deepEqual(await told([LOST, failure(409, "window_closed")]), [2, true], kind);
      assert.deepEqual(await told([failure(409, "window_closed")]), [1, false], kind);
      assert.deepEqual(await told([failure(429, "too_many_requests")]), [3, false], kind);
    }
  });
});

Deno.test("the client waits as long as `Retry-After` says, in seconds or until a date, up to `maxWait`", async () => {
  const begun = Date.now();
  // An HTTP date is precise to the second.
  const date = new Date(begun + 2000).toUTCString();
  const afters: [string, number][] = [["1", begun + 1000], [date, Date.parse(date)]];
  await Promise.all(afters.map(async ([after, time]) => {
    const busy = failure(429, "too_many_requests", {}, { "Retry-After": after });
    const { crm, made } = scripted([busy, RECORD]);
    await crm.contacts.get(ID);
    assert.equal(made.length, 2);
    assert.ok(Date.now() >= time - 10, `the client retried ${time - Date.now()} ms too early`);
  }));
  for (const [after, options] of [[16, {}], [1, { maxWait: 999 }]] as const) {
    const later = failure(429, "too_many_requests", {}, { "Retry-After": String(after) });
    const { crm, made } = scripted([later, RECORD]);
    const asked = crm.contacts.get(ID, {}, options).then();
    await assert.rejects(asked, { name: "RateLimitError", retryAfter: after });
    assert.equal(made.length, 1);
  }
});

Deno.test("the pauses between attempts double from 0.5 to 8 seconds, and each pause is shortened by a random amount", async () => {
  const { setTimeout } = globalThis;
  const pauses: number[] = [];
  const { random } = Math;
  Math.random = () => 0.5;
  globalThis.setTimeout = ((work: () => void, time: number) => {
    if (time !== 60_000) pauses.push(time);
    return setTimeout(work, time === 60_000 ? time : 0);
    // deno-lint-ignore no-explicit-any
  }) as any;
  try {
    const { crm } = scripted([LOST], { maxRetries: 6 });
    await assert.rejects(crm.contacts.get(ID).then());
  } finally {
    Math.random = random;
    globalThis.setTimeout = setTimeout;
  }
  assert.deepEqual(pauses, [250, 500, 1000, 2000, 4000, 4000]);
});

Deno.test("the client treats an attempt that takes too long like an attempt without a response", async () => {
  const never: Step = (_made, signal) =>
    new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  await withoutPauses(async () => {
    const { crm, made } = scripted([never, RECORD], { timeout: 20 });
    await crm.contacts.get(ID);
    assert.equal(made.length, 2);
    const change = scripted([never, RECORD], { timeout: 20 });
    await assert.rejects(change.crm.contacts.update(ID, { name: "Ada" }).then(), TimeoutError);
  });
});

Deno.test("if a response starts but never ends, a timeout or an abort signal ends the request", async () => {
  const body = () =>
    new ReadableStream({ start: (stream) => stream.enqueue(new TextEncoder().encode('{"da')) });
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    () => new Response(body(), { headers: { "Content-Type": "application/json" } }),
  );
  const baseUrl = `http://127.0.0.1:${server.addr.port}/functions/v1`;
  const { crm } = scripted([], { baseUrl, fetch: undefined, maxRetries: 0 });
  await assert.rejects(crm.contacts.get(ID, {}, { timeout: 50 }).then(), TimeoutError);
  const stop = new AbortController();
  setTimeout(() => stop.abort(), 50);
  await assert.rejects(crm.contacts.get(ID, {}, stop).then(), { name: "AbortError" });
});

Deno.test("an abort signal ends a request or a pause between attempts, and the error is the signal's reason", async () => {
  const reason = new Error("enough");
  const never: Step = (_made, signal) =>
    new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  const busy = failure(429, "too_many_requests", {}, { "Retry-After": "10" });
  for (const step of [never, busy]) {
    const { crm, made } = scripted([step]);
    const stop = new AbortController();
    const begun = Date.now();
    const asked = crm.contacts.update(ID, { name: "Ada" }, { signal: stop.signal });
    setTimeout(() => stop.abort(reason), 10);
    await assert.rejects(asked, (error) => error === reason);
    assert.equal(made.length, 1);
    assert.ok(Date.now() - begun < 10_000, "the client continued to wait after the abort");
  }
  const { crm, made } = scripted([RECORD]);
  const aborted = crm.contacts.get(ID, undefined, { signal: AbortSignal.abort() }).then();
  await assert.rejects(aborted, { name: "AbortError" });
  assert.equal(made.length, 0);
});

const IDS = { message_id: "m-1", conversation_id: "c-1" };
const SENT = {
  ...{ success: true, ...IDS, whatsapp_message_id: "w-1" },
  ...{ created_conversation: false, idempotent_hit: false },
};
const repeat = (status: string, mismatch?: string[]) =>
  json(200, { success: status === "sent", status, ...IDS, idempotent_hit: true, mismatch });
const UNKNOWN = failure(502, "channel_unavailable", { outcome: "unknown", success: false });

/** The outcome of a send, and the number of requests that the client needed. */
async function outcomeOf(steps: Step[], options = {}) {
  const { crm, made } = scripted(steps, options);
  const outcome = await withoutPauses(() =>
    crm.templates.send(MESSAGE).then((result) => result, (error: CRMError) => error)
  );
  const keys = made.map(({ body }) => body.idempotency_key);
  assert.equal(new Set(keys).size, 1, "each attempt has the same idempotency key");
  assert.match(keys[0], /^[0-9a-f-]{36}$/);
  if (outcome instanceof CRMError) assert.equal(outcome.idempotencyKey, keys[0]);
  return { outcome, attempts: made.length };
}

Deno.test("the client retries a send until it knows the outcome", async () => {
  const busy = failure(429, "too_many_requests");
  const many = [LOST, UNKNOWN, repeat("pending"), cut(200), HTML(502), busy, busy, busy, UNKNOWN];
  const { outcome, attempts } = await outcomeOf([...many, repeat("sent")]);
  assert.deepEqual([outcome, attempts], [await repeat("sent").json(), 10]);
  assert.deepEqual(await outcomeOf([json(200, SENT)]), { outcome: SENT, attempts: 1 });
});

Deno.test("a send returns the reason why a contact receives no message, and throws an error if the send fails", async () => {
  for (const reason of ["do_not_contact", "marketing_opt_out"]) {
    const { outcome } = await outcomeOf([json(200, { success: false, reason })]);
    assert.deepEqual(outcome, { success: false, reason });
  }
  const failed = await outcomeOf([LOST, repeat("failed")]);
  assert.ok(failed.outcome instanceof SendFailedError);
  assert.equal(failed.outcome.messageId, "m-1");
  const refused = await outcomeOf([failure(422, "template_rejected")]);
  assert.equal((refused.outcome as APIError).code, "template_rejected");
  assert.equal(refused.attempts, 1);
  // The content differs from the first send, so the client throws an error even though the first
  // send succeeded.
  const differs = await outcomeOf([repeat("sent", ["text"])]);
  assert.ok(differs.outcome instanceof SendMismatchError);
  assert.deepEqual(differs.outcome.mismatch, ["text"]);
  const reused = await outcomeOf([failure(422, "idempotency_key_reused")]);
  assert.ok(reused.outcome instanceof IdempotencyKeyReusedError);
  assert.equal(reused.attempts, 1);
});

Deno.test("a send that counts as failed may still have reached the person", async () => {
  // A send also counts as failed if its outcome remained unknown.
  for (const steps of [[UNKNOWN, repeat("pending"), repeat("failed")], [repeat("failed")]]) {
    const { outcome } = await outcomeOf(steps);
    assert.ok(outcome instanceof SendFailedError);
    assert.equal(outcome.mayBeDone, true, `${steps.length} responses`);
  }
});

Deno.test("if the outcome of a send is not known in time, the send throws an error with the last known state", async () => {
  const none = { settleTimeout: 0 };
  const pending = await outcomeOf([repeat("pending")], none);
  assert.ok(pending.outcome instanceof SendPendingError);
  assert.deepEqual([pending.outcome.mayBeDone, pending.attempts], [true, 3]);
  const unknown = await outcomeOf([UNKNOWN], none);
  assert.ok(unknown.outcome instanceof ChannelUnavailableError);
  assert.equal(unknown.outcome.outcome, "unknown");
  const lost = await outcomeOf([LOST], { ...none, maxRetries: 0 });
  assert.ok(lost.outcome instanceof ConnectionError);
  assert.equal(lost.attempts, 1);
});

Deno.test("the client retries a send only within its `settleTimeout`", async () => {
  let time = 0;
  const { now } = performance;
  performance.now = () => time;
  const slow: Step = () => {
    time += 10_000;
    return Promise.resolve(repeat("pending").clone());
  };
  try {
    const { outcome, attempts } = await outcomeOf([slow], { settleTimeout: 60_000 });
    assert.ok(outcome instanceof SendPendingError);
    assert.deepEqual([attempts, time], [6, 60_000]);
  } finally {
    performance.now = now;
  }
});

Deno.test("if a response says that a send has not happened, the client retries the send at most `maxRetries` times", async () => {
  const away = failure(502, "channel_unavailable", { outcome: "not_sent" });
  const { outcome, attempts } = await outcomeOf([away]);
  assert.ok(outcome instanceof ChannelUnavailableError);
  assert.deepEqual([attempts, outcome.mayBeDone], [3, false]);
  assert.ok(
    (await outcomeOf([failure(429, "too_many_requests")])).outcome instanceof RateLimitError,
  );
});

Deno.test("if the caller sets an idempotency key, the send uses that key", async () => {
  const { crm, made } = scripted([json(200, SENT)]);
  await crm.templates.send(MESSAGE, { idempotencyKey: "order-1" });
  await crm.templates.send({ ...MESSAGE, idempotency_key: "order-2" });
  await crm.conversations.reply(ID, { text: "Hello" }, { idempotencyKey: "order-3" });
  await crm.templates.send(MESSAGE, { dryRun: true });
  assert.deepEqual(
    made.map(({ body }) => body.idempotency_key),
    ["order-1", "order-2", "order-3", undefined],
  );
  assert.equal(made[3].url.search, "?dry_run=true");
  const two = { ...MESSAGE, idempotency_key: "order-2" };
  await assert.rejects(crm.templates.send(two, { idempotencyKey: "order-1" }).then(), TypeError);
});

Deno.test("the client retries a dry run at most `maxRetries` times, like a read", async () => {
  const { crm, made } = scripted([LOST]);
  const error = await withoutPauses(() =>
    crm.templates.send(MESSAGE, { dryRun: true }).catch((error) => error)
  );
  assert.deepEqual([made.length, error.mayBeDone, error.idempotencyKey], [3, false, null]);
});

Deno.test("the errors about a conflict and about a changed record contain the fields of the response body", async () => {
  const conflict = scripted([failure(409, "conflict", { existing_id: ID })]);
  const error = await conflict.crm.contacts.create({ phone: "+14155550178" })
    .catch((error: unknown) => error);
  assert.ok(error instanceof ConflictError && error instanceof APIError);
  assert.equal(error.existingId, ID);
  const changed = scripted([failure(412, "precondition_failed", { etag: '"7"' })]);
  const late = await changed.crm.contacts.update(ID, { name: "Ada" }, { ifMatch: "6" })
    .catch((error: unknown) => error);
  assert.ok(late instanceof PreconditionFailedError);
  assert.equal(late.etag, '"7"');
});
