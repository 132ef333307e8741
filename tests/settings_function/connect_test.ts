// Tests how an owner or admin connects a phone number on the settings page. The channel must
// confirm the token first. No response, log line or event contains any part of the token.

import assert from "node:assert/strict";
import { openToken } from "../../supabase/functions/_shared/credentials/credentials.ts";
import { newCompany, newMembers } from "../support/company.ts";
import { logged } from "../support/log_lines.ts";
import { watchedStack } from "../support/own_functions.ts";
import { secondFactorToken } from "../support/rest.ts";
import { credentialsKey, environment, stack, statement } from "../support/test_stack.ts";
import { templateChannel } from "../support/template_channel.ts";
import { refusal, TOKEN } from "../whatsapp/served.ts";
import { ownSettings } from "./own_settings.ts";

const DISPLAY = "+55 11 4002-8922";

/** Returns a phone number id that no other test connects. */
const anyNumber = () => `8${crypto.getRandomValues(new Uint32Array(1))[0]}${Date.now() % 100000}`;

const [own, other] = [await newCompany(), await newCompany()];
const [agent, admin] = await newMembers(own, "agent", "admin");

const connection = (changes: Record<string, unknown> = {}) => ({
  ...{ company_id: own.id, phone_number_id: anyNumber(), access_token: TOKEN, ...changes },
});

async function tokenOf(account: { id: string; phone_number_id: string }): Promise<string> {
  const [{ encrypted_token }] = await statement`
    select encrypted_token from messaging_accounts where id = ${account.id}
  `;
  return await openToken(
    encrypted_token,
    { company_id: own.id, phone_number_id: account.phone_number_id },
    [credentialsKey],
  );
}

Deno.test("owners and admins can connect a phone number, and the stored token can be decrypted only for its account", async () => {
  await using channel = templateChannel({ displayPhone: DISPLAY });
  const ask = await ownSettings(channel.url);
  for (const person of [own.member_id, admin]) {
    const sent = connection({ access_token: ` ${TOKEN}\n` });
    let answer!: Awaited<ReturnType<typeof ask>>;
    const lines = await logged(async () => {
      answer = await ask(person, "POST", "/accounts", sent, { "X-Forwarded-For": "203.0.113.9" });
    });
    assert.equal(answer.status, 200, answer.text);
    const { data } = answer.body;
    assert.deepEqual({ ...data, id: "" }, {
      ...{ id: "", company_id: own.id, display_phone: "+551140028922", disconnected_at: null },
      ...{ phone_number_id: sent.phone_number_id, business_account_id: "42", was_known: false },
      created_at: data.created_at,
    });
    assert.equal(await tokenOf(data), TOKEN);
    const [event] = await statement`
      select action, actor_id, client_address, company_events::text as text from company_events
      where account_id = ${data.id}
    `;
    const { text, ...rest } = event;
    assert.deepEqual(rest, {
      ...{ action: "account_connected", actor_id: person, client_address: "203.0.113.9" },
    });
    const said = [text, answer.text, JSON.stringify(lines)].join();
    assert.ok(!said.includes(TOKEN.slice(0, 12)) && !said.includes(".."), "no token anywhere");
  }
});

Deno.test("connecting a phone number again replaces its token", async () => {
  await using channel = templateChannel({ displayPhone: DISPLAY });
  const ask = await ownSettings(channel.url);
  const sent = connection();
  const first = await ask(admin, "POST", "/accounts", sent);
  const again = await ask(own.member_id, "POST", "/accounts", {
    ...sent,
    access_token: `${TOKEN}2`,
  });
  assert.deepEqual([again.body.data.id, again.body.data.was_known], [first.body.data.id, true]);
  assert.equal(await tokenOf(again.body.data), `${TOKEN}2`);
});

Deno.test("a token that arrives with an upper-case company id can be decrypted for its account", async () => {
  await using channel = templateChannel({ displayPhone: DISPLAY });
  const ask = await ownSettings(channel.url);
  const sent = connection({ company_id: own.id.toUpperCase() });
  const answer = await ask(admin, "POST", "/accounts", sent);
  assert.equal(answer.status, 200, answer.text);
  assert.equal(await tokenOf(answer.body.data), TOKEN);
});

