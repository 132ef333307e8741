// Tests the client's requests, and how the client reads responses.
import assert from "node:assert/strict";
import * as client from "../../client/src/main.ts";
import { type JOB_STATUS, STATUS } from "../../supabase/functions/_shared/errors.ts";
import { EMPTY, failure, json, LOST, RECORD, scripted, type Step } from "./scripted.ts";

const { CRM, APIError } = client;
const OPTIONS = { apiKey: "sk_live_secret", baseUrl: "https://api.test/functions/v1" };
const ID = "5f0e0f0a-52f5-4f2c-9a3e-6d1f7b0f7c11";

/** Lists contacts with these parameters, and returns the query string of the request. */
async function asked(query: client.ListContactsQuery & { fields?: "id"[] }): Promise<string> {
  const { crm, made } = scripted([EMPTY]);
  await crm.contacts.list(query);
  return decodeURIComponent(made[0].url.search.replaceAll("+", " "));
}

Deno.test("several values of a parameter are separated by commas, and commas inside a value are escaped", async () => {
  const queries: [Parameters<typeof asked>[0], string][] = [
    [{}, ""],
    [{ temperature: ["hot", "warm"], limit: 5 }, "?temperature=hot,warm&limit=5"],
    [{ name: "Silva, Ana" }, "?name=Silva\\, Ana"],
    [{ "tags[all]": ["a,b", "c\\d"] }, "?tags[all]=a\\,b,c\\\\d"],
    [{ "custom_fields.plan": ["a", "b,c"] }, "?custom_fields.plan=a,b\\,c"],
    [{ q: "a, b\\", "name[contains]": "x,y" }, "?q=a, b\\&name[contains]=x,y"],
    [{ fields: ["id"], include_total: true }, "?fields=id&include_total=true"],
    [{ archived: undefined, is_active: [true, false] }, "?is_active=true,false"],
    [
      { "created_at[gte]": new Date(0), "created_at[lt]": "2026-01-01" },
      "?created_at[gte]=1970-01-01T00:00:00.000Z&created_at[lt]=2026-01-01",
    ],
  ];
  for (const [query, expected] of queries) assert.equal(await asked(query), expected);
});

Deno.test("the client refuses an empty list, null and other invalid filter values", async () => {
  await assert.rejects(asked({ id: [] }), /id is an empty list/);
  const values = { null: null, undefined: [undefined], NaN, "[object Object]": [{}] };
  for (const [text, name] of Object.entries(values)) {
    // deno-lint-ignore no-explicit-any -- JavaScript callers may pass any value
    await assert.rejects(asked({ name: name as any }), {
      message: new RegExp(`^name is ${text.replace("[", "\\[")};`),
    });
  }
  await assert.rejects(asked({ "created_at[gte]": new Date("soon") }), /is Invalid Date/);
  // deno-lint-ignore no-explicit-any -- JavaScript callers may pass any value
  assert.equal(await asked(null as any), "");
});

Deno.test("a value that is not an id never becomes part of a URL", async () => {
  const { crm, made } = scripted([RECORD]);
  for (const id of ["", "..", ".", "a/b", "a?b", "%2e%2e", "a\n", undefined, null, {}]) {
    await assert.rejects(crm.contacts.archive(id as string).then(), /id of a record/);
  }
  assert.equal(made.length, 0);
});

Deno.test("the client sends a version in the form of an ETag, and sends an ETag unchanged", async () => {
  const { crm, made } = scripted([RECORD]);
  const sent: [string | string[], string][] = [
    ["374810", '"374810"'],
    ['"374810"', '"374810"'],
    ['W/"374810"', 'W/"374810"'],
    ["*", "*"],
    [["1", '"2"'], '"1", "2"'],
  ];
  for (const [ifMatch] of sent) await crm.contacts.update(ID, { name: "Ada" }, { ifMatch });
  assert.deepEqual(
    made.map(({ headers }) => headers.get("If-Match")),
    sent.map(([, etag]) => etag),
  );

  const same = scripted([new Response(null, { status: 304 })]);
  assert.equal(await same.crm.contacts.get(ID, {}, { ifNoneMatch: "7" }), null);
  assert.equal(same.made[0].headers.get("If-None-Match"), '"7"');
});

Deno.test("a request's headers replace the client's headers, except for the API key", async () => {
  const { crm, made } = scripted([RECORD], { headers: { "X-One": "1", "x-two": "2" } });
  await crm.contacts.get(ID, {}, { headers: { "X-Two": "3", "X-Request-Id": "mine" } });
  const { headers } = made[0];
  assert.deepEqual(
    ["X-One", "X-Two", "X-Request-Id"].map((name) => headers.get(name)),
    ["1", "3", "mine"],
  );
});

