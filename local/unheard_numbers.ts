import type { Sql } from "./postgres/database.ts";

/**
 * Explains why no company sees a message to a phone number; null when a company sees the message.
 *
 * @param appKey the app that signs the sandbox's events.
 */
export async function whyUnheard(
  owner: Sql,
  phoneNumberId: string,
  appKey: string,
): Promise<string | null> {
  const [account] = await owner`
    select exists (
      select from account_channel_apps as named
      join channel_apps as app on app.id = named.channel_app_id
      where named.account_id = account.id and app.app_key = ${appKey}
    ) as is_heard
    from messaging_accounts as account
    where account.phone_number_id = ${phoneNumberId} and account.disconnected_at is null
  `;
  if (!account) return "No company has connected this number, so no one sees the message";
  if (account.is_heard) return null;
  return `The account of this number does not name the app ${appKey}, so no one sees the ` +
    "message; connect it again with --app";
}
