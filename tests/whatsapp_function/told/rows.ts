import { withDatabase } from "../../support/test_stack.ts";
import type { World } from "./world.ts";

/**
 * The rows that channel events may change in a world. A world is the set of companies in world.ts.
 * Ids and write times are omitted, because they differ between two worlds or two orders of events.
 * Channel times are in seconds since T0.
 */
export async function rowsOf({ a, b, shift }: World) {
  const t0 = 1795262400 + shift.seconds;
  const companies = [a.id, b.id];
  return await withDatabase(async (sql) => {
    const since = (column: string) =>
      sql`round(extract(epoch from ${sql.unsafe(column)}) - ${t0})::integer`;
    const contacts = await sql`
      select company.name as company, coalesce(contact.phone, contact.name) as contact, contact.name,
        contact.source, contact.has_identity, contact.do_not_contact, contact.do_not_contact_source,
        ${since("contact.do_not_contact_at")} as do_not_contact_at,
        ${since("contact.marketing_opt_out_at")} as marketing_opt_out_at,
        array(
          select user_id from contact_identities where contact_id = contact.id order by 1
        ) as user_ids,
        array(
          select phone from contact_former_phones where contact_id = contact.id order by 1
        ) as former_phones,
        array(
          select concat_ws(' ', kind, was, becomes) from contact_identity_events
          where contact_id = contact.id and kind <> 'merged' order by 1
        ) as events
      from contacts as contact join companies as company on company.id = contact.company_id
      where contact.company_id = any(${companies}) order by 1, 2
    `;
    const conversations = await sql`
      select company.name as company, coalesce(contact.phone, contact.name) as contact,
        right(conversation.phone_number_id, 1) as number, conversation.status,
        case when conversation.last_message_at > to_timestamp(${t0 - 30})
          then ${since("conversation.last_message_at")} end as last_message_at,
        ${since("conversation.window_expires_at")} as window_expires_at,
        ${since("opened.expires_at")} as opened_until
      from conversations as conversation
      join companies as company on company.id = conversation.company_id
      join contacts as contact on contact.id = conversation.contact_id
      left join contact_windows as opened on opened.contact_id = contact.id
        and opened.account_id = conversation.messaging_account_id
      where conversation.company_id = any(${companies}) order by 1, 2, 3, 4
    `;
    const messages = await sql`
      select company.name as company, coalesce(contact.phone, contact.name) as contact,
        right(conversation.phone_number_id, 1) as number,
        message.whatsapp_message_id, message.direction, message.type, message.content, message.status,
        message.outcome, ${since("message.sent_at")} as sent_at,
        ${since("message.delivered_at")} as delivered_at, ${since("message.read_at")} as read_at,
        ${since("message.failed_at")} as failed_at, message.failure, message.price_category,
        message.price_type, message.payload, message.media - 'expires_at' as media,
        ${since("(message.media ->> 'expires_at')::timestamptz")} as media_expires_at,
        message.reply_to_whatsapp_id, answered.content as answers,
        case when message.reaction ->> 'emoji' is not null then message.reaction ->> 'emoji' end as reaction,
        ${since("message.edited_at")} as edited_at, ${since("message.revoked_at")} as revoked_at,
        send.state, send.reason, send.channel_code, send.whatsapp_message_id as send_id,
        send.double_sent_ids
      from messages as message
      join companies as company on company.id = message.company_id
      join conversations as conversation on conversation.id = message.conversation_id
      join contacts as contact on contact.id = conversation.contact_id
      left join messages as answered on answered.id = message.reply_to_id
      left join sends as send on send.message_id = message.id
      where message.company_id = any(${companies}) order by 1, 4, message.content
    `;
    const waiting = await sql`
      select whatsapp_message_id, item ->> 'kind' as kind, count(*)::integer as times
      from waiting_facts where company_id = any(${companies}) group by 1, 2 order by 1, 2
    `;
    return { contacts, conversations, messages, waiting };
  });
}
