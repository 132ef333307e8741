// Where the sign-in of @supabase/lite differs from Supabase Auth. Each correction fails here once lite no longer
// needs it.
import assert from "node:assert/strict";
import { decodeBase64Url } from "deno-std/encoding/base64url.js";
import { authHost } from "../../local/auth/auth.ts";
import { type Mail, mailbox } from "../../local/auth/mailbox.ts";
import { newPerson } from "../support/people.ts";
import { environment, stack, withDatabase } from "../support/test_stack.ts";

const ORIGIN = "http://127.0.0.1:54321";

/** Supabase Auth on the tests' database, as the local stack corrects it or as lite is. */
function startAuth(uncorrected: boolean) {
  const url = new URL(stack.database_url);
  url.username = "supabase_auth_admin";
  const { k: secret } = JSON.parse(environment().JWT_SIGNING_KEY);
  const kept = mailbox();
  const auth = authHost({
    url: url.href,
    origin: ORIGIN,
    jwtSecret: new TextDecoder().decode(decodeBase64Url(secret)),
    publishableKey: stack.publishable_key,
    secretKey: stack.secret_key,
    mailbox: kept,
    uncorrected,
  });
  const call = async (method: string, path: string, json?: unknown, token?: string) => {
    const answer = await auth.fetch(
      new Request(`${ORIGIN}/auth/v1${path}`, {
        method,
        headers: {
          apikey: stack.publishable_key,
          "Content-Type": "application/json",
          ...(token && { Authorization: `Bearer ${token}` }),
        },
        body: json === undefined ? null : JSON.stringify(json),
      }),
      "192.0.2.7",
    );
    const text = await answer.text();
    return { status: answer.status, body: text ? JSON.parse(text) : null };
  };
  const signIn = async (email: string, password: string) => {
    const { status, body } = await call("POST", "/token?grant_type=password", { email, password });
    assert.equal(status, 200);
    return body as { access_token: string; refresh_token: string };
  };
  const refresh = async (refresh_token: string) =>
    (await call("POST", "/token?grant_type=refresh_token", { refresh_token })).status;
  const mails = async (): Promise<Mail[]> =>
    await kept.fetch(new Request(ORIGIN, { headers: { Accept: "application/json" } })).json();
  return { call, signIn, refresh, mails, close: auth.close };
}

const corrected = startAuth(false);
const uncorrected = startAuth(true);
// The connections open before the first test, because a test must not leave one open.
await Promise.all([corrected, uncorrected].map(({ call }) => call("GET", "/health")));
await Promise.all(
  [corrected, uncorrected].map(({ call }) => call("POST", "/recover", { email: "a@b.example" })),
);
Deno.test.afterAll(async () => {
  await Promise.all([corrected.close(), uncorrected.close()]);
});

/** What some work prints. */
async function printed(work: () => Promise<unknown>): Promise<string> {
  const { log, info } = console;
  let text = "";
  console.log = console.info = (...words: unknown[]) => text += `${words.join(" ")}\n`;
  try {
    await work();
  } finally {
    Object.assign(console, { log, info });
  }
  return text;
}

Deno.test("a mailed link leads where it was asked for, and is kept for the page of mails", async () => {
  const place = `${ORIGIN}/settings/#/keys`;
  const path = `/recover?redirect_to=${encodeURIComponent(place)}`;
  const { email } = await newPerson({});
  assert.equal((await corrected.call("POST", path, { email })).status, 200);
  const [{ link, kind, to }] = await corrected.mails();
  assert.deepEqual([kind, to], ["recovery", email]);
  const { origin, pathname, searchParams } = new URL(link!);
  assert.equal(origin + pathname, `${ORIGIN}/auth/v1/verify`);
  assert.equal(searchParams.get("redirect_to"), place);

  const text = await printed(() => uncorrected.call("POST", path, { email }));
  assert.match(text, /redirect_to=[^&\s]+%2Fsettings%2F(\s|$)/);
});

