-- What a key reads of a message: the facts behind its status, and all that a person sent.

grant select (
  sent_at, delivered_at, read_at, failed_at, expired_at, failure, price_category, price_type, payload, media,
  reply_to_id, reply_to_whatsapp_id, reaction, edited_at, revoked_at
) on public.messages to api_client;

create or replace view public.own_messages as
  select
    id, company_id, conversation_id, direction, type, content, rendered_text, status, whatsapp_message_id,
    created_at, updated_at,
    sent_at, delivered_at, read_at, failed_at, expired_at, failure, price_category, price_type, payload, media,
    reply_to_id, reply_to_whatsapp_id,
    -- One that was taken back is kept without its emoji, so that an older one that comes late does not return.
    case when reaction ->> 'emoji' <> '' then reaction end as reaction,
    edited_at, revoked_at
  from public.messages
  where company_id = (select app.company_id('read'));

select app.make_feed('message_changes', 'messages', $columns$
  id, company_id, conversation_id, direction, type, content, rendered_text, status, whatsapp_message_id, sent_at,
  delivered_at, read_at, failed_at, expired_at, failure, price_category, price_type, payload, media, reply_to_id,
  reply_to_whatsapp_id, case when reaction ->> 'emoji' <> '' then reaction end as reaction, edited_at, revoked_at,
  created_at, updated_at
$columns$);
