// Tests how the functions count the requests made with each key, and when they report the counts.
import assert from "node:assert/strict";
import { readGatewayConfig } from "../../supabase/functions/gateway/gateway_config.ts";
import { api } from "../../supabase/functions/_shared/http/api.ts";
import { NOTHING } from "../../supabase/functions/_shared/http/answers.ts";
import { operation, replyInPieces } from "../../supabase/functions/_shared/http/operation.ts";
import { gateway } from "../../supabase/functions/gateway/app.ts";
import { anyPhone, type Company, newCompany } from "../support/company.ts";
import { keyIds } from "../support/key_usage.ts";
import { logged } from "../support/log_lines.ts";
import {
  backgroundWork,
  ownGateway,
  ownReplies,
  ownSender,
  watchedStack,
} from "../support/own_functions.ts";
import { accepted, ownChannel, template } from "../support/sending.ts";
import { until } from "../support/started.ts";
import { environment, statement, withDatabase } from "../support/test_stack.ts";

/** The request counts of a company's keys by status, and the latest errors, newest first. */
async function usageOf({ id }: Company) {
  return await withDatabase(async (sql) => {
    const counts = await sql`
      select status, sum(requests)::int as requests from api_key_usage where company_id = ${id} group by 1
    `;
    const errors = await sql`
      select key_id, status, code, method, operation, path, field, problem, requests[0] ->> 'id' as request_id
      from api_key_errors
      where company_id = ${id} order by last_at desc, id desc
    `;
    return {
      counts: Object.fromEntries(counts.map(({ status, requests }) => [status, requests])),
      errors: errors.map((error) => ({ ...error })),
    };
  });
}

/**
 * The response of a Data API that has no schema cache yet. This response means that certainly
 * nothing was written.
 */
const starting = () => Response.json({ code: "PGRST002", message: "starting" }, { status: 503 });
const isTelling = ({ url }: Request) => url.endsWith("/rpc/record_api_key_usage");

Deno.test("each response to a known key is counted by status, and errors are stored without the request's content", async () => {
  const company = await newCompany();
  const { keys, contact_id } = company;
  await using database = watchedStack();
  const request = await ownGateway(database.url);
  const contact = `/contacts/${contact_id}`;
  const { headers } = await request(keys.all, "GET", contact);
  const etag = headers.get("ETag")!;
  const secret = `secret${contact_id}`;
  const named = (id: string) => ({ "X-Request-Id": id });
  // The requests run one after the other, so that the order of the errors is known.
  const wrong = [
    await request(keys.all, "GET", `/contacts/${crypto.randomUUID()}`, undefined, named("1")),
    await request(keys.all, "GET", `/contacts?name[contains]=${secret}&x=1`, undefined, named("2")),
    await request(keys.all, "POST", "/contacts", { phone: secret }, named("3")),
    await request(keys.all, "GET", `/${secret}`, undefined, named("4")),
    await request(keys.all, "DELETE", "/search", undefined, named("5")),
    await request(keys.read, "POST", "/contacts", { phone: anyPhone() }, named("6")),
    await request(keys.all, "GET", contact, undefined, named("7")),
  ];
  assert.deepEqual(wrong.map(({ status }) => status), [404, 422, 422, 404, 405, 403, 200]);
  assert.equal((await request(keys.all, "GET", `${contact}/export`)).status, 200);
  const items = [{ title: "" }, {}];
  assert.equal((await request(keys.all, "POST", "/deals/batch", { items })).status, 200);
  assert.equal((await notModified(database.url, keys.all, contact, etag)).status, 304);
  await backgroundWork();

  const { counts, errors } = await usageOf(company);
  assert.deepEqual(counts, { 200: 4, 304: 1, 403: 1, 404: 2, 405: 1, 422: 2 });
  const ids = await withDatabase((sql) => keyIds(sql, company));
  const told = errors.map(({ key_id, request_id, status, code, method, operation, path }) =>
    [request_id, status, code, method, operation, path, key_id === ids.read ? "read" : ""].join(" ")
  );
  assert.deepEqual(told, [
    "6 403 insufficient_scope POST createContact /gateway/contacts read",
    "5 405 method_not_allowed DELETE   ",
    "4 404 route_not_found GET   ",
    "3 422 invalid_request POST createContact /gateway/contacts ",
    "2 422 invalid_request GET listContacts /gateway/contacts ",
    "1 404 not_found GET getContact /gateway/contacts/{id} ",
  ]);
  assert.deepEqual(errors.slice(3).map(({ field, problem }) => [field, problem.slice(0, 60)]), [
    ["phone", "must be in E.164 format with a leading plus sign, such as +5"],
    [null, "is not a parameter that is accepted here; the accepted names"],
    [null, "Contact not found"],
  ]);
  assert.ok(!JSON.stringify(database.told).includes("secret"));
});