Deno.test("a link makes no person where nobody may sign up", async () => {
  const ask = async (call: typeof corrected.call) => {
    const email = `${crypto.randomUUID()}@people.example`;
    const { status } = await call("POST", "/otp", { email });
    const made = await withDatabase(async (sql) =>
      (await sql`select from auth.users where email = ${email}`).length
    );
    return [status, made];
  };
  assert.deepEqual(await ask(corrected.call), [422, 0]);
  await printed(async () => assert.deepEqual(await ask(uncorrected.call), [200, 1]));
});

Deno.test("a new password ends every other session, and is not longer than what is compared", async () => {
  const change = async ({ call, signIn, refresh }: typeof corrected, password: string) => {
    const person = await newPerson({});
    const [mine, other] = await Promise.all([
      signIn(person.email, person.password),
      signIn(person.email, person.password),
    ]);
    const { status } = await call("PUT", "/user", { password }, mine.access_token);
    return [status, await refresh(mine.refresh_token), await refresh(other.refresh_token)];
  };
  assert.deepEqual(await change(corrected, "a new and longer one"), [200, 200, 400]);
  assert.deepEqual(await change(corrected, "x".repeat(73)), [400, 200, 200]);

  assert.deepEqual(await change(uncorrected, "x".repeat(73)), [200, 200, 200]);
});

Deno.test("a sign-out ends every session, unless another scope is asked for", async () => {
  const leave = async ({ call, signIn, refresh }: typeof corrected, path: string) => {
    const person = await newPerson({});
    const [mine, other] = [
      await signIn(person.email, person.password),
      await signIn(person.email, person.password),
    ];
    const { status } = await call("POST", path, undefined, mine.access_token);
    return [status, await refresh(mine.refresh_token), await refresh(other.refresh_token)];
  };
  assert.deepEqual(await leave(corrected, "/logout"), [204, 400, 400]);
  assert.deepEqual(await leave(corrected, "/logout?scope=local"), [204, 400, 200]);
  assert.deepEqual(await leave(corrected, "/logout?scope=others"), [204, 200, 400]);

  assert.deepEqual(await leave(uncorrected, "/logout"), [204, 400, 200]);
});

Deno.test("a member of another type is a 400 that names it, and null is as good as nothing", async () => {
  const { email, password } = await newPerson({});
  const { access_token } = await corrected.signIn(email, password);
  const wrong: [method: string, path: string, json: unknown, message: RegExp][] = [
    ["POST", "/token?grant_type=password", { email: 5, password }, /email is no string/],
    ["POST", "/token?grant_type=password", { email, password: ["a"] }, /password is no string/],
    ["POST", "/token?grant_type=refresh_token", { refresh_token: true }, /refresh_token is no/],
    ["POST", "/otp", { email: {} }, /email is no string/],
    ["POST", "/otp", { email, create_user: "no" }, /create_user is no boolean/],
    ["POST", "/recover", { email: "a\0@b.example" }, /email has a null character/],
    ["POST", "/recover", [], /it is no object/],
    ["POST", "/verify", { type: "recovery", token_hash: [] }, /token_hash is no string/],
    ["PUT", "/user", { password: 123456789 }, /password is no string/],
    ["PUT", "/user", { data: [] }, /data is no object/],
  ];
  for (const [method, path, json, message] of wrong) {
    const { status, body } = await corrected.call(method, path, json, access_token);
    assert.deepEqual([status, body.error_code], [400, "bad_json"], path);
    assert.match(body.msg, message);
  }
  const nothing = await corrected.call("PUT", "/user", { password: null }, access_token);
  assert.equal(nothing.status, 200);
  assert.equal(
    (await corrected.call("POST", "/recover", null)).body.error_code,
    "validation_failed",
  );

  const print = console.error;
  console.error = () => {};
  const taken = await uncorrected.call("POST", "/recover", { email: 5 }).finally(() =>
    console.error = print
  );
  assert.equal(taken.status, 500);
});
