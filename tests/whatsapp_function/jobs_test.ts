import assert from "node:assert/strict";
import { whatsapp } from "../../supabase/functions/whatsapp/app.ts";
import { readWhatsappConfig } from "../../supabase/functions/whatsapp/whatsapp_config.ts";
import { disconnectAccounts } from "../support/company.ts";
import { logged } from "../support/log_lines.ts";
import { ownWhatsapp } from "../support/own_functions.ts";
import { until } from "../support/started.ts";
import { imageTemplate, listedTemplate, templateChannel } from "../support/template_channel.ts";
import { environment, stack, statement, withDatabase } from "../support/test_stack.ts";
import { companyWithCatalogue, lastRunOf, mediaOf, runsOf, templatesOf } from "./own_account.ts";

const NAMES = ["a", "b", "c"].map((name) => listedTemplate(name));

Deno.test("a synchronisation stores the channel's templates and uploads their header media", async () => {
  const company = await companyWithCatalogue();
  await using channel = templateChannel({ pageSize: 2 });
  channel.templates = [...NAMES, imageTemplate("offer", channel.sample("offer.png"))];
  const run = await ownWhatsapp(channel.url);
  const { status, headers, body } = await run("template-sync", company.account_id);
  assert.deepEqual([status, body], [202, {
    data: { job: "template-sync", account_id: company.account_id },
  }]);
  assert.ok(headers.get("X-Request-Id"));
  assert.equal(headers.get("Cache-Control"), "no-store");
  assert.deepEqual(
    (await templatesOf(company)).map(({ name, status }) => [name, status]),
    [["a", "APPROVED"], ["b", "APPROVED"], ["c", "APPROVED"], ["offer", "APPROVED"]],
  );
  const [media, ...others] = await mediaOf(company);
  assert.deepEqual(
    [media.account_id, media.media_id, others.length],
    [company.account_id, "media1", 0],
  );
  assert.equal(channel.uploads[0].phoneNumberId, company.phone_number_id);
  const runs = await runsOf(company);
  assert.deepEqual(runs.map(({ job, failure, ended_at }) => [job, failure, ended_at !== null]), [
    ["template-sync", null, true],
    ["template-media", null, true],
  ]);
  assert.deepEqual(runs.map(({ result }) => result), [
    { templates: 4, added: 4, changed: 0, removed: 0 },
    { uploaded: 1, failed: [] },
  ]);

  await run("template-sync", company.account_id);
  const [{ result }, { result: none }] = [
    await lastRunOf(company),
    await lastRunOf(company, "template-media"),
  ];
  assert.deepEqual([result.templates, result.added], [4, 0]);
  assert.deepEqual(none, { uploaded: 0, failed: [] });
});

Deno.test("if the channel's list is incomplete, the run changes nothing and stores the reason", async () => {
  const company = await companyWithCatalogue();
  let isBroken = false;
  await using channel = templateChannel({
    templates: NAMES,
    pageSize: 2,
    answer: ({ url }) =>
      isBroken && url.includes("after=") ? new Response("down", { status: 503 }) : null,
  });
  const run = await ownWhatsapp(channel.url);
  assert.equal((await run("template-sync", company.account_id)).status, 202);
  const before = await templatesOf(company);

  isBroken = true;
  channel.templates = [listedTemplate("a", { status: "PAUSED" }), ...NAMES.slice(1)];
  assert.equal((await run("template-sync", company.account_id)).status, 202);
  const sentence = `The channel did not list the templates of business account ` +
    `${company.business_account_id} (HTTP 503)`;
  assert.deepEqual(await templatesOf(company), before);
  assert.equal((await lastRunOf(company)).failure, sentence);
  const [catalogue] =
    await statement`select failures, sync_due_at > now() as is_later from template_catalogues
      where company_id = ${company.id}`;
  assert.deepEqual({ ...catalogue }, { failures: 1, is_later: true });

  isBroken = false;
  await run("template-sync", company.account_id);
  assert.equal((await lastRunOf(company)).result.changed, 1);
});

Deno.test("if the token cannot be decrypted, the run fails without a request to the channel", async () => {
  const company = await companyWithCatalogue();
  const other = await companyWithCatalogue();
  await statement`update messaging_accounts set encrypted_token = ${other.sealed_token}
      where id = ${company.account_id}`;
  await using channel = templateChannel({ templates: NAMES });
  const run = await ownWhatsapp(channel.url);
  await run("template-sync", company.account_id);
  assert.match((await lastRunOf(company)).failure, /^The token is sealed for another account /);
  assert.deepEqual(channel.calls, []);
});

Deno.test("a run for an account without a business account fails with an error that says what to do", async () => {
  const company = await companyWithCatalogue();
  await statement`
    update messaging_accounts set business_account_id = null where id = ${company.account_id}
  `;
  await using channel = templateChannel({ templates: NAMES });
  const run = await ownWhatsapp(channel.url);
  await run("template-sync", company.account_id);
  const { failure } = await lastRunOf(company);
  assert.match(failure, /connect the account again with --business-account-id$/);
  assert.deepEqual(channel.calls, []);
});

