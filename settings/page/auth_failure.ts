import type { AuthError } from "@supabase/supabase-js";
import { Failure, failureOf } from "./failure.ts";
import type { Texts } from "./texts.ts";

/** The Supabase Auth errors for which the page has its own messages. */
type AuthRefusal = keyof Texts["signIn"]["refused"];

/** Supabase Auth's error codes. */
const REFUSALS: Record<string, AuthRefusal> = {
  invalid_credentials: "wrongPassword",
  email_not_confirmed: "notConfirmed",
  user_banned: "banned",
  weak_password: "weakPassword",
  same_password: "samePassword",
  reauthentication_needed: "signInAgain",
  reauthentication_not_valid: "signInAgain",
  email_address_invalid: "wrongEmail",
  session_not_found: "signInAgain",
  insufficient_aal: "signInAgain",
  mfa_verification_failed: "wrongCode",
  mfa_challenge_expired: "wrongCode",
  mfa_factor_name_conflict: "sameName",
};

/**
 * The meaning of a Supabase Auth error.
 * @param hasAddress whether the form has an e-mail address, which can be the invalid value.
 */
export function authFailure(
  { code, status, message }: AuthError,
  { hasAddress = false } = {},
): Failure {
  const isAddress = hasAddress && code === "validation_failed";
  const refusal = isAddress ? "wrongEmail" : REFUSALS[code ?? ""];
  return refusal
    ? new Failure("invalid", message, (t) => t.signIn.refused[refusal])
    : failureOf(status, message);
}