Deno.test("requests of agents, other companies and API keys, and requests without a session, are refused before the channel is called", async () => {
  await using channel = templateChannel({ displayPhone: DISPLAY });
  const ask = await ownSettings(channel.url);
  const jwt = `${btoa('{"alg":"none"}')}.${btoa(`{"role":"authenticated","sub":"${admin}"}`)}.x`;
  const refused: [Parameters<typeof ask>[0], number, string][] = [
    [agent, 403, "not_allowed"],
    [other.member_id, 403, "not_allowed"],
    [crypto.randomUUID(), 403, "not_allowed"],
    [null, 401, "not_signed_in"],
    [{ bearer: own.keys.all }, 401, "not_signed_in"],
    [{ bearer: stack.publishable_key }, 401, "not_signed_in"],
    [{ bearer: environment().SUPABASE_SECRET_KEY }, 401, "not_signed_in"],
    [{ bearer: jwt.replaceAll("=", "") }, 401, "not_signed_in"],
  ];
  for (const [person, status, code] of refused) {
    const answer = await ask(person, "POST", "/accounts", connection());
    assert.deepEqual([answer.status, answer.body.code], [status, code], JSON.stringify(person));
    assert.ok(answer.body.request_id);
  }
  assert.deepEqual(channel.calls, []);
});

Deno.test("if the Data API refuses the function's own token, the log has the Data API's error, and the user is not asked to sign in", async () => {
  await using channel = templateChannel({ displayPhone: DISPLAY });
  const clocks = /^The clocks of the service and of its database differ/;
  const refused: [unknown, number, RegExp, string][] = [
    [{ code: "PGRST303", message: "JWT expired" }, 503, clocks, "clock_trouble"],
    [{ code: "PGRST301", message: "No suitable key" }, 500, /^Internal error$/, "request_failed"],
    [{ message: "Unauthorized" }, 500, /^Internal error$/, "request_failed"],
  ];
  for (const [answer, status, error, event] of refused) {
    await using database = watchedStack(({ url }) =>
      url.includes("/rpc/connect_messaging_account") ? Response.json(answer, { status: 401 }) : null
    );
    const ask = await ownSettings(channel.url, { supabaseUrl: database.url });
    const lines = await logged(async () => {
      const { status: given, body } = await ask(admin, "POST", "/accounts", connection());
      assert.equal(given, status, JSON.stringify(body));
      assert.match(body.error, error);
    });
    const { level, event: name, database: logs } = JSON.parse(lines.at(-1)!);
    const { code = "", message } = answer as Record<string, string>;
    assert.deepEqual([level, name, logs.code, logs.message], ["error", event, code, message]);
  }
});

Deno.test("if the session ends during a request, the response is a 401, whichever database call reports the end", async () => {
  await using channel = templateChannel({ displayPhone: DISPLAY });
  const ended = { code: "PT401", message: "The session has ended" };
  for (const name of ["managing_person", "connect_messaging_account"]) {
    await using database = watchedStack(({ url }) =>
      url.includes(`/rpc/${name}`) ? Response.json(ended, { status: 401 }) : null
    );
    const ask = await ownSettings(channel.url, { supabaseUrl: database.url });
    const { status, body } = await ask(admin, "POST", "/accounts", connection());
    assert.deepEqual([status, body.code], [401, "not_signed_in"], name);
  }
});

Deno.test("if the company requires a second factor, only a session with a second factor can connect a phone number", async () => {
  const company = await newCompany();
  await statement`update companies set managers_need_second_factor = true where id = ${company.id}`;
  await using channel = templateChannel({ displayPhone: DISPLAY });
  const ask = await ownSettings(channel.url);
  const sent = connection({ company_id: company.id });
  const { status, body } = await ask(company.member_id, "POST", "/accounts", sent);
  assert.deepEqual([status, body.code, channel.calls], [403, "not_allowed", []]);
  const bearer = await secondFactorToken(company.member_id);
  assert.equal((await ask({ bearer }, "POST", "/accounts", sent)).status, 200);
});

Deno.test("if the channel refuses the account, the response contains the reason, and nothing is stored", async () => {
  const reasons: [Response, string][] = [
    [refusal(190, "Invalid", {}, 401), "token_invalid"],
    [refusal(190, "Expired", { error_subcode: 463 }, 401), "token_expired"],
    [refusal(10, "No", {}, 403), "permission_missing"],
    [refusal(200, "No", {}, 403), "permission_missing"],
    [refusal(100, "Unsupported get request", { error_subcode: 33 }), "number_unknown"],
    [refusal(131031, "Locked"), "refused_otherwise"],
  ];
  for (const [response, reason] of reasons) {
    const sent = connection();
    await using channel = templateChannel({
      answer: ({ url }) => url.includes(sent.phone_number_id) ? response.clone() : null,
    });
    const ask = await ownSettings(channel.url);
    const { status, body } = await ask(admin, "POST", "/accounts", sent);
    assert.deepEqual([status, body.code, body.reason], [422, "account_refused", reason]);
    assert.match(body.error, /\. Nothing was stored$/);
    const rows = await statement`
      select from messaging_accounts where phone_number_id = ${sent.phone_number_id}
    `;
    assert.equal(rows.length, 0);
  }
});

