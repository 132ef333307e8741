import { compactVerify, decodeJwt, type JWTPayload, SignJWT } from "jose";

// A correction of @supabase/lite, like those in corrections.ts. PostgREST tolerates a difference of
// up to 30 s in a token's times, in either direction. lite tolerates no difference, and does not
// check `nbf` separately.

/** The clock difference that PostgREST tolerates. */
const SKEW_S = 30;
/** lite checks the token at most this long after the check in this file. */
const MARGIN_S = 10;

/** PostgREST's error message for each claim, in the order in which PostgREST checks the claims. */
const CLAIMS = [
  ["exp", "JWT expired", (exp: number, now: number) => exp < now - SKEW_S],
  ["nbf", "JWT not yet valid", (nbf: number, now: number) => nbf > now + SKEW_S],
  ["iat", "JWT issued at future", (iat: number, now: number) => iat > now + SKEW_S],
] as const;

/**
 * Checks the times of a request's token as PostgREST does.
 *
 * @returns PostgREST's refusal (401, PGRST303), or the value of `Authorization` for lite. This
 * value usually has the unchanged token. If PostgREST accepts the token but lite would not, the
 * value has the token without its times.
 */
export async function judgeTimes(
  authorization: string | null,
  secret: string,
): Promise<Response | string | null> {
  const token = authorization?.replace(/^Bearer /, "");
  const claims = token && claimsOf(token);
  if (!claims) return authorization;
  const now = Math.floor(Date.now() / 1000);
  const { exp, nbf, iat, ...others } = claims;
  const isPlain = [exp, nbf, iat].every((time) => time === undefined || typeof time === "number") &&
    (exp ?? Infinity) > now + MARGIN_S && (nbf ?? 0) <= now && (iat ?? 0) <= now;
  const key = new TextEncoder().encode(secret);
  // PostgREST reports an invalid signature before invalid times. lite also refuses such a token.
  if (isPlain || !await isSigned(token, key)) return authorization;
  for (const [name, refusal, isWrong] of CLAIMS) {
    const time: unknown = claims[name];
    if (time === undefined) continue;
    if (typeof time !== "number") return refused(`The JWT '${name}' claim must be a number`);
    if (isWrong(time, now)) return refused(refusal);
  }
  return `Bearer ${await new SignJWT(others).setProtectedHeader({ alg: "HS256" }).sign(key)}`;
}

function claimsOf(token: string): JWTPayload | null {
  try {
    return decodeJwt(token);
  } catch {
    return null; // lite reports the fault
  }
}

async function isSigned(token: string, key: Uint8Array): Promise<boolean> {
  return await compactVerify(token, key, { algorithms: ["HS256"] }).then(() => true, () => false);
}

function refused(message: string): Response {
  const body = { code: "PGRST303", message, details: null, hint: null };
  return Response.json(body, { status: 401, headers: { "Access-Control-Allow-Origin": "*" } });
}