/** Requests a record with its `ETag`, so the response is a 304. */
async function notModified(supabaseUrl: string, key: string, path: string, etag: string) {
  const config = await readGatewayConfig(environment({ supabaseUrl }));
  return await gateway(config).request(`/gateway${path}`, {
    headers: { Authorization: `Bearer ${key}`, "If-None-Match": etag },
  });
}

Deno.test("requests with an unknown key or without a key are not counted", async () => {
  const company = await newCompany();
  await using database = watchedStack();
  const request = await ownGateway(database.url);
  for (const key of ["sk_live_wrong", "no key"]) {
    for (const path of ["/contacts", "/nowhere", `/contacts/${company.contact_id}`]) {
      assert.equal((await request(key, "GET", path)).status, 401);
    }
  }
  assert.equal((await request("", "GET", "/health")).status, 200);
  assert.equal((await request("", "OPTIONS", "/contacts")).status, 401);
  // The gateway refuses this request without a database statement and so cannot know whether the
  // key is valid.
  const busy = await ownGateway(database.url, 10_000, {
    strangerShare: { atOnce: 0, waiting: 0, patienceMs: 0, placeMs: 0 },
  });
  assert.equal((await busy(company.keys.all, "GET", "/contacts")).status, 429);
  await backgroundWork();
  assert.deepEqual(database.told, []);
});

Deno.test("requests with an inactive key and requests while the database is down are counted", async () => {
  const company = await newCompany();
  const { keys } = company;
  let isDown = false;
  await using database = watchedStack((request) =>
    isDown && !isTelling(request) ? new Response(null, { status: 503 }) : null
  );
  const request = await ownGateway(database.url);
  const statusOf = async (key: string) => (await request(key, "GET", "/contacts")).status;
  await withDatabase(async (sql) => {
    const ended = sql`update api_keys set is_active = false where company_id = ${company.id}`;
    await sql`${ended} and scopes = '{read}'`;
  });
  assert.equal(await statusOf(keys.read), 401);
  assert.equal(await statusOf(keys.all), 200);
  await until(() => database.seen.some(({ path }) => path.endsWith("/authenticate")));
  await backgroundWork();
  isDown = true;
  await logged(async () => {
    assert.equal(await statusOf(keys.all), 503);
    assert.equal(await statusOf("sk_live_unknown"), 503);
  });
  await backgroundWork();
  const { counts, errors } = await usageOf(company);
  assert.deepEqual(counts, { 200: 1, 401: 1, 503: 1 });
  assert.deepEqual(errors.map(({ code }) => code), ["database_unavailable", "invalid_api_key"]);

  isDown = false;
  await statusOf(keys.all);
  await statement`delete from api_keys where company_id = ${company.id}`;
  await statusOf(keys.all);
  await backgroundWork();
  assert.deepEqual((await usageOf(company)).counts, {});
});

Deno.test("requests that arrive during a usage report are all counted, and the next report contains them", async () => {
  const company = await newCompany();
  const { keys } = company;
  const gate = Promise.withResolvers<void>();
  await using database = watchedStack(async (request) => {
    if (isTelling(request)) await gate.promise;
    return null;
  });
  const request = await ownGateway(database.url, 10_000, { tellUsageEveryMs: 1 });
  const ask = () => request(keys.all, "GET", "/stages");
  await ask();
  await until(() => database.told.length === 1);
  // The report hangs in the database, but no response waits for the report.
  const answers = await Promise.all(Array.from({ length: 20 }, ask));
  assert.ok(answers.every(({ status }) => status === 200));
  assert.equal(database.told.length, 1);
  gate.resolve();
  await until(() => database.told.length === 2);
  await backgroundWork();
  assert.deepEqual((await usageOf(company)).counts, { 200: 21 });
  assert.equal(database.told.length, 2);
  const [{ usage: [first] }, { usage: [second], errors }] = database.told;
  assert.deepEqual([first.requests, second.requests, errors], [1, 20, []]);
});

