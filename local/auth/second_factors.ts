// Supabase Auth's second factors, which @supabase/lite does not implement: codes from an
// authenticator app (TOTP). The original code is in github.com/supabase/auth, internal/api/mfa.go.
import { decodeBase32, encodeBase32 } from "deno-std/encoding/base32.js";
import { createHmac, randomBytes } from "node:crypto";
import { decodeJwt } from "jose";
import type { Sql } from "../postgres/database.ts";
import { qrCode } from "./qr_code.ts";
import { refused } from "./refusal.ts";

const MOST_FACTORS = 10;
const CHALLENGE_SECONDS = 300;
const PERIOD_SECONDS = 30;

/** A factor in the form that a response shows to the user. */
interface Factor {
  id: string;
  status: "unverified" | "verified";
  friendly_name?: string;
  factor_type: "totp";
  created_at: string;
  updated_at: string;
  last_challenged_at: string | null;
}

export interface SecondFactors {
  sql: Sql;
  /** The stack's host, which an authenticator app shows as the issuer. */
  host: string;
  /** Sends a request to the stack's own Supabase Auth. */
  ask(path: string, init: RequestInit): Promise<Response>;
}

/** A user's factors, oldest first. */
export async function factorsOf(sql: Sql, person: string): Promise<Factor[]> {
  const rows = await sql`
    select id, status, friendly_name, factor_type, created_at, updated_at, last_challenged_at
    from auth.mfa_factors where user_id = ${person} order by created_at, id
  `;
  return rows.map(({ friendly_name, ...factor }) => ({
    ...factor,
    ...(friendly_name && { friendly_name }),
  })) as Factor[];
}

/**
 * Handles requests below /factors, and refuses a new password or e-mail address from a session
 * without the second factor.
 * @returns null for any other request.
 */
export async function answerFactors(
  auth: SecondFactors,
  request: Request,
  caller: string,
): Promise<Response | null> {
  const { pathname } = new URL(request.url);
  const [, at] = /^\/auth\/v1\/factors(\/.*)?$/.exec(pathname) ?? [];
  const isOfFactors = /^\/auth\/v1\/factors(\/|$)/.test(pathname);
  const isChange = pathname === "/auth/v1/user" && request.method === "PUT";
  if (!isOfFactors && !isChange) return null;
  if (request.method === "OPTIONS") {
    const headers = { "Access-Control-Allow-Methods": "GET,POST,PUT,DELETE" };
    return new Response(null, { status: 204, headers });
  }
  const headers = new Headers(request.headers);
  headers.delete("Content-Length");
  headers.delete("Content-Type");
  const known = await auth.ask("/user", { headers });
  if (!known.ok) return isChange ? null : known;
  const user: { id: string; email: string } = await known.json();
  const { session_id } = decodeJwt(headers.get("Authorization")!.slice("Bearer ".length));
  const [session] = await auth.sql`select * from auth.sessions where id = ${String(session_id)}`;
  if (!session) return refused(403, "session_not_found", "Session does not exist");
  if (isChange) return await refusedChange(auth, request, user.id, session.aal);
  const body = await request.json().catch(() => ({}));
  if (at === undefined && request.method === "POST") {
    return await enroll(auth, user, session.aal, body);
  }
  const [, id, action] = /^\/([^/]+)(?:\/(challenge|verify))?$/.exec(at ?? "") ?? [];
  if (!id) return refused(404, "not_found", "404 page not found");
  if (!/^[0-9a-f-]{36}$/.test(id)) {
    return refused(404, "validation_failed", "factor_id must be an UUID");
  }
  const [factor] = await auth.sql`
    select * from auth.mfa_factors where id = ${id} and user_id = ${user.id}
  `;
  if (!factor) return refused(404, "mfa_factor_not_found", "Factor not found");
  if (!action && request.method === "DELETE") return await unenroll(auth, factor, session);
  if (request.method !== "POST") return new Response(null, { status: 405 });
  if (action === "challenge") return await challenge(auth, factor, caller);
  if (action !== "verify") return new Response(null, { status: 405 });
  return await verify(auth, factor, session, body, caller, headers);
}

