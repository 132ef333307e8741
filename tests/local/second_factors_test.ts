// Tests second factors and invitations in the local stack's Auth. The expected responses are those
// of github.com/supabase/auth, internal/api/mfa.go and invite.go.
import assert from "node:assert/strict";
import { decodeJwt } from "jose";
import { decodeBase32 } from "deno-std/encoding/base32.js";
import { totp } from "../../local/auth/second_factors.ts";
import { createClient } from "@supabase/supabase-js";
import { newCompany } from "../support/company.ts";
import { followed, mailsTo } from "../support/mails.ts";
import { anyClient, newPerson, signIn } from "../support/people.ts";
import { codeOf, enrolled } from "../support/second_factor.ts";
import { stack, withDatabase } from "../support/test_stack.ts";

const refusal = (error: { status?: number; code?: string } | null) => [error?.status, error?.code];
const platform = createClient(stack.url, stack.secret_key, { auth: { persistSession: false } });
const anyEmail = () => `${crypto.randomUUID()}@people.example`;

Deno.test("the codes are equal to the examples in RFC 6238", () => {
  const secret = new TextEncoder().encode("12345678901234567890");
  const codes = [59, 1111111109, 1234567890, 20000000000].map((time) => totp(secret, time));
  assert.deepEqual(codes, ["287082", "081804", "005924", "353130"]);
});

Deno.test("after a user enrols a factor, a session requires the factor's code", async () => {
  const company = await newCompany();
  const person = await newPerson({ company: company.id });
  const [{ client }, other] = [await signIn(person), await signIn(person)];
  const { mfa } = client.auth;
  const { data: made } = await mfa.enroll({ factorType: "totp", friendlyName: "Phone" });
  assert.deepEqual(Object.keys(made!).sort(), ["friendly_name", "id", "totp", "type"]);
  const { qr_code, secret, uri } = made!.totp!;
  assert.match(qr_code, /^data:image\/svg\+xml;utf-8,<\?xml version="1.0"\?>\n<svg width="\d+"/);
  assert.equal(decodeBase32(secret).length, 20);
  assert.match(uri, /^otpauth:\/\/totp\/127\.0\.0\.1/);
  assert.equal(new URL(uri).searchParams.get("secret"), secret);

  // The factor is inactive until the user has entered a code.
  assert.deepEqual((await mfa.listFactors()).data!.totp, []);
  assert.equal((await client.from("api_keys").select("id")).data!.length, 5);
  const { data: challenge } = await mfa.challenge({ factorId: made!.id });
  assert.deepEqual(Object.keys(challenge!).sort(), ["expires_at", "id", "type"]);
  const verify = (code: string, challengeId = challenge!.id) =>
    mfa.verify({ factorId: made!.id, challengeId, code });
  assert.deepEqual(refusal((await verify("000000")).error), [422, "mfa_verification_failed"]);
  assert.deepEqual(refusal((await verify("")).error), [400, "validation_failed"]);
  const unknown = await verify(codeOf(secret), crypto.randomUUID());
  assert.deepEqual(refusal(unknown.error), [422, "mfa_factor_not_found"]);
  const { data: session, error } = await verify(codeOf(secret));
  assert.equal(error, null);
  assert.deepEqual(Object.keys(session!).sort(), [
    ...["access_token", "expires_at", "expires_in", "refresh_token", "token_type", "user"],
  ]);
  const { aal, amr } = decodeJwt(session!.access_token) as { aal: string; amr: unknown[] };
  assert.equal(aal, "aal2");
  assert.deepEqual(
    (amr as { method: string; timestamp: number }[]).map(({ method, timestamp }) => [
      method,
      Number.isInteger(timestamp),
    ]),
    [["totp", true], ["password", true]],
  );
  assert.deepEqual(refusal((await verify(codeOf(secret))).error), [422, "mfa_ip_address_mismatch"]);
  // All sessions that have not used the factor have ended.
  assert.notEqual((await other.client.auth.refreshSession()).error, null);
  const { data: { totp: [factor] } } = await mfa.listFactors() as {
    data: { totp: Record<string, unknown>[] };
  };
  assert.deepEqual([factor.id, factor.status, factor.factor_type, factor.friendly_name], [
    ...[made!.id, "verified", "totp", "Phone"],
  ]);

  const again = await signIn(person);
  const levels = await again.client.auth.mfa.getAuthenticatorAssuranceLevel();
  assert.deepEqual([levels.data!.currentLevel, levels.data!.nextLevel], ["aal1", "aal2"]);
  const seen = await again.client.from("api_keys").select("id");
  assert.deepEqual([seen.status, seen.data], [401, null]);
  const changed = await again.client.auth.updateUser({ password: "another password" });
  assert.deepEqual(refusal(changed.error), [401, "insufficient_aal"]);
  const removed = await again.client.auth.mfa.unenroll({ factorId: made!.id });
  assert.deepEqual(refusal(removed.error), [422, "insufficient_aal"]);
  const second = await again.client.auth.mfa.enroll({ factorType: "totp", friendlyName: "Tablet" });
  assert.deepEqual(refusal(second.error), [403, "insufficient_aal"]);
  await again.client.auth.mfa.challengeAndVerify({ factorId: made!.id, code: codeOf(secret) });
  assert.equal((await again.client.from("api_keys").select("id")).data!.length, 5);
  await again.client.auth.refreshSession();
  assert.equal((await again.client.from("api_keys").select("id")).data!.length, 5);

  assert.deepEqual((await again.client.auth.mfa.unenroll({ factorId: made!.id })).data, {
    id: made!.id,
  });
  const { data: { session: lower } } = await again.client.auth.refreshSession();
  assert.equal(decodeJwt(lower!.access_token).aal, "aal1");
  assert.equal((await again.client.from("api_keys").select("id")).data!.length, 5);
});

