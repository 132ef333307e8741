-- This file finds the identifiers (names) of the person whom an erasure removes. Another contact may have such a name
-- now, for example because the erased contact was archived or got another phone number.

create function app.names_of_contacts(own_company_id uuid, contact_ids uuid[])
returns table (name text, until timestamptz, is_former boolean)
language sql stable
set search_path = ''
as $$
  with encoded_ids as materialized (
    select
      -- A pattern with a length limit would take a millisecond for each id.
      case when whatsapp_message_id ~ '^wamid\.[A-Za-z0-9+/_=-]+$' then translate(substr(whatsapp_message_id, 7), '-_=', '+/') end
        as encoded,
      coalesce(messages.sent_at, messages.created_at) as at
    from public.messages
    join public.conversations on conversations.company_id = messages.company_id
      and conversations.id = messages.conversation_id
    where conversations.company_id = own_company_id and conversations.contact_id = any (contact_ids)
  )
  -- If another contact has the name now, later events with this name are about the other contact.
  select known.name, case when is_taken then until_taken else known.until end, known.is_former
  from (
    select named.name, max(named.until) as until, max(named.until_taken) as until_taken,
      bool_and(named.is_former) as is_former
    from (
      select app.phone_key(phone) as name, now() as until, coalesce(archived_at, now()) as until_taken,
        false as is_former
      from public.contacts where company_id = own_company_id and id = any (contact_ids) and phone is not null
      union all
      select app.phone_key(former.phone), least(until, now()), least(until, archived_at, now()), until < 'infinity'
      from public.contact_former_phones as former
      join public.contacts on contacts.company_id = former.company_id and contacts.id = former.contact_id
      where former.company_id = own_company_id and former.contact_id = any (contact_ids)
      union all
      select coalesce(user_id, archived_user_id), now(), coalesce(archived_at, now()), false
      from public.contact_identities as kept
      join public.contacts on contacts.company_id = kept.company_id and contacts.id = kept.contact_id
      where kept.company_id = own_company_id and kept.contact_id = any (contact_ids)
      union all
      -- Several people may have the same email address. So an email address counts as former, and the platform keeps no
      -- wishes for it.
      select lower(email), now(), now(), true from public.contacts
      where company_id = own_company_id and id = any (contact_ids) and email <> ''
      union all
      select app.phone_key('+' || digits), now(), last_at, true
      from (
        select
          -- In the decoded id, the phone number comes first, and any bytes may follow it.
          substring(
            encode(decode(left(encoded, char_length(encoded) / 4 * 4), 'base64'), 'escape') from '[1-9][0-9]{6,14}'
          ) as digits,
          max(least(at, now())) as last_at
        from encoded_ids
        group by 1
      ) as own
      where digits is not null
    ) as named
    group by 1
  ) as known
  cross join lateral (
    select exists (
      select from public.contacts
      where company_id = own_company_id and id <> all (contact_ids)
        and (phone_key = known.name or archived_phone_key = known.name)
    ) or exists (
      select from public.contact_former_phones
      where company_id = own_company_id and contact_id <> all (contact_ids)
        and (phone_key = known.name or archived_phone_key = known.name)
    ) or exists (
      select from public.contact_identities
      where company_id = own_company_id and contact_id <> all (contact_ids)
        and (user_id = known.name or archived_user_id = known.name)
    ) as is_taken
  ) as others
$$;
comment on function app.names_of_contacts(uuid, uuid[]) is
  'Returns the phone keys, ids and email addresses of some contacts, and the phone numbers in the ids of their '
  'messages. The column `until` is the last time at which the person had this identifier. After that time, another '
  'person may have it. If another contact has an identifier of an archived contact, this time is the time of the '
  'archiving. The column is_former is true for an identifier that these contacts had lost, and for an email address.';