Deno.test("the client's default headers must not contain an idempotency key, because the API would treat every request as a repeat of the first request", async () => {
  const { crm, made } = scripted([RECORD], { headers: { "idempotency-key": "1" } });
  await assert.rejects(crm.contacts.restore(ID).then(), { name: "TypeError" });
  assert.equal(made.length, 0);
});

Deno.test("if an option is invalid, the error does not contain the API key", () => {
  const refused: [object | undefined, RegExp][] = [
    [undefined, /apiKey is missing/],
    [{ apiKey: "" }, /apiKey is missing/],
    [{ apiKey: "sk_live_secret\n" }, /apiKey is missing, or has a character/],
    [{ apiKey: "sk_live_secrét" }, /apiKey is missing, or has a character/],
    [{ baseUrl: undefined }, /baseUrl must be.*functions\/v1/],
    ...[
      ...["api.test/functions/v1", "https://api.test", "https://api.test/functions/v1/gateway"],
      ...["https://api.test/functions/v1?x=1", "https://me:pass@api.test/functions/v1"],
      "ftp://api.test/functions/v1",
    ].map((baseUrl): [object, RegExp] => [{ baseUrl }, /baseUrl must be.*functions\/v1/]),
    [{ timeout: 0 }, /timeout must be/],
    [{ timeout: Infinity }, /timeout must be/],
    [{ maxRetries: -1 }, /maxRetries must be/],
    [{ maxRetries: 1.5 }, /maxRetries must be/],
    [{ settleTimeout: "1" }, /settleTimeout must be/],
    [{ maxWait: -1 }, /maxWait must be/],
  ];
  for (const [wrong, message] of refused) {
    const options = wrong && { ...OPTIONS, ...wrong };
    assert.throws(() => new CRM(options as client.ClientOptions), (error) => {
      assert.ok(error instanceof TypeError);
      assert.match(error.message, message);
      assert.doesNotMatch(String(error.stack), /secr/);
      return true;
    });
  }
  const address: unknown = new URL("http://127.0.0.1:54321/functions/v1/");
  assert.ok(new CRM({ ...OPTIONS, baseUrl: address as string }));
});

Deno.test("no property of the client or of an error contains the API key", async () => {
  const { crm } = scripted([failure(401, "invalid_api_key"), LOST], { apiKey: "sk_live_hidden" });
  const shown = [Deno.inspect(crm, { depth: 9, showHidden: true }), JSON.stringify(crm)];
  for (let time = 0; time < 2; time++) {
    const error = await crm.contacts.get(ID, {}, { maxRetries: 0 }).catch((error) => error);
    assert.ok(error instanceof client.CRMError);
    shown.push(Deno.inspect(error, { depth: 9, showHidden: true }), JSON.stringify(error));
  }
  for (const text of shown) assert.doesNotMatch(text, /hidden/);
});

Deno.test("each error code has its own class, except that the two codes about an API key share one, and the error has the properties of the response", async () => {
  const codes = Object.keys(STATUS) as (keyof typeof STATUS)[];
  const names = new Set<string>();
  for (const code of codes) {
    const details = [{ field: "phone", message: "is required" }];
    const more = { details, doc_url: `https://docs.test/errors.html#${code}` };
    const { crm } = scripted([failure(STATUS[code], code, more, { "Retry-After": "3" })]);
    const error = await crm.contacts.list({}, { maxRetries: 0 }).catch((error) => error);
    assert.ok(error instanceof APIError && error.constructor !== APIError, code);
    assert.equal(error.constructor.name, error.name);
    assert.deepEqual(
      [error.status, error.code, error.requestId, error.details, error.docUrl, error.retryAfter],
      [STATUS[code], code, "r-1", details, more.doc_url, 3],
    );
    assert.equal(error.message, `It is ${code} (GET /gateway/contacts, request r-1)`);
    const [, exported] = Object.entries(client).find(([name]) => name === error.name)!;
    assert.equal(exported, error.constructor);
    names.add(error.name);
  }
  assert.equal(names.size, codes.length - 1, "missing_api_key and invalid_api_key share a class");
});

