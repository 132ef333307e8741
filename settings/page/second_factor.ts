import type { Session } from "@supabase/supabase-js";
import { Failure } from "./failure.ts";

/** An authenticator app, which shows codes to the user. */
export interface Factor {
  id: string;
  name: string;
  created_at: string;
}

/**
 * The second factors that a user has finished setting up. The user comes from a session or from
 * Supabase Auth.
 */
export function factorsOf(user: Session["user"]): Factor[] {
  return (user.factors ?? []).filter(({ status }) => status === "verified")
    .map(({ id, friendly_name, created_at }) => ({ id, name: friendly_name ?? "", created_at }));
}

/**
 * The digits of the code that a user typed.
 * @throws Failure unless there are six digits, as in every code from an authenticator app.
 */
export function digitsOf(typed: string): string {
  const digits = typed.replace(/\D/g, "");
  if (digits.length === 6) return digits;
  throw new Failure("invalid", "", (t) => t.signIn.refused.wrongCode);
}

/** Whether the session's user has entered a code. */
export function hasCode({ access_token }: Session): boolean {
  const [, payload] = access_token.split(".");
  const text = atob(payload.replaceAll("-", "+").replaceAll("_", "/"));
  return JSON.parse(text).aal !== "aal1";
}

/** Whether the database refuses the session until the user has entered a code. */
export function needsCode(session: Session): boolean {
  return factorsOf(session.user).length > 0 && !hasCode(session);
}
