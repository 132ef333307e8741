import type { Sql } from "./postgres/database.ts";
import type { OpenWindow } from "../sandbox/people.ts";

/**
 * Lists the people to whom the database allows free replies, and when each of them last wrote. With
 * this list, a new sandbox allows the same replies.
 */
export async function openWindows(owner: Sql): Promise<OpenWindow[]> {
  const rows = await owner`
    select account.phone_number_id, contact.phone, identity.user_id, open.last_inbound_at
    from contact_windows as open
    join messaging_accounts as account on account.id = open.account_id
    join contacts as contact on contact.id = open.contact_id
    left join lateral (
      select user_id from contact_identities
      where contact_id = contact.id order by seen_at desc limit 1
    ) as identity on true
    where open.expires_at > now()
    order by open.last_inbound_at desc limit 1000
  `;
  return rows.map(({ phone_number_id, phone, user_id, last_inbound_at }) => ({
    phoneNumberId: phone_number_id,
    phone,
    userId: user_id,
    at: last_inbound_at.getTime(),
  }));
}
