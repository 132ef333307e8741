-- Two things outlived an erasing, or did not outlive it, by mistake. A phone that the company has replaced still stood in
-- the events of before, since nothing but the channel's ids of the messages tell of it. And to erase the archived contact
-- of a person, who had not asked for anything as that one, took back what the person had asked for since.

create or replace function app.names_of_contacts(own_company_id uuid, contact_ids uuid[])
returns table (name text, until timestamptz, is_former boolean)
language sql stable
set search_path = ''
as $$
  with encoded_ids as materialized (
    select
      -- A pattern with a limit of its length would take a millisecond for each.
      case when whatsapp_message_id ~ '^wamid\.[A-Za-z0-9+/_=-]+$' then translate(substr(whatsapp_message_id, 7), '-_=', '+/') end
        as encoded,
      coalesce(messages.sent_at, messages.created_at) as at
    from public.messages
    join public.conversations on conversations.company_id = messages.company_id
      and conversations.id = messages.conversation_id
    where conversations.company_id = own_company_id and conversations.contact_id = any (contact_ids)
  )
  select known.name, max(known.until), bool_and(known.is_former)
  from (
    select app.phone_key(phone) as name, now() as until, false as is_former from public.contacts
    where company_id = own_company_id and id = any (contact_ids) and phone is not null
    union all
    select app.phone_key(phone), least(until, now()), until < 'infinity' from public.contact_former_phones
    where company_id = own_company_id and contact_id = any (contact_ids)
    union all
    select coalesce(user_id, archived_user_id), now(), false from public.contact_identities
    where company_id = own_company_id and contact_id = any (contact_ids)
    union all
    -- Since somebody else has it, the channel's word of it is about that one.
    select told.name, case when is_taken then told.last_at else now() end, true
    from (
      select app.phone_key('+' || digits) as name, max(last_at) as last_at
      from (
        select
          -- The phone comes first; what follows is any bytes.
          substring(
            encode(decode(left(encoded, char_length(encoded) / 4 * 4), 'base64'), 'escape') from '[1-9][0-9]{6,14}'
          ) as digits,
          max(least(at, now())) as last_at
        from encoded_ids
        group by 1
      ) as own
      where digits is not null
      group by 1
    ) as told
    cross join lateral (
      select exists (
        select from public.contacts
        where company_id = own_company_id and id <> all (contact_ids)
          and (phone_key = told.name or archived_phone_key = told.name)
      ) or exists (
        select from public.contact_former_phones
        where company_id = own_company_id and contact_id <> all (contact_ids)
          and (phone_key = told.name or archived_phone_key = told.name)
      ) as is_taken
    ) as others
  ) as known
  group by known.name
$$;
comment on function app.names_of_contacts(uuid, uuid[]) is
  'The phone keys and ids by which the channel names some contacts, or named them in its ids of their messages, and until '
  'when: former phones are somebody else''s since.';

create function app.later_wishes(earlier jsonb, later jsonb) returns jsonb
language sql immutable
set search_path = ''
as $$
  select case when wishes ->> 'do_not_contact' = 'true' or stopped_at >= coalesce(resumed_at, '-infinity') then
    wishes || jsonb_build_object(
      'stop_word_at', greatest((earlier ->> 'stop_word_at')::timestamptz, (later ->> 'stop_word_at')::timestamptz),
      'start_word_at', greatest((earlier ->> 'start_word_at')::timestamptz, (later ->> 'start_word_at')::timestamptz),
      'marketing_stopped_at', stopped_at,
      'marketing_stop_source', case
        when (later ->> 'marketing_stopped_at')::timestamptz = stopped_at then later else earlier
      end -> 'marketing_stop_source',
      'marketing_resumed_at', resumed_at
    )
  end
  from (
    select
      case
        -- Of before times were kept, nobody knows when.
        when earlier ->> 'do_not_contact' = 'true' and later ->> 'do_not_contact' = 'false' and coalesce(
          (later ->> 'do_not_contact_at')::timestamptz <= (earlier ->> 'do_not_contact_at')::timestamptz,
          later ->> 'do_not_contact_at' is null
        ) then earlier
        else later
      end as wishes,
      greatest((earlier ->> 'marketing_stopped_at')::timestamptz, (later ->> 'marketing_stopped_at')::timestamptz)
        as stopped_at,
      greatest((earlier ->> 'marketing_resumed_at')::timestamptz, (later ->> 'marketing_resumed_at')::timestamptz)
        as resumed_at
  ) as newest
$$;
comment on function app.later_wishes(jsonb, jsonb) is
  'What is left of the wishes of two contacts of one person, of which the earlier ones may be null: each decision by the '
  'one that made it last. Null when there is nothing to keep.';

create or replace function app.keep_erased_people(own_company_id uuid, contact_ids uuid[]) returns void
language plpgsql
set search_path = ''
as $$
declare
  last_wishes jsonb;
begin
  select jsonb_build_object(
    'do_not_contact', bool_or(do_not_contact),
    'do_not_contact_source', (array_agg(do_not_contact_source order by do_not_contact desc, do_not_contact_at desc))[1],
    'do_not_contact_at', (array_agg(do_not_contact_at order by do_not_contact desc, do_not_contact_at desc))[1],
    'stop_word_at', max(stop_word_at),
    'start_word_at', max(start_word_at),
    'marketing_stopped_at', max(marketing_stopped_at),
    'marketing_stop_source', (array_agg(marketing_stop_source order by marketing_stopped_at desc nulls last))[1],
    'marketing_resumed_at', max(marketing_resumed_at)
  )
  into last_wishes
  from public.contacts
  where company_id = own_company_id and id = any (contact_ids);

  insert into app.erased_people as known (company_id, digest, until, wishes)
  select
    own_company_id, app.erased_digest(own_company_id, 'person', names.name), names.until,
    case when not names.is_former then app.later_wishes(earlier.wishes, last_wishes) else earlier.wishes end
  from app.names_of_contacts(own_company_id, contact_ids) as names
  left join app.erased_people as earlier on earlier.company_id = own_company_id
    and earlier.digest = app.erased_digest(own_company_id, 'person', names.name)
  on conflict (company_id, digest) do update set
    until = greatest(known.until, excluded.until),
    erased_at = excluded.erased_at,
    -- Another contact of the person, such as one that was archived before, may have asked for it, or have decided again.
    wishes = excluded.wishes;
end
$$;
comment on function app.keep_erased_people(uuid, uuid[]) is
  'Keeps the digests of what names some contacts, with the wishes of the person not to be contacted. Erasings of a company '
  'come one after the other, by the lock of app.lock_for_erasing().';