Deno.test("of two simultaneous calls for an account's job, one runs the job and the other is refused", async () => {
  const company = await companyWithCatalogue();
  const [asked, mayAnswer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await using channel = templateChannel({
    templates: NAMES,
    async answer() {
      asked.resolve();
      await mayAnswer.promise;
      return null;
    },
  });
  const run = await ownWhatsapp(channel.url);
  const first = run("template-sync", company.account_id);
  await asked.promise;
  const second = await run("template-sync", company.account_id);
  assert.deepEqual([second.status, second.body.code], [409, "job_running"]);
  // Another job for the same account can still run.
  assert.equal((await run("template-media", company.account_id)).status, 202);
  mayAnswer.resolve();
  assert.equal((await first).status, 202);
  assert.equal((await run("template-sync", company.account_id)).status, 202);
});

Deno.test("a call of a job gets its response as soon as the run has begun", async () => {
  const company = await companyWithCatalogue();
  const mayAnswer = Promise.withResolvers<null>();
  await using channel = templateChannel({ answer: () => mayAnswer.promise });
  const app = whatsapp(await readWhatsappConfig(environment({ channelUrl: channel.url })));
  const { status } = await app.request("http://edge/whatsapp/jobs/template-sync", {
    method: "POST",
    headers,
    body: JSON.stringify({ account_id: company.account_id }),
  });
  assert.equal(status, 202);
  assert.deepEqual((await runsOf(company)).map(({ ended_at }) => ended_at), [null]);
  mayAnswer.resolve(null);
  await until(async () => (await runsOf(company)).every(({ ended_at }) => ended_at !== null));
});

Deno.test("a run fails if the channel hangs", async () => {
  const company = await companyWithCatalogue();
  const over = Promise.withResolvers<null>();
  await using channel = templateChannel({ answer: () => over.promise });
  const run = await ownWhatsapp(channel.url);
  const { timeout } = AbortSignal;
  // A run waits ten seconds for a channel response. The test shortens this time.
  AbortSignal.timeout = (ms) => timeout.call(AbortSignal, ms === 10_000 ? 100 : ms);
  await run("template-sync", company.account_id);
  AbortSignal.timeout = timeout;
  over.resolve(null);
  assert.match(
    (await lastRunOf(company)).failure,
    /^The channel did not list the templates .*TimeoutError/,
  );
  assert.ok((await runsOf(company))[0].ended_at);
});

Deno.test("a call for an unknown job, or for an unknown or disconnected account, returns a 404", async () => {
  const company = await companyWithCatalogue();
  await using channel = templateChannel();
  const run = await ownWhatsapp(channel.url);
  for (const name of ["nothing", "constructor", "template_sync"]) {
    const { status, body } = await run(name, company.account_id);
    assert.deepEqual([status, body.code], [404, "not_found"], name);
    assert.match(body.error, /the jobs are channel-events, template-sync, template-media$/);
  }
  await withDatabase((sql) => disconnectAccounts(sql, company.id));
  for (const id of [company.account_id, crypto.randomUUID()]) {
    for (const job of ["template-sync", "template-media"]) {
      const { status, body } = await run(job, id);
      assert.deepEqual(
        [status, body.code, body.error],
        [404, "not_found", "No connected account has this id"],
      );
    }
  }
});

/** Calls the stack's function. */
async function call(path: string, init: RequestInit = {}) {
  const response = await fetch(`${stack.whatsapp_url}${path}`, { method: "POST", ...init });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: text ? JSON.parse(text) : null,
  };
}

const { JOBS_SECRET } = environment();
const headers = { Authorization: `Bearer ${JOBS_SECRET}`, "Content-Type": "application/json" };

Deno.test("only callers with the correct secret learn what is wrong with a request", async () => {
  const { account_id } = await companyWithCatalogue();
  const body = JSON.stringify({ account_id });
  const wrong = [
    {},
    { Authorization: "" },
    { Authorization: "Bearer " },
    { Authorization: JOBS_SECRET },
    { Authorization: `Bearer ${JOBS_SECRET}x` },
    { Authorization: `Bearer ${JOBS_SECRET.slice(1)}` },
    { Authorization: `Bearer ${stack.secret_key}` },
    { "X-Api-Key": JOBS_SECRET },
  ] as Record<string, string>[];
  for (const headers of wrong) {
    for (const [path, method] of [["/jobs/template-sync", "POST"], ["/jobs/x", "GET"]]) {
      const { status, body: answer, headers: answered } = await call(path, {
        method,
        headers,
        ...(method === "POST" && { body }),
      });
      assert.deepEqual(
        [status, answer.code, answer.error],
        [401, "invalid_jobs_secret", "Missing or wrong jobs secret"],
      );
      assert.equal(answer.request_id, answered.get("X-Request-Id"));
    }
  }
  const get = await call("/jobs/template-sync", { method: "GET", headers });
  assert.deepEqual([get.status, get.headers.get("Allow")], [405, "POST"]);
  const bodies: [string | undefined, string][] = [
    [undefined, "body"],
    ["[]", "body"],
    ["{}", "account_id"],
    ['{"account_id":"1"}', "account_id"],
    [JSON.stringify({ account_id, more: 1 }), "more"],
  ];
  for (const [body, field] of bodies) {
    const { status, body: answer } = await call("/jobs/template-sync", { headers, body });
    assert.deepEqual([status, answer.code], [422, "invalid_request"], body);
    if (field !== "body") assert.equal(answer.details[0].field, field);
  }
  const other = await call("/nothing", { headers });
  assert.deepEqual([other.status, other.body.code], [404, "route_not_found"]);
});

