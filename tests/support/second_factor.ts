import type { SupabaseClient } from "@supabase/supabase-js";
import { decodeBase32 } from "deno-std/encoding/base32.js";
import { totp } from "../../local/auth/second_factors.ts";

/** The current code that an authenticator app shows for a secret. */
export function codeOf(secret: string): string {
  return totp(decodeBase32(secret), Date.now() / 1000);
}

/**
 * Adds a second factor for a signed-in user. The user's session is then verified with the second
 * factor.
 */
export async function enrolled(
  { auth }: SupabaseClient,
): Promise<{ id: string; secret: string }> {
  const { data, error } = await auth.mfa.enroll({ factorType: "totp", friendlyName: "Phone" });
  if (error) throw error;
  const { id, totp: { secret } } = data;
  const verified = await auth.mfa.challengeAndVerify({ factorId: id, code: codeOf(secret) });
  if (verified.error) throw verified.error;
  return { id, secret };
}