Deno.test("Auth refuses a factor whose name is taken, a factor of another type, and another user's factor", async () => {
  const { client } = await signIn(await newPerson({}));
  const { id } = await enrolled(client);
  const { mfa } = client.auth;
  const twice = await mfa.enroll({ factorType: "totp", friendlyName: "Phone" });
  assert.deepEqual(refusal(twice.error), [422, "mfa_factor_name_conflict"]);
  const phone = await mfa.enroll({ factorType: "phone", phone: "+15550100" });
  assert.deepEqual(refusal(phone.error), [422, "mfa_phone_enroll_not_enabled"]);
  const stranger = await signIn(await newPerson({}));
  const found = await stranger.client.auth.mfa.challenge({ factorId: id });
  assert.deepEqual(refusal(found.error), [404, "mfa_factor_not_found"]);
  const without = await anyClient().auth.mfa.challenge({ factorId: id });
  assert.notEqual(without.error, null);
});

Deno.test("a challenge is valid for five minutes, and only from the IP address that requested it", async () => {
  const { client } = await signIn(await newPerson({}));
  const { id, secret } = await enrolled(client);
  const late = async (change: string) => {
    const { data } = await client.auth.mfa.challenge({ factorId: id });
    await withDatabase((sql) =>
      sql.unsafe(`update auth.mfa_challenges set ${change} where id = '${data!.id}'`)
    );
    const input = { factorId: id, challengeId: data!.id, code: codeOf(secret) };
    return refusal((await client.auth.mfa.verify(input)).error);
  };
  assert.deepEqual(await late("created_at = now() - interval '6 minutes'"), [
    422,
    "mfa_challenge_expired",
  ]);
  assert.deepEqual(await late("ip_address = '192.0.2.1'"), [422, "mfa_ip_address_mismatch"]);
});

Deno.test("a session shows its device, its IP address and its sign-in method", async () => {
  const { client, token } = await signIn(await newPerson({}));
  const { data } = await client.rpc("own_sessions");
  assert.equal(data.length, 1);
  assert.equal(data[0].client_address, "127.0.0.1");
  assert.match(data[0].user_agent, /Deno|supabase/);
  const { aal, amr } = decodeJwt(token) as { aal: string; amr: { method: string }[] };
  assert.deepEqual([aal, amr.map(({ method }) => method)], ["aal1", ["password"]]);
});

Deno.test("a person with a new e-mail address can be invited, and the link signs this person in to choose a password", async () => {
  const email = anyEmail();
  const redirectTo = `${stack.url}/settings/`;
  const { data, error } = await platform.auth.admin.inviteUserByEmail(email, { redirectTo });
  assert.equal(error, null);
  assert.equal(data.user!.email, email);
  assert.ok(data.user!.invited_at);
  // Until the link is opened, the e-mail address is not confirmed. Sign-ups are disabled.
  const early = await anyClient().auth.signInWithOtp({ email });
  assert.deepEqual(refusal(early.error), [422, "signup_disabled"]);
  assert.equal((await platform.auth.admin.inviteUserByEmail(email)).error, null);
  const [{ kind, link }] = await mailsTo(email);
  assert.equal(kind, "invite");
  const place = await followed(link!);
  assert.equal(place.origin + place.pathname, redirectTo);
  const tokens = new URLSearchParams(place.hash.slice(1));
  assert.equal(tokens.get("type"), "invite");
  const client = anyClient();
  await client.auth.setSession({
    access_token: tokens.get("access_token")!,
    refresh_token: tokens.get("refresh_token")!,
  });
  assert.equal(
    (await client.auth.updateUser({ password: "a password of mine" })).error,
    null,
  );
  await signIn({ email, password: "a password of mine" });
  const known = await platform.auth.admin.inviteUserByEmail(email);
  assert.deepEqual(refusal(known.error), [422, "email_exists"]);
});

Deno.test("a password reset confirms an invited user's e-mail address, even without the invitation link", async () => {
  const email = anyEmail();
  await platform.auth.admin.inviteUserByEmail(email);
  await anyClient().auth.resetPasswordForEmail(email);
  const [{ kind, link }] = await mailsTo(email);
  assert.equal(kind, "recovery");
  await followed(link!);
  const [{ email_confirmed_at }] = await withDatabase((sql) =>
    sql`select email_confirmed_at from auth.users where email = ${email}`
  );
  assert.ok(email_confirmed_at);
});

Deno.test("only the secret key can invite people", async () => {
  const { client } = await signIn(await newPerson({}));
  const email = anyEmail();
  assert.deepEqual(refusal((await client.auth.admin.inviteUserByEmail(email)).error), [
    403,
    "not_admin",
  ]);
  const wrong = await platform.auth.admin.inviteUserByEmail("nobody");
  assert.deepEqual(refusal(wrong.error), [400, "validation_failed"]);
});