Deno.test("without `JOBS_SECRET`, the function runs no jobs and logs one line about the missing secret", async () => {
  const config = await readWhatsappConfig({ ...environment(), JOBS_SECRET: "" });
  const app = whatsapp(config);
  const ask = () =>
    app.request("http://edge/whatsapp/jobs/template-sync", { method: "POST", headers });
  const lines = await logged(async () => {
    for (const answer of [await ask(), await ask()]) {
      assert.equal(answer.status, 503);
      assert.equal((await answer.json()).code, "jobs_not_configured");
    }
  });
  assert.deepEqual(lines.map((line) => JSON.parse(line).event), ["jobs_not_configured"]);
});

Deno.test("a run writes one log line, and the line never contains a token", async () => {
  const company = await companyWithCatalogue();
  await using channel = templateChannel({ templates: NAMES });
  const run = await ownWhatsapp(channel.url);
  const lines = await logged(async () => {
    await run("template-sync", company.account_id);
    channel.templates = [];
    await statement`
      update messaging_accounts set business_account_id = null where id = ${company.account_id}
    `;
    await run("template-media", company.account_id);
  });
  const [good, bad, ...others] = lines.map((line) => JSON.parse(line));
  assert.equal(others.length, 0);
  const { ms, request_id, ...facts } = good;
  assert.ok(ms >= 0 && request_id);
  assert.deepEqual(facts, {
    level: "info",
    event: "job",
    job: "template-sync",
    account_id: company.account_id,
    outcome: "done",
    templates: 3,
    added: 3,
    changed: 0,
    removed: 0,
    media: { uploaded: 0, failed: [] },
  });
  assert.deepEqual([bad.level, bad.outcome], ["warn", "failed"]);
  assert.match(bad.failure, /business account/);
});

Deno.test("a synchronisation stores the quality and the limit of each phone number in the business account", async () => {
  const company = await companyWithCatalogue();
  const numbers = [
    { id: company.phone_number_id, quality_rating: "RED" },
    { id: "42", quality_rating: "GREEN" },
    null,
  ];
  const limit = { whatsapp_business_manager_messaging_limit: "TIER_1K" };
  let answer = () =>
    Response.json({ data: numbers.map((number) => number && { ...number, ...limit }) });
  await using channel = templateChannel({
    templates: NAMES,
    answer: ({ url }) => url.includes("/phone_numbers") ? answer() : null,
  });
  const run = await ownWhatsapp(channel.url);
  const health = async () => {
    const [row] = await statement`
      select quality_rating, messaging_limit from account_health where account_id = ${company.account_id}
    `;
    return { ...row };
  };
  assert.equal((await run("template-sync", company.account_id)).status, 202);
  assert.deepEqual(await health(), { quality_rating: "RED", messaging_limit: "TIER_1K" });
  // The templates are stored even if the channel does not list the phone numbers.
  answer = () => new Response("down", { status: 503 });
  assert.equal((await run("template-sync", company.account_id)).status, 202);
  assert.deepEqual(await health(), { quality_rating: "RED", messaging_limit: "TIER_1K" });
});

Deno.test("if the channel refuses a synchronisation because of the account, the account has a notice until a synchronisation succeeds", async () => {
  const company = await companyWithCatalogue();
  let isRefused = true;
  await using channel = templateChannel({
    templates: NAMES,
    answer: () =>
      isRefused
        ? Response.json({ error: { code: 190, message: "Expired" } }, { status: 401 })
        : null,
  });
  const run = await ownWhatsapp(channel.url);
  const notices = async () => {
    const rows = await statement`
      select kind, event from account_notices where account_id = ${company.account_id}
    `;
    return rows.map(({ kind, event }) => [kind, event]);
  };
  assert.equal((await run("template-sync", company.account_id)).status, 202);
  assert.deepEqual(await notices(), [["reading_refusal", "190"]]);
  isRefused = false;
  assert.equal((await run("template-sync", company.account_id)).status, 202);
  assert.deepEqual(await notices(), []);
});