Deno.test("if an error does not come from the API, it becomes an `APIError` with the response's status", async () => {
  const html = { "Content-Type": "text/html", "X-Request-Id": "r-2" };
  const others: [Step, number, string | null, string | null][] = [
    [failure(500, "job_running" satisfies keyof typeof JOB_STATUS), 500, "job_running", "r-1"],
    [failure(400, "constructor"), 400, "constructor", "r-1"],
    [new Response("<html>", { status: 403, headers: html }), 403, null, "r-2"],
    [new Response("<html>", { status: 200, headers: html }), 200, null, "r-2"],
    [json(546, { message: "WORKER_LIMIT" }), 546, null, null],
    [json(400, null), 400, null, null],
    [json(400, "text"), 400, null, null],
    [json(400, { error: {}, code: 4, details: "none" }), 400, null, null],
    [json(401, { code: 401, message: "Invalid JWT" }), 401, null, null],
    [new Response(null, { status: 404 }), 404, null, null],
  ];
  for (const [step, status, code, requestId] of others) {
    const { crm } = scripted([step]);
    const error = await crm.health({ maxRetries: 0 }).catch((error) => error);
    assert.equal(error.constructor, APIError);
    assert.deepEqual([error.status, error.code, error.requestId], [status, code, requestId]);
    assert.deepEqual(error.details, []);
  }
});

Deno.test("an error message names the failed request without its query string", async () => {
  const steps: [Step, string][] = [
    [
      LOST,
      "There was no complete response from api.test: error sending request (GET /gateway/contacts)",
    ],
    [json(401, { code: 401, message: "Invalid JWT" }), "Invalid JWT (GET /gateway/contacts)"],
    [
      json(200, []),
      "The response has the status 200 and is not from the API (GET /gateway/contacts)",
    ],
    [
      new Response("<html>", { status: 403, headers: { "Content-Type": "application/json" } }),
      "The response with the status 403 is incomplete (GET /gateway/contacts)",
    ],
  ];
  for (const [step, message] of steps) {
    const { crm } = scripted([step], { maxRetries: 0 });
    await assert.rejects(crm.contacts.list({ q: "private" }).then(), { message });
  }
});

