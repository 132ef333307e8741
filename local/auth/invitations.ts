// Supabase Auth's invitations, which @supabase/lite does not implement. Only requests with the
// project's secret key may invite. The original code is in github.com/supabase/auth,
// internal/api/invite.go.
import { encodeHex } from "deno-std/encoding/hex.js";
import type { Sql } from "../postgres/database.ts";
import type { Mailbox } from "./mailbox.ts";
import { refused } from "./refusal.ts";

export interface Inviting {
  sql: Sql;
  origin: string;
  secretKey: string;
  mailbox: Mailbox;
}

/** Supabase Auth stores e-mail addresses in lower case. */
const ADDRESS = /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-z0-9-]+(\.[a-z0-9-]+)+$/;

/** Handles POST /invite. @returns null for any other request. */
export async function answerInvite(
  { sql, origin, secretKey, mailbox }: Inviting,
  request: Request,
): Promise<Response | null> {
  const { pathname, searchParams } = new URL(request.url);
  if (pathname !== "/auth/v1/invite" || request.method !== "POST") return null;
  if (request.headers.get("apikey") !== secretKey) {
    return request.headers.has("Authorization")
      ? refused(403, "not_admin", "User not allowed")
      : refused(401, "no_authorization", "This endpoint requires a valid Bearer token");
  }
  const { email = "", data = {} } = await request.json().catch(() => ({}));
  const address = String(email).toLowerCase();
  if (!ADDRESS.test(address)) {
    return refused(400, "validation_failed", "Unable to validate email address: invalid format");
  }
  const bytes = crypto.getRandomValues(new Uint8Array(28));
  const token = encodeHex(bytes);
  const user = await sql.begin(async (sql) => {
    const [earlier] = await sql`
      select id, email_confirmed_at from auth.users
      where lower(email) = ${address} and not is_sso_user for update
    `;
    if (earlier?.email_confirmed_at) return null;
    const id = earlier?.id ?? crypto.randomUUID();
    if (!earlier) {
      await sql`
        insert into auth.users (
          id, instance_id, email, aud, role, encrypted_password, raw_app_meta_data,
          raw_user_meta_data, email_change, email_change_token_new, recovery_token, updated_at
        )
        values (
          ${id}, '00000000-0000-0000-0000-000000000000', ${address}, 'authenticated',
          'authenticated', '', '{"provider": "email", "providers": ["email"]}', ${sql.json(data)},
          '', '', '', now()
        )
      `;
      const identity = { sub: id, email: address, email_verified: false, phone_verified: false };
      await sql`
        insert into auth.identities (
          id, user_id, provider, provider_id, identity_data, created_at, updated_at
        )
        values (gen_random_uuid(), ${id}, 'email', ${id}, ${sql.json(identity)}, now(), now())
      `;
    }
    const [row] = await sql`
      update auth.users set
        invited_at = now(), confirmation_sent_at = now(), confirmation_token = ${token}
      where id = ${id}
      returning
        id, aud, role, email, coalesce(phone, '') as phone, invited_at, confirmation_sent_at,
        raw_app_meta_data as app_metadata, raw_user_meta_data as user_metadata, created_at,
        updated_at, is_anonymous
    `;
    return row;
  });
  if (!user) {
    const msg = "A user with this email address has already been registered";
    return refused(422, "email_exists", msg);
  }
  const link = new URL("/auth/v1/verify", origin);
  const redirect_to = allowed(searchParams.get("redirect_to"), origin);
  link.search = new URLSearchParams({ token, type: "invite", redirect_to }).toString();
  mailbox.keep({ to: address, kind: "invite", link: link.href, code: "" });
  return Response.json(user);
}

/** The requested URL if it belongs to this stack, otherwise the URL of the settings page. */
function allowed(address: string | null, origin: string): string {
  const own = [origin, origin.replace("127.0.0.1", "localhost")];
  return address && own.includes(URL.parse(address)?.origin ?? "")
    ? address
    : `${origin}/settings/`;
}
