import { pause } from "../../_shared/pause.ts";
import type { SettingsConfig } from "../settings_config.ts";

/** Supabase Auth must respond to each request within this time. */
const PATIENCE_MS = 12_000;

/** The response time is rounded up to a multiple of this time. */
const STEP_MS = 1_000;

/**
 * Asks Supabase Auth to send an email: an invitation if the email address has no account, otherwise
 * a sign-in link. The link in either email leads to the settings page, which shows the invitation.
 * A sign-in link needs one more request. The response time is rounded up, so that it does not
 * reveal which email was sent.
 *
 * @returns `sent`, or the reason why no email was sent: the code of Supabase Auth, `no_secret_key`
 *   or `no_answer`.
 */
export async function mailTo(
  config: SettingsConfig,
  email: string,
  page: string | undefined,
): Promise<string> {
  const began = performance.now();
  const outcome = await sent(config, email, page).catch(() => "no_answer");
  const took = performance.now() - began;
  await pause(STEP_MS - took % STEP_MS);
  return outcome;
}

async function sent(
  config: SettingsConfig,
  email: string,
  page: string | undefined,
): Promise<string> {
  if (config.secretKey === null) return "no_secret_key";
  const invited = await asked(config, "invite", { email }, page);
  if (invited.code !== "email_exists") return invited.code;
  const linked = await asked(config, "otp", { email, create_user: false }, page);
  // The recipient requested a link less than a minute ago, so an email is already on its way.
  const isOnItsWay = linked.status === 429 && linked.message.startsWith("For security purposes");
  return isOnItsWay ? "sent" : linked.code;
}

/** The response of Supabase Auth. Its code is `sent` if Supabase Auth accepted the request. */
async function asked(
  { supabaseUrl, secretKey }: SettingsConfig,
  path: "invite" | "otp",
  body: unknown,
  page: string | undefined,
): Promise<{ status: number; code: string; message: string }> {
  const query = page === undefined ? "" : `?${new URLSearchParams({ redirect_to: page })}`;
  const answer = await fetch(`${supabaseUrl}/auth/v1/${path}${query}`, {
    method: "POST",
    headers: {
      apikey: secretKey!,
      Authorization: `Bearer ${secretKey}`,
      "Content-Type": "application/json",
    },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  const { status } = answer;
  const said = await answer.json().catch(() => ({}));
  // Older versions of Supabase Auth return the code in `error_code`, and newer versions in `code`.
  const code = [said?.error_code, said?.code].find((each) => typeof each === "string");
  return {
    status,
    code: answer.ok ? "sent" : code ?? `http_${status}`,
    message: String(said?.msg ?? said?.message ?? ""),
  };
}