/** The code that an authenticator app shows. @param seconds the time, in seconds since 1970. */
export function totp(secret: Uint8Array, seconds: number): string {
  const counter = new DataView(new ArrayBuffer(8));
  counter.setBigUint64(0, BigInt(Math.floor(seconds / PERIOD_SECONDS)));
  const digest = createHmac("sha1", secret).update(new Uint8Array(counter.buffer)).digest();
  const number = digest.readUInt32BE(digest[19] & 15) & 0x7fffffff;
  return String(number % 1_000_000).padStart(6, "0");
}

async function enroll(
  { sql, host }: SecondFactors,
  user: { id: string; email: string },
  aal: string,
  { friendly_name = "", factor_type, issuer = "" }: Record<string, string>,
): Promise<Response> {
  if (factor_type !== "totp") {
    const isKnown = ["phone", "webauthn"].includes(factor_type);
    return isKnown
      ? refused(422, `mfa_${factor_type}_enroll_not_enabled`, `MFA enroll is disabled`)
      : refused(400, "validation_failed", "factor_type needs to be totp, phone, or webauthn");
  }
  // Deletes unfinished enrolments that are older than five minutes and have no challenge.
  await sql`
    delete from auth.mfa_factors
    where status <> 'verified' and created_at < now() - make_interval(secs => ${CHALLENGE_SECONDS})
      and not exists (select from auth.mfa_challenges where factor_id = mfa_factors.id)
  `;
  const factors = await factorsOf(sql, user.id);
  if (factors.some((factor) => (factor.friendly_name ?? "") === friendly_name)) {
    return refused(
      422,
      "mfa_factor_name_conflict",
      `A factor with the friendly name "${friendly_name}" for this user already exists`,
    );
  }
  if (factors.length >= MOST_FACTORS) {
    return refused(
      422,
      "too_many_enrolled_mfa_factors",
      "Maximum number of verified factors reached, unenroll to continue",
    );
  }
  if (factors.some(({ status }) => status === "verified") && aal !== "aal2") {
    return refused(403, "insufficient_aal", "AAL2 required to enroll a new factor");
  }
  const secret = encodeBase32(randomBytes(20));
  const name = issuer || host;
  const query = new URLSearchParams({
    ...{ algorithm: "SHA1", digits: "6", issuer: name, period: String(PERIOD_SECONDS), secret },
  });
  const label = encodeURIComponent(name) + ":" + encodeURIComponent(user.email);
  const uri = `otpauth://totp/${label}?${query}`;
  const [{ id }] = await sql`
    insert into auth.mfa_factors (
      id, user_id, friendly_name, factor_type, status, created_at, updated_at, secret
    )
    values (
      gen_random_uuid(), ${user.id}, ${friendly_name}, 'totp', 'unverified', now(), now(), ${secret}
    )
    returning id
  `;
  const totp = { qr_code: qrCode(uri), secret, uri };
  return Response.json({ id, type: "totp", friendly_name, totp });
}

async function challenge(
  { sql }: SecondFactors,
  factor: Record<string, string>,
  caller: string,
): Promise<Response> {
  const [{ id, expires_at }] = await sql`
    insert into auth.mfa_challenges (id, factor_id, created_at, ip_address)
    values (gen_random_uuid(), ${factor.id}, now(), ${caller})
    returning id, floor(extract(epoch from created_at))::int + ${CHALLENGE_SECONDS}::int as expires_at
  `;
  await sql`update auth.mfa_factors set last_challenged_at = now() where id = ${factor.id}`;
  return Response.json({ id, type: "totp", expires_at });
}