Deno.test("a phone number is refused if its business account is unknown or differs from the id in the request", async () => {
  await using channel = templateChannel({
    displayPhone: DISPLAY,
    businessAccounts: [],
    answer: ({ url }) => url.includes("/77/phone_numbers") ? Response.json({ data: [] }) : null,
  });
  const ask = await ownSettings(channel.url);
  const unknown = await ask(admin, "POST", "/accounts", connection());
  assert.equal(unknown.body.reason, "business_account_unknown");
  const wrong = await ask(admin, "POST", "/accounts", connection({ business_account_id: "77" }));
  assert.equal(wrong.body.reason, "number_of_another_account");
  const right = await ask(admin, "POST", "/accounts", connection({ business_account_id: "42" }));
  assert.equal(right.status, 200);
});

Deno.test("a request to connect another company's phone number returns a conflict", async () => {
  await using channel = templateChannel({ displayPhone: DISPLAY });
  const ask = await ownSettings(channel.url);
  const { phone_number_id } = other;
  const { status, body } = await ask(admin, "POST", "/accounts", connection({ phone_number_id }));
  assert.deepEqual([status, body.code], [409, "conflict"]);
});

Deno.test("if the channel is down or hangs, the request fails within the time limit and nothing is stored", async () => {
  // This channel never finishes its responses, so the test does not wait until the channel's server
  // has closed.
  const hanging = templateChannel({ answer: () => new Promise(() => {}) });
  hanging.unref();
  await using down = templateChannel({ answer: () => new Response("Bad", { status: 502 }) });
  for (const url of [hanging.url, down.url, "http://127.0.0.1:9"]) {
    const ask = await ownSettings(url, { checkMs: 200 });
    const { status, body } = await ask(admin, "POST", "/accounts", connection());
    assert.deepEqual([status, body.code], [502, "channel_unavailable"]);
    assert.match(body.error, /Nothing was stored; try again later$/);
  }
});

Deno.test("an error names an invalid field, but does not repeat its value", async () => {
  const ask = await ownSettings();
  const wrong: [Record<string, unknown>, string][] = [
    [{ access_token: `${TOKEN} ${TOKEN}` }, "access_token"],
    [{ access_token: "" }, "access_token"],
    [{ phone_number_id: "+5511987654321" }, "phone_number_id"],
    [{ company_id: "mine" }, "company_id"],
    [{ role: "owner" }, "role"],
    [{ encrypted_token: "a..b.c.d" }, "encrypted_token"],
    [{ user_id: admin }, "user_id"],
  ];
  for (const [changes, field] of wrong) {
    const { status, body, text } = await ask(admin, "POST", "/accounts", connection(changes));
    assert.deepEqual([status, body.details[0].field], [422, field], text);
    assert.ok(!text.includes(TOKEN.slice(0, 12)));
  }
});

Deno.test("pages from any origin may call the function, and unknown paths and methods are refused", async () => {
  const ask = await ownSettings();
  const preflight = await ask(null, "OPTIONS", "/accounts", undefined, {
    "Access-Control-Request-Method": "POST",
    "Access-Control-Request-Headers": "authorization,content-type",
  });
  assert.equal(preflight.status, 204);
  assert.match(preflight.headers.get("Access-Control-Allow-Headers")!, /authorization/);
  for (const answer of [preflight, await ask(null, "POST", "/accounts", {})]) {
    assert.equal(answer.headers.get("Access-Control-Allow-Origin"), "*");
    assert.equal(answer.headers.get("Access-Control-Allow-Credentials"), null);
  }
  const got = await ask(admin, "GET", "/accounts");
  assert.deepEqual([got.status, got.headers.get("Allow")], [405, "POST"]);
  const { status, body } = await ask(admin, "POST", "/elsewhere");
  assert.deepEqual([status, body.code], [404, "route_not_found"]);
});
