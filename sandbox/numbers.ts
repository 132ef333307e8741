/**
 * The demo company sends from this number. The number's account has the sandbox's app and token.
 */
export const DEMO_PHONE_NUMBER_ID = "900000000000011";

/** The demo company's numbers, as in supabase/seed.sql. */
export const DEMO_NUMBERS: Record<string, string> = {
  [DEMO_PHONE_NUMBER_ID]: "+1 202-555-0100",
  "900000000000012": "+44 7700 900100",
};

/**
 * The business phone number for an id, as the channel shows it. Every id made of digits belongs to
 * a phone number.
 */
export function displayPhoneNumber(id: string): string {
  // No country has the code 999.
  return DEMO_NUMBERS[id] ?? `+999 ${id.slice(-9).padStart(9, "0")}`;
}
