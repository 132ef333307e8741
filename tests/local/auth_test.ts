// Tests that users can sign in to the local stack with the client that the settings page uses.
import assert from "node:assert/strict";
import { decodeJwt } from "jose";
import { readPage } from "../docs/pages.ts";
import { newCompany } from "../support/company.ts";
import { followed, mailsTo } from "../support/mails.ts";
import { anyClient, newPerson, signIn } from "../support/people.ts";
import { personToken, rest, token } from "../support/rest.ts";
import { stack, withDatabase } from "../support/test_stack.ts";

/** The HTTP status and the error code of a failed client call. */
const failure = (error: { status?: number; code?: string } | null) => [error?.status, error?.code];

/** Calls /auth/v1 directly, without the client. */
async function call(
  method: string,
  path: string,
  { json, headers = { apikey: stack.publishable_key } }: {
    json?: unknown;
    headers?: Record<string, string>;
  } = {},
) {
  const answer = await fetch(`${stack.url}/auth/v1${path}`, {
    method,
    headers: { ...headers, ...(json !== undefined && { "Content-Type": "application/json" }) },
    body: json === undefined ? null : JSON.stringify(json),
  });
  const text = await answer.text();
  const isJson = answer.headers.get("Content-Type")?.includes("json");
  return { status: answer.status, headers: answer.headers, body: isJson ? JSON.parse(text) : text };
}

Deno.test("a user signs in with a password and sees only the rows of their own company", async () => {
  const [company] = await Promise.all([newCompany(), newCompany()]);
  const person = await newPerson({ company: company.id, role: "owner", name: "Ada" });
  const { client } = await signIn({ ...person, email: person.email.toUpperCase() });
  const { data, error } = await client.from("api_keys").select("company_id");
  assert.equal(error, null);
  assert.deepEqual(data!.map((key) => key.company_id), Array(5).fill(company.id));
  const { data: { user } } = await client.auth.getUser();
  assert.deepEqual([user?.id, user?.email], [person.id, person.email]);
});

Deno.test("a wrong password and an unknown e-mail address return the same error", async () => {
  const person = await newPerson({});
  const { password } = person;
  const wrong = [{ ...person, password: "another" }, { email: "nobody@people.example", password }];
  const answers = wrong.map(({ email, password }) =>
    call("POST", "/token?grant_type=password", { json: { email, password } })
  );
  for (const { status, body } of await Promise.all(answers)) {
    assert.equal(status, 400);
    assert.deepEqual(
      body,
      { code: 400, error_code: "invalid_credentials", msg: "Invalid login credentials" },
    );
  }
});

Deno.test("a session can be refreshed until the user signs out", async () => {
  const { client, token } = await signIn(await newPerson({}));
  const { data: { session: first } } = await client.auth.getSession();
  const { data: { session: next }, error } = await client.auth.refreshSession();
  assert.equal(error, null);
  assert.notEqual(next!.refresh_token, first!.refresh_token);
  assert.equal(next!.expires_in, 3600);
  assert.equal((await client.auth.getUser(next!.access_token)).error, null);

  assert.equal((await client.auth.signOut()).error, null);
  for (const { refresh_token } of [first!, next!]) {
    const refused = await anyClient().auth.refreshSession({ refresh_token });
    assert.deepEqual(failure(refused.error), [400, "refresh_token_not_found"]);
  }
  const headers = { apikey: stack.publishable_key, Authorization: `Bearer ${token}` };
  const { status, body } = await call("GET", "/user", { headers });
  assert.deepEqual([status, body.error_code], [403, "session_not_found"]);
});

Deno.test("a magic link signs the user in once, on the page that requested the link", async () => {
  const { email, id } = await newPerson({});
  const emailRedirectTo = `${stack.url}/settings/?from=mail`;
  const asked = await anyClient().auth.signInWithOtp({
    email,
    options: { emailRedirectTo, shouldCreateUser: false },
  });
  assert.equal(asked.error, null);
  const [mail, ...others] = await mailsTo(email);
  assert.deepEqual([mail.kind, others], ["magic_link", []]);
  assert.ok(Math.abs(Date.parse(mail.at) - Date.now()) < 60_000);

  const place = await followed(mail.link!);
  assert.equal(place.href.split("#")[0], emailRedirectTo);
  const given = new URLSearchParams(place.hash.slice(1));
  assert.deepEqual([given.get("type"), given.get("token_type")], ["magiclink", "bearer"]);
  const { data, error } = await anyClient().auth.setSession({
    access_token: given.get("access_token")!,
    refresh_token: given.get("refresh_token")!,
  });
  assert.deepEqual([error, data.user?.id], [null, id]);

  const again = new URLSearchParams((await followed(mail.link!)).hash.slice(1));
  assert.deepEqual([again.get("error_code"), again.get("access_token")], ["otp_expired", null]);
});

Deno.test("a link never redirects to a URL with another origin", async () => {
  const { email } = await newPerson({});
  for (const stranger of ["https://evil.example/", "//evil.example", "javascript:alert(1)"]) {
    await anyClient().auth.resetPasswordForEmail(email, { redirectTo: stranger });
    const [{ link }] = await mailsTo(email);
    assert.equal((await followed(link!)).href.split("#")[0], `${stack.url}/settings/`, stranger);
    const bent = new URL(link!);
    bent.searchParams.set("redirect_to", stranger);
    assert.equal((await followed(bent.href)).href.split("#")[0], `${stack.url}/settings/`);
  }
});

