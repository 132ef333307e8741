-- Opt-outs of erased people. An opt-out may arrive after the erasure of the person who sent it.

create function app.contacts_with_names(own_company_id uuid, names text[]) returns uuid[]
language plpgsql stable
set search_path = ''
as $$
begin
  return array(
    select id from public.contacts where company_id = own_company_id and phone_key = any (names)
    union all
    select contact_id from public.contact_former_phones
    where company_id = own_company_id and phone_key = any (names) and until = 'infinity'
    union all
    select contact_id from public.contact_identities where company_id = own_company_id and user_id = any (names)
  );
end
$$;
comment on function app.contacts_with_names(uuid, text[]) is
  'Returns the contacts that have one of these phone keys as the main or an additional phone number, or have one of '
  'these ids.';

create function app.keep_late_opt_out(own_company_id uuid, item jsonb, people jsonb) returns void
language plpgsql
set search_path = ''
as $$
declare
  said_at constant timestamptz := least(coalesce((item ->> 'at')::timestamptz, now()), now());
  is_marketing boolean := true;
  source text := 'preference';
  -- A former phone number may belong to another person, so no wishes are kept for it.
  names constant text[] := array(
    select name from unnest(array[app.phone_key(item #>> '{person,phone}'), item #>> '{person,user_id}']) as name
    where name is not null and (people #> array[name, 'is_former'])::boolean is not true
  );
begin
  if not people ?| names or (
    item ->> 'kind' = 'preference' and item ->> 'value' = 'stop'
    or item ->> 'kind' = 'message' and item ->> 'word' in ('stop', 'stop_promotions')
      -- A stored message was applied before the erasure.
      and not exists (
        select from public.messages where company_id = own_company_id
          and whatsapp_message_id = app.erased_digest(own_company_id, 'message', item ->> 'id')
      )
  ) is not true then
    return;
  end if;
  if item ->> 'kind' = 'message' then
    is_marketing := item ->> 'word' = 'stop_promotions' or item ->> 'type' = 'button' and app.is_marketing(
      own_company_id, (
        select id from public.messages where company_id = own_company_id
          and whatsapp_message_id = app.erased_digest(own_company_id, 'message', item ->> 'answers')
      )
    );
    source := case item ->> 'type' when 'text' then 'word' else 'button' end;
  end if;
  if exists (
    select from app.erased_people
    where company_id = own_company_id
      and digest = any (array(select app.erased_digest(own_company_id, 'person', name) from unnest(names) as name))
      -- The time of an opt-out is precise only to the second.
      and date_trunc('second', case when is_marketing then marketing_allowed_at else allowed_at end) > said_at
  ) then
    return;
  end if;
  -- The contacts are locked first, as in every transaction that changes a contact and its kept wishes. The second lock
  -- waits for transactions that give another contact the phone number. Later transactions of this kind find the kept
  -- wishes.
  perform from public.contacts
  where company_id = own_company_id and id = any ((select app.contacts_with_names(own_company_id, names))::uuid[])
  order by id for no key update;
  perform app.lock_further_phones(own_company_id);
  insert into app.kept_wishes as known (company_id, digest, wishes)
  select distinct own_company_id, app.erased_digest(own_company_id, 'person', name),
    jsonb_build_object('do_not_contact', not is_marketing) || case
      when is_marketing then jsonb_build_object('marketing_stopped_at', said_at, 'marketing_stop_source', source)
      else jsonb_build_object('do_not_contact_source', 'word', 'do_not_contact_at', said_at, 'stop_word_at', said_at)
    end
  from unnest(names) as name
  on conflict (company_id, digest) do update set wishes = app.later_wishes(excluded.wishes, known.wishes);
  -- The person may already have a new contact.
  perform app.pass_on_wishes(contacts, false) from public.contacts
  where company_id = own_company_id and id = any ((select app.contacts_with_names(own_company_id, names))::uuid[]);
end
$$;
comment on function app.keep_late_opt_out(uuid, jsonb, jsonb) is
  'If an item of an erased person is an opt-out, keeps the opt-out for the person''s next contact. Keeps nothing if a '
  'later decision had ended the opt-out before the erasure. If the next contact already exists, it gets the opt-out, '
  'unless a later decision exists. The argument `people` is the result of app.erased_among().';