Deno.test("if the connection fails, the error names the host and the cause, but not the query string", async () => {
  const connect = new Error("connect ECONNREFUSED 10.0.0.1:443");
  const causes: [Error, RegExp][] = [
    [
      new TypeError("fetch failed", { cause: connect }),
      /: connect ECONNREFUSED 10\.0\.0\.1:443 \(/,
    ],
    [
      new TypeError("fetch failed", {
        cause: Object.assign(new Error(), { code: "ECONNREFUSED" }),
      }),
      /no complete response from api\.test: ECONNREFUSED \(/,
    ],
    [
      new TypeError("no route for url (https://api.test/?q=private): refused"),
      /no route .*refused/,
    ],
  ];
  for (const [step, message] of causes) {
    const { crm } = scripted([step], { maxRetries: 0 });
    const error = await crm.contacts.list({ q: "private" }).catch((error) => error);
    assert.match(error.message, message);
    assert.doesNotMatch(error.message, /private/);
  }
});

// deno-lint-ignore no-explicit-any -- JavaScript callers may pass any value
type Untyped = any;

Deno.test("an invalid call from plain JavaScript throws a client error before any request", async () => {
  const wrong: [(crm: Untyped) => PromiseLike<unknown>, RegExp][] = [
    [(crm) => crm.contacts.get(), /id of a record is missing, or is not an id: undefined/],
    [(crm) => crm.contacts.create(), /The body of POST \/gateway\/contacts must be an object/],
    [(crm) => crm.contacts.create("Ada"), /must be an object, not string/],
    [(crm) => crm.contacts.create({ phone: 14155550178 }), /phone must be a text with a plus sign/],
    [(crm) => crm.contacts.put(null), /must be an object, not null/],
    [(crm) => crm.contacts.update(ID), /must be an object, not undefined/],
    [(crm) => crm.contacts.erase(ID), /must be an object, not undefined/],
    [(crm) => crm.contacts.merge(ID, ID), /must be an object, not string/],
    [(crm) => crm.contacts.list("hot"), /A query must be an object, not string/],
    [(crm) => crm.contacts.createMany({}), /The items must be an array/],
    [(crm) => crm.contacts.createMany([{ phone: 1 }]), /phone must be a text/],
    [(crm) => crm.deals.updateMany([[]]), /An item must be an object, not an array/],
    [(crm) => crm.templates.send(), /A message must be an object, not undefined/],
    [(crm) => crm.templates.send({ phone: 1 }), /phone must be a text/],
    [(crm) => crm.conversations.reply(ID, "Hello"), /A message must be an object, not string/],
    [(crm) => crm.conversations.reply(undefined, { text: "Hello" }), /id of a record is missing/],
    [(crm) => crm.sends.find(), /idempotency_key must be a text/],
    [(crm) => crm.search(), /q must be a text/],
  ];
  for (const [call, message] of wrong) {
    const { crm, made } = scripted([RECORD]);
    await assert.rejects(async () => await call(crm), { name: "TypeError", message });
    assert.equal(made.length, 0);
  }
});

/** Responds to a batch. The item with the phone `no` fails. */
const BATCH: Step = ({ body }) => {
  const data = body.items.map(({ phone }: { phone: string }, index: number) => {
    if (phone !== "no") return { index, status: 201, data: { phone } };
    const details = [{ field: `items.${index}.phone`, message: "is wrong" }];
    const error = { error: `Invalid request: items.${index}.phone is wrong`, details };
    return { index, status: 422, error };
  });
  const failed = data.filter(({ status }: { status: number }) => status === 422).length;
  const total = data.length;
  const summary = { total, created: total - failed, updated: 0, failed };
  return Promise.resolve(json(200, { data, summary }));
};

Deno.test("the client sends many items in batches of at most 500 items and 1 MB, and joins the responses", async () => {
  const items = Array.from({ length: 1001 }, (_, i) => ({ phone: i === 700 ? "no" : `+${i}` }));
  const { crm, made } = scripted([BATCH]);
  const told: client.Progress[] = [];
  const onProgress = (progress: client.Progress) => told.push(progress);
  const { data, summary } = await crm.contacts.createMany(items, { on_conflict: "keep" }, {
    onProgress,
    idempotencyKey: "import-1",
  });
  assert.deepEqual(summary, { total: 1001, created: 1000, updated: 0, failed: 1 });
  assert.deepEqual(data.map(({ index }) => index), items.map((_, index) => index));
  const { error } = data[700];
  assert.equal(error!.error, "Invalid request: items.700.phone is wrong");
  assert.equal(error!.details![0].field, "items.700.phone");
  assert.deepEqual(told, [
    { done: 500, total: 1001, failed: 0 },
    { done: 1000, total: 1001, failed: 1 },
    { done: 1001, total: 1001, failed: 1 },
  ]);
  assert.deepEqual(made.map(({ body }) => body.items.length), [500, 500, 1]);
  const keys = made.map(({ headers }) => headers.get("Idempotency-Key"));
  assert.deepEqual(keys, ["import-1", "import-1-1", "import-1-2"]);
  assert.ok(made.every(({ url }) => url.search === "?on_conflict=keep"));

  const large = scripted([BATCH]);
  const name = "é".repeat(10_000);
  await large.crm.contacts.createMany(Array.from({ length: 100 }, () => ({ phone: "+1", name })));
  assert.deepEqual(large.made.map(({ body }) => body.items.length), [49, 49, 2]);
});

Deno.test("if a batch fails, the error contains the results of earlier batches, and an atomic request must fit into one batch", async () => {
  const items = Array.from({ length: 501 }, () => ({ phone: "+1" }));
  const { crm, made } = scripted([BATCH, failure(422, "invalid_request")]);
  const error = await crm.contacts.createMany(items).catch((error) => error);
  assert.ok(error instanceof client.InvalidRequestError);
  assert.deepEqual([error.done!.data.length, error.done!.summary.created], [500, 500]);
  const atomic = crm.contacts.createMany(items, { atomic: true }).then();
  await assert.rejects(atomic, { name: "TypeError", message: /one batch/ });
  assert.equal(made.length, 2);
});

Deno.test("if `createMany` is repeated with the idempotency key of its error, each batch has the same key as in the first run", async () => {
  const items = Array.from({ length: 1001 }, () => ({ phone: "+1" }));
  for (const idempotencyKey of [undefined, "import-1"]) {
    const refused = failure(422, "invalid_request");
    const { crm, made } = scripted([BATCH, BATCH, refused, BATCH]);
    const error = await crm.contacts.createMany(items, {}, { idempotencyKey })
      .catch((error) => error);
    await crm.contacts.createMany(items, {}, { idempotencyKey: error.idempotencyKey });
    const keys = made.map(({ headers }) => headers.get("Idempotency-Key"));
    assert.deepEqual(keys.slice(3), keys.slice(0, 3));
    assert.equal(error.idempotencyKey, idempotencyKey ?? keys[0]);
  }
  const { crm } = scripted([BATCH, failure(422, "invalid_request")]);
  const changes = items.map(() => ({ id: ID, name: "Ada" }));
  const error = await crm.contacts.updateMany(changes).catch((error) => error);
  assert.equal(error.idempotencyKey, null);
});

Deno.test("if a response does not match the operation, the client throws an error with the response's status", async () => {
  const bodies = [{}, [], null, { status: "ok" }].map((body) => json(200, body));
  const requests: ((crm: client.CRM) => PromiseLike<unknown>)[] = [
    (crm) => crm.contacts.get(ID),
    (crm) => crm.contacts.list(),
    (crm) => crm.contacts.createMany([]),
    (crm) => crm.contacts.archive(ID),
    (crm) => crm.sends.find("order-1"),
    (crm) => crm.search("ada"),
    (crm) => crm.conversations.reply(ID, { text: "Hello" }, { settleTimeout: 0 }),
  ];
  for (const request of requests) {
    for (const step of [...bodies, new Response(null, { status: 304 })]) {
      const { crm } = scripted([step], { maxRetries: 0 });
      const status = step.status;
      await assert.rejects(async () => await request(crm), { name: "APIError", status });
    }
  }
  const none = scripted([new Response(null, { status: 204 })], { maxRetries: 0 });
  await assert.rejects(none.crm.contacts.get(ID).then(), { name: "APIError", status: 204 });
});

/** A page of a list of numbers. */
function page(
  data: number[],
  next_cursor: string | null,
  has_more = next_cursor !== null,
): Response {
  return json(200, {
    data: data.map((id) => ({ id })),
    pagination: { limit: 2, has_more, next_cursor },
  });
}

Deno.test("pages of a list are requested one at a time, and only when they are needed", async () => {
  const { crm, made } = scripted([page([1, 2], "a"), page([], "b"), page([3], null)]);
  const list = crm.contacts.list({ sort: "name", limit: 2 });
  assert.equal(made.length, 0);
  const ids: unknown[] = [];
  for await (const { id } of list) ids.push(id);
  assert.deepEqual(ids, [1, 2, 3]);
  const cursors = made.map(({ url }) => url.searchParams.get("cursor"));
  assert.deepEqual(cursors, [null, "a", "b"]);
  assert.ok(made.every(({ url }) => url.searchParams.get("sort") === "name"));
});

Deno.test("a page of a list says whether there is a next page, and its `next()` requests that page", async () => {
  const { crm, made } = scripted([page([1, 2], "a"), page([3], null)]);
  const list = crm.contacts.list({ limit: 2 });
  const first = await list;
  assert.deepEqual([first.hasMore, first.nextCursor, first.data.length], [true, "a", 2]);
  assert.equal(await list, first);
  const second = await first.next();
  assert.deepEqual(
    [second!.hasMore, second!.nextCursor, await second!.next()],
    [false, null, null],
  );
  assert.equal(made.length, 2);
});

Deno.test("the client reads changes up to the last page, and the next read starts at the cursor of that page", async () => {
  const { crm, made } = scripted([page([1], "a", true), page([2], "b", false)]);
  const cursors: unknown[] = [];
  for await (const page of crm.contacts.changes({ start: "beginning" }).pages()) {
    cursors.push(page.nextCursor);
  }
  assert.deepEqual(cursors, ["a", "b"]);
  // The client never sends the parameters `cursor` and `start` together.
  assert.deepEqual(made.map(({ url }) => url.search), ["?start=beginning", "?cursor=a"]);
});

Deno.test("`withResponse` also returns the HTTP response, for records, lists and sends", async () => {
  const headers = { "X-Request-Id": "r-3", "Idempotent-Replayed": "true" };
  const { crm } = scripted([json(201, { data: { id: ID } }, headers)]);
  const { data, response, requestId } = await crm.contacts.create({ phone: "+14155550178" })
    .withResponse();
  assert.deepEqual([data.id, response.status, requestId], [ID, 201, "r-3"]);
  assert.equal(response.headers.get("Idempotent-Replayed"), "true");
  const list = await scripted([EMPTY]).crm.contacts.list().withResponse();
  assert.deepEqual([list.data.data, list.response.status], [[], 200]);
});

Deno.test("a request is sent only once, even if its promise is awaited several times", async () => {
  const { crm, made } = scripted([RECORD]);
  const promise = crm.contacts.restore(ID);
  await promise;
  await promise.finally(() => {});
  await promise.withResponse();
  assert.equal(made.length, 1);
  const archived: void = await scripted([new Response(null, { status: 204 })]).crm.deals.archive(
    ID,
  );
  assert.equal(archived, undefined);
});
