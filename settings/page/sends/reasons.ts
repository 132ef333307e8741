import type { SendsTexts } from "../texts/en/sends.ts";

/** A reason that the texts explain. */
export type Reason = keyof SendsTexts["reasons"];

/**
 * The WhatsApp codes that are more specific than their reason. Several codes can share a reason.
 */
const BY_CODE: [codes: number[], reason: Reason][] = [
  [[131026], "no_whatsapp"],
  [[131049, 130472], "marketing_limit"],
  [[131030], "test_recipient"],
  [[132001], "template_missing"],
  [[132015, 132016], "template_paused"],
  [[100, 131008, 131009, 132000, 132012, 132018], "template_values"],
  [[131051, 131053], "media"],
  [[4, 17, 32, 613, 80007, 80008, 130429, 131056], "too_fast"],
];

/**
 * The most specific reason that the texts explain.
 * @param reason the reason in the database, such as `recipient_unreachable`.
 * @param code WhatsApp's code, if it is known.
 */
export function preciseReason(
  reason: string,
  code: number | null,
  { reasons }: SendsTexts,
): Reason {
  // The code 100 usually means wrong template values. With a subcode, the code means that WhatsApp
  // refuses the account, and the reason in the database is `channel_account_error`.
  const precise = reason !== "channel_account_error" &&
    BY_CODE.find(([codes]) => code !== null && codes.includes(code))?.[1];
  return precise || (Object.hasOwn(reasons, reason) ? reason as Reason : "channel_error");
}

/** A reason in a few words. */
export function reasonName(reason: string, code: number | null, t: SendsTexts): string {
  return t.reasons[preciseReason(reason, code, t)];
}