Deno.test("after a password reset, the user can set a new password, which ends the other sessions", async () => {
  const person = await newPerson({});
  const { email } = person;
  const other = await signIn(person);
  await anyClient().auth.resetPasswordForEmail(email, { redirectTo: `${stack.url}/settings/` });
  const [mail] = await mailsTo(email);
  assert.equal(mail.kind, "recovery");
  const given = new URLSearchParams((await followed(mail.link!)).hash.slice(1));
  assert.equal(given.get("type"), "recovery");
  const client = anyClient();
  const [access_token, refresh_token] = ["access_token", "refresh_token"].map((name) =>
    given.get(name)!
  );
  await client.auth.setSession({ access_token, refresh_token });

  const change = async (password: string) =>
    failure((await client.auth.updateUser({ password })).error);
  assert.deepEqual(await change("short"), [422, "weak_password"]);
  assert.deepEqual(await change("é".repeat(37)), [400, "validation_failed"]);
  assert.deepEqual(await change(person.password), [422, "same_password"]);
  const password = "a new and longer one";
  assert.deepEqual(await change(password), [undefined, undefined]);

  const old = await anyClient().auth.signInWithPassword(person);
  assert.deepEqual(failure(old.error), [400, "invalid_credentials"]);
  await signIn({ email, password });
  const ended = await other.client.auth.refreshSession();
  assert.deepEqual(failure(ended.error), [400, "refresh_token_not_found"]);
  assert.equal((await client.auth.getUser()).error, null);
});

Deno.test("sign-up is refused, and no link is mailed to an unknown e-mail address", async () => {
  const email = `${crypto.randomUUID()}@people.example`;
  const { auth } = anyClient();
  const answers = [
    await auth.signUp({ email, password: "long enough" }),
    await auth.signInWithOtp({ email }),
    await auth.signInWithOtp({ email, options: { shouldCreateUser: false } }),
    await auth.signInAnonymously(),
    await auth.resetPasswordForEmail(email),
  ];
  assert.deepEqual(answers.map(({ error }) => failure(error)), [
    [422, "signup_disabled"],
    [422, "signup_disabled"],
    [422, "otp_disabled"],
    [422, "signup_disabled"],
    [undefined, undefined],
  ]);
  const { status } = await call("POST", "/magiclink", { json: { email } });
  assert.equal(status, 422);
  assert.deepEqual(await mailsTo(email), []);
  await withDatabase(async (sql) => {
    assert.deepEqual(Array.from(await sql`select from auth.users where email = ${email}`), []);
  });
});

Deno.test("docs/testing.md lists the claims of a token of the local stack", async () => {
  const person = await newPerson({ company: (await newCompany()).id });
  const { client } = await signIn(person);
  const { data } = await client.auth.getSession();
  const row = /^\| claims of a token \|[^|]*\|([^|]*)\|$/m.exec(
    (await readPage("docs/testing.md")).text,
  );
  const listed = Array.from(row![1].matchAll(/`(\w+)`/g), ([, claim]) => claim);
  assert.deepEqual(Object.keys(decodeJwt(data.session!.access_token)).sort(), listed.sort());
});

Deno.test("a token that is forged, expired or without a user is refused", async () => {
  const person = await newPerson({ company: (await newCompany()).id });
  const claims = { role: "authenticated", sub: person.id };
  const key = crypto.getRandomValues(new Uint8Array(32));
  const forged = await token(claims, { key });
  const unsigned = [{ alg: "none", typ: "JWT" }, claims].map((part) => btoa(JSON.stringify(part)));
  const wrong = [forged, await token(claims, { expires: "-5m" }), `${unsigned.join(".")}.`];
  for (const each of wrong) {
    assert.equal((await rest(each, "GET", "/api_keys?select=id")).status, 401, each);
    const headers = { apikey: stack.publishable_key, Authorization: `Bearer ${each}` };
    const { status, body } = await call("GET", "/user", { headers });
    assert.deepEqual([status, body.error_code], [403, "bad_jwt"], each);
  }
  const nobody = await personToken(crypto.randomUUID());
  const headers = { apikey: stack.publishable_key, Authorization: `Bearer ${nobody}` };
  assert.equal((await call("GET", "/user", { headers })).body.error_code, "user_not_found");
  assert.deepEqual((await rest(nobody, "GET", "/api_keys?select=id")).body, []);
});

Deno.test("Auth refuses a request without the publishable key; only a link from an e-mail needs no key", async () => {
  for (const headers of [{}, { apikey: "sb_publishable_wrong" }] as Record<string, string>[]) {
    const { status } = await call("POST", "/recover", { json: { email: "a@b.example" }, headers });
    assert.equal(status, 401);
  }
  const place = await followed(`${stack.url}/auth/v1/verify?type=recovery&token=nonsense`);
  assert.match(place.hash, /error_code=otp_expired/);
});

Deno.test("a page from another origin may call Auth, as in a hosted project", async () => {
  const origin = "http://127.0.0.1:8000";
  const asked = "authorization,apikey,content-type,x-client-info,x-supabase-api-version";
  for (const path of ["/auth/v1/token?grant_type=password", "/rest/v1/api_keys"]) {
    const preflight = await fetch(stack.url + path, {
      method: "OPTIONS",
      headers: {
        Origin: origin,
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": asked,
      },
    });
    await preflight.body?.cancel();
    assert.ok(preflight.ok, path);
    const allowed = (name: string) => preflight.headers.get(`Access-Control-Allow-${name}`);
    assert.equal(allowed("Origin"), "*", path);
    assert.ok(allowed("Headers")!.endsWith(asked), path);
    assert.match(allowed("Methods")!, /\bPOST\b/, path);
  }
  const answer = await fetch(`${stack.url}/auth/v1/settings`, {
    headers: { Origin: origin, apikey: stack.publishable_key },
  });
  assert.equal(answer.headers.get("Access-Control-Allow-Origin"), "*");
  const { disable_signup, external } = await answer.json();
  assert.deepEqual([disable_signup, external.email, external.anonymous_users], [true, true, false]);
});
