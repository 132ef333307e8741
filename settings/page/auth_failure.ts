import type { AuthError } from "@supabase/supabase-js";
import { Failure, failureOf } from "./failure.ts";
import type { Texts } from "./texts.ts";

/** The refusals of Supabase Auth for which the page has its own words. */
type AuthRefusal = keyof Texts["signIn"]["refused"];

/** The codes of Supabase Auth. */
const REFUSALS: Record<string, AuthRefusal> = {
  invalid_credentials: "wrongPassword",
  email_not_confirmed: "notConfirmed",
  user_banned: "banned",
  weak_password: "weakPassword",
  same_password: "samePassword",
  reauthentication_needed: "signInAgain",
  reauthentication_not_valid: "signInAgain",
  validation_failed: "wrongEmail",
  email_address_invalid: "wrongEmail",
  session_not_found: "signInAgain",
  insufficient_aal: "signInAgain",
  mfa_verification_failed: "wrongCode",
  mfa_challenge_expired: "wrongCode",
  mfa_factor_name_conflict: "sameName",
};

/** The meaning of an error of Supabase Auth. */
export function authFailure({ code, status, message }: AuthError): Failure {
  const refusal = REFUSALS[code ?? ""];
  return refusal
    ? new Failure("invalid", message, (t) => t.signIn.refused[refusal])
    : failureOf(status, message, "offline");
}
