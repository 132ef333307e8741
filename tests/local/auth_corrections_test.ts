// Tests the corrections that make sign-in with @supabase/lite behave like Supabase Auth.
import assert from "node:assert/strict";
import { decodeBase64Url, encodeBase64Url } from "deno-std/encoding/base64url.js";
import { authHost } from "../../local/auth/auth.ts";
import { type Mail, mailbox } from "../../local/auth/mailbox.ts";
import { newPerson } from "../support/people.ts";
import { environment, stack } from "../support/test_stack.ts";

const ORIGIN = "http://127.0.0.1:54321";

/** Supabase Auth on the tests' database. */
function startAuth() {
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
    const location = URL.parse(answer.headers.get("Location") ?? "");
    return { status: answer.status, body: text ? JSON.parse(text) : null, location };
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

const { call, signIn, refresh, mails, close } = startAuth();
// These requests open the database connection before the first test. A connection that a test opens
// must not remain open after the test.
await call("GET", "/health");
await call("POST", "/recover", { email: "a@b.example" });
Deno.test.afterAll(close);

Deno.test("for a PKCE request, the link redirects with a code that only the same browser can use", async () => {
  const { email, id } = await newPerson({});
  const verifier = "v".repeat(43);
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
  const challenge = { code_challenge: encodeBase64Url(digest), code_challenge_method: "s256" };
  assert.equal((await call("POST", "/otp", { email, ...challenge })).status, 200);
  const [{ link }] = await mails();
  const { pathname, search } = new URL(link!);
  const verify = pathname.replace("/auth/v1", "") + search;
  const { location } = await call("GET", verify);
  assert.deepEqual([location!.hash, [...location!.searchParams.keys()]], ["", ["code"]]);
  const exchange = (auth_code: string, code_verifier: string) =>
    call("POST", "/token?grant_type=pkce", { auth_code, code_verifier });
  const code = location!.searchParams.get("code")!;
  const outcomes = [];
  for (const [given, by] of [[code, "w".repeat(43)], [crypto.randomUUID(), verifier], [code, ""]]) {
    const { status, body } = await exchange(given, by);
    outcomes.push([status, body.error_code]);
  }
  assert.deepEqual(
    outcomes,
    [[400, "bad_code_verifier"], [404, "flow_state_not_found"], [400, "validation_failed"]],
  );
  assert.equal((await exchange(code, verifier)).body.user.id, id);
  assert.equal((await exchange(code, verifier)).status, 404);
  const again = await call("GET", verify);
  assert.equal(again.location!.searchParams.get("error_code"), "otp_expired");
  assert.match(again.location!.hash, /error_code=otp_expired/);
});

Deno.test("a sign-out ends all sessions of the user unless the request names another scope", async () => {
  const leave = async (path: string) => {
    const person = await newPerson({});
    const [mine, other] = [
      await signIn(person.email, person.password),
      await signIn(person.email, person.password),
    ];
    const { status } = await call("POST", path, undefined, mine.access_token);
    return [status, await refresh(mine.refresh_token), await refresh(other.refresh_token)];
  };
  assert.deepEqual(await leave("/logout"), [204, 400, 400]);
  assert.deepEqual(await leave("/logout?scope=local"), [204, 400, 200]);
  assert.deepEqual(await leave("/logout?scope=others"), [204, 200, 400]);
});

Deno.test("if a member of the body has the wrong type, a 400 names the member, and null counts as a missing member", async () => {
  const { email, password } = await newPerson({});
  const { access_token } = await signIn(email, password);
  const wrong: [method: string, path: string, json: unknown, message: RegExp][] = [
    ["POST", "/token?grant_type=password", { email: 5, password }, /email is not of the type s/],
    [
      "POST",
      "/token?grant_type=password",
      { email, password: [] },
      /password is not of the type s/,
    ],
    ["POST", "/token?grant_type=refresh_token", { refresh_token: true }, /refresh_token is no/],
    ["POST", "/otp", { email: {} }, /email is not of the type string/],
    ["POST", "/otp", { email, create_user: "no" }, /create_user is not of the type boolean/],
    ["POST", "/recover", { email: "a\0@b.example" }, /email has a null character/],
    ["POST", "/recover", [], /it is not an object/],
    ["POST", "/verify", { type: "recovery", token_hash: [] }, /token_hash is not of the type s/],
    ["PUT", "/user", { password: 123456789 }, /password is not of the type string/],
    ["PUT", "/user", { data: [] }, /data is not of the type object/],
  ];
  for (const [method, path, json, message] of wrong) {
    const { status, body } = await call(method, path, json, access_token);
    assert.deepEqual([status, body.error_code], [400, "bad_json"], path);
    assert.match(body.msg, message);
  }
  const nothing = await call("PUT", "/user", { password: null }, access_token);
  assert.equal(nothing.status, 200);
  assert.equal((await call("POST", "/recover", null)).body.error_code, "validation_failed");
});