Deno.test("a failed usage report is repeated, unless the report was refused or may have been stored", async () => {
  const lost = () => new Response(null, { status: 504 });
  const refused = () => Response.json({ code: "22P02", message: "wrong" }, { status: 400 });
  const cases: [() => Response, number][] = [[starting, 2], [lost, 1], [refused, 1]];
  for (const [failure, expected] of cases) {
    const company = await newCompany();
    await using database = watchedStack(async (request) => {
      if (!isTelling(request) || database.told.length > 1) return null;
      if (failure === lost) await (await database.forward(request)).body?.cancel();
      return failure();
    });
    const request = await ownGateway(database.url);
    const ask = (id?: string) =>
      request(company.keys.all, "GET", "/stages", undefined, id ? { "X-Request-Id": id } : {});
    const id = crypto.randomUUID();
    const lines = await logged(async () => {
      await ask(id);
      await backgroundWork();
    }, { withUsage: true });
    const failed = lines.filter((line) => line.includes(id)).map((line) => JSON.parse(line));
    assert.deepEqual(
      failed.map(({ event, requests, will_be_told_again }) => {
        return { event, requests, will_be_told_again };
      }),
      [{ event: "usage_not_recorded", requests: 1, will_be_told_again: failure === starting }],
    );
    await ask();
    await backgroundWork();
    assert.equal(database.told.length, 2);
    assert.deepEqual(database.told.map(({ usage }) => usage[0].requests), [
      1,
      failure === starting ? 2 : 1,
    ]);
    // The counts may be lower than the real number of requests, but never higher.
    assert.equal((await usageOf(company)).counts[200], failure === lost ? 2 : expected);
  }
});

Deno.test("template sends and replies are counted too", async () => {
  const company = await newCompany();
  await using database = watchedStack();
  await using channel = ownChannel(() => accepted());
  const { messaging } = company.keys;
  const supabaseUrl = database.url;
  const send = await ownSender(channel.url, { supabaseUrl });
  assert.equal((await send(messaging, template(anyPhone()))).status, 200);
  assert.equal((await send(messaging, {})).status, 422);
  const answer = await ownReplies(channel.url, { supabaseUrl });
  assert.equal((await answer(messaging, { conversation_id: crypto.randomUUID() })).status, 422);
  await backgroundWork();
  const { counts, errors } = await usageOf(company);
  assert.deepEqual(counts, { 200: 1, 422: 2 });
  assert.deepEqual(errors.map(({ operation }) => operation).sort(), [
    "sendExternalTemplate",
    "sendReply",
  ]);
});

Deno.test("a streamed response is counted when it begins, even if it breaks off later", async () => {
  const company = await newCompany();
  await using database = watchedStack();
  const config = await readGatewayConfig(environment({ supabaseUrl: database.url }));
  // deno-lint-ignore require-yield
  const pieces = async function* (): AsyncGenerator<string> {
    throw new Error("broke off");
  };
  const streamed = operation(
    {
      id: "stream",
      method: "GET",
      path: "/stream",
      scope: "read",
      answers: () => ({ 200: NOTHING }),
    },
    () => Promise.resolve(replyInPieces(200, pieces())),
  );
  const app = api(config, { name: "own", operations: [streamed], scopeOf: () => "read" });
  await logged(async () => {
    const { status, body } = await app.request("/own/stream", {
      headers: { Authorization: `Bearer ${company.keys.read}` },
    });
    assert.equal(status, 200);
    await assert.rejects(Array.fromAsync(body!));
    await backgroundWork();
  });
  assert.deepEqual(await usageOf(company), { counts: { 200: 1 }, errors: [] });
});