async function verify(
  { sql, ask }: SecondFactors,
  factor: Record<string, string>,
  session: Record<string, string>,
  { challenge_id = "", code = "" }: Record<string, string>,
  caller: string,
  headers: Headers,
): Promise<Response> {
  if (!code) return refused(400, "validation_failed", "Code needs to be non-empty");
  const [found] = /^[0-9a-f-]{36}$/.test(challenge_id)
    ? await sql`
      select
        verified_at, host(ip_address) as address,
        created_at < now() - make_interval(secs => ${CHALLENGE_SECONDS}) as has_expired
      from auth.mfa_challenges where id = ${challenge_id} and factor_id = ${factor.id}
    `
    : [];
  if (!found) {
    const msg = "MFA factor with the provided challenge ID not found";
    return refused(422, "mfa_factor_not_found", msg);
  }
  if (found.verified_at !== null || found.address !== caller) {
    const msg = "Challenge and verify IP addresses mismatch.";
    return refused(422, "mfa_ip_address_mismatch", msg);
  }
  if (found.has_expired) {
    await sql`delete from auth.mfa_challenges where id = ${challenge_id}`;
    const msg = `MFA challenge ${challenge_id} has expired, verify against another challenge or ` +
      "create a new challenge.";
    return refused(422, "mfa_challenge_expired", msg);
  }
  const secret = decodeBase32(factor.secret);
  const now = Date.now() / 1000;
  const isRight = [-1, 0, 1].some((step) => totp(secret, now + step * PERIOD_SECONDS) === code);
  if (!isRight) return refused(422, "mfa_verification_failed", "Invalid TOTP code entered");
  const refresh_token = await sql.begin(async (sql) => {
    await sql`update auth.mfa_challenges set verified_at = now() where id = ${challenge_id}`;
    await sql`update auth.mfa_factors set status = 'verified', updated_at = now() where id = ${factor.id}`;
    await sql`
      insert into auth.mfa_amr_claims (id, session_id, created_at, updated_at, authentication_method)
      values (gen_random_uuid(), ${session.id}, now(), now(), 'totp')
      on conflict (session_id, authentication_method) do update set updated_at = now()
    `;
    await sql`update auth.sessions set aal = 'aal2', factor_id = ${factor.id} where id = ${session.id}`;
    await sql`delete from auth.sessions where user_id = ${factor.user_id} and aal < 'aal2'`;
    await sql`
      delete from auth.mfa_factors
      where user_id = ${factor.user_id} and status = 'unverified' and factor_type = 'totp'
    `;
    const [{ token }] = await sql`
      select token from auth.refresh_tokens where session_id = ${session.id} and not revoked
      order by created_at desc limit 1
    `;
    return token;
  });
  headers.delete("Authorization");
  headers.set("Content-Type", "application/json");
  return await ask("/token?grant_type=refresh_token", {
    method: "POST",
    headers,
    body: JSON.stringify({ refresh_token }),
  });
}

async function unenroll(
  { sql }: SecondFactors,
  factor: Record<string, string>,
  session: Record<string, string>,
): Promise<Response> {
  if (factor.status === "verified" && session.aal !== "aal2") {
    return refused(422, "insufficient_aal", "AAL2 required to unenroll verified factor");
  }
  await sql.begin(async (sql) => {
    await sql`delete from auth.mfa_factors where id = ${factor.id}`;
    await sql`
      delete from auth.mfa_amr_claims
      where authentication_method = 'totp'
        and session_id in (select id from auth.sessions where factor_id = ${factor.id})
    `;
    await sql`
      update auth.sessions set aal = 'aal1', factor_id = null where factor_id = ${factor.id}
    `;
  });
  return Response.json({ id: factor.id });
}

/**
 * Refuses a new password or e-mail address if the user has a second factor and the session was
 * created without it.
 */
async function refusedChange(
  { sql }: SecondFactors,
  request: Request,
  person: string,
  aal: string,
): Promise<Response | null> {
  const { password, email } = await request.clone().json().catch(() => ({}));
  if (aal === "aal2" || password === undefined && email === undefined) return null;
  const factors = await factorsOf(sql, person);
  if (!factors.some(({ status }) => status === "verified")) return null;
  const msg = "AAL2 session is required to update email or password when MFA is enabled.";
  return refused(401, "insufficient_aal", msg);
}
