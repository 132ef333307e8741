// Corrections of @supabase/lite, like those in corrections.ts. On Supabase, a session records the
// device, its IP address and how the user signed in. A token's claims `aal` and `amr` also describe
// how the user signed in.
import { decodeJwt, SignJWT } from "jose";
import type { Sql } from "../postgres/database.ts";
import { factorsOf } from "./second_factors.ts";

/** The tokens of a session. Auth returns them in a JSON body or in a URL's fragment. */
type Tokens = Record<string, unknown>;

/**
 * Adds the claims `aal` and `amr` to the tokens in a response, and the second factors to the user
 * in a response.
 * @param caller the caller's IP address.
 */
export async function completed(
  sql: Sql,
  secret: string,
  request: Request,
  answer: Response,
  caller: string,
): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url);
  const isOfPerson = pathname === "/auth/v1/user";
  if (request.method === "OPTIONS") return answer;
  if (!isOfPerson && !/^\/auth\/v1\/(token|verify)$/.test(pathname)) return answer;
  const method = searchParams.get("grant_type") === "password" ? "password" : "otp";
  const complete = async (tokens: Tokens) => {
    if (typeof tokens.access_token !== "string") return;
    tokens.access_token = await noted(sql, secret, tokens.access_token, method, request, caller);
  };
  const place = URL.parse(answer.headers.get("Location") ?? "");
  if (place) {
    const tokens = Object.fromEntries(new URLSearchParams(place.hash.slice(1)));
    if (!tokens.access_token) return answer;
    await complete(tokens);
    // To lite, an invitation link is a sign-up link, so lite returns the wrong type.
    if (searchParams.get("type") === "invite") tokens.type = "invite";
    place.hash = new URLSearchParams(tokens).toString();
    answer.headers.set("Location", place.href);
    return answer;
  }
  if (!answer.ok) return answer;
  const body: Tokens & { user?: Tokens } = await answer.json();
  await complete(body);
  const person = isOfPerson ? body : body.user;
  if (person) {
    const factors = await factorsOf(sql, String(person.id));
    if (factors.length > 0) person.factors = factors;
  }
  answer.headers.delete("Content-Length");
  return Response.json(body, { status: answer.status, headers: answer.headers });
}

/**
 * Stores the device, its IP address and the sign-in method in the session, as Supabase Auth does.
 * @returns the token with the claims `aal` and `amr`.
 */
async function noted(
  sql: Sql,
  secret: string,
  token: string,
  method: string,
  request: Request,
  caller: string,
): Promise<string> {
  const claims = decodeJwt(token);
  const session = String(claims.session_id);
  await sql`
    update auth.sessions set user_agent = ${request.headers.get("User-Agent")}, ip = ${caller}
    where id = ${session}
  `;
  await sql`
    insert into auth.mfa_amr_claims (id, session_id, created_at, updated_at, authentication_method)
    select gen_random_uuid(), id, now(), now(), ${method} from auth.sessions
    where id = ${session} and not exists (
      select from auth.mfa_amr_claims where session_id = sessions.id
    )
  `;
  const [{ aal, amr }] = await sql`
    select aal, array(
      select json_build_object(
        'method', authentication_method, 'timestamp', extract(epoch from updated_at)::bigint
      )
      from auth.mfa_amr_claims where session_id = sessions.id order by updated_at desc
    ) as amr
    from auth.sessions where id = ${session}
  `;
  return await new SignJWT({ ...claims, aal, amr })
    .setProtectedHeader({ alg: "HS256", typ: "JWT" })
    .sign(new TextEncoder().encode(secret));
}
