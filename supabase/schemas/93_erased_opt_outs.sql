-- Opt-outs and opt-ins of erased people. They may arrive after the erasure of the person who sent them.

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

create function app.late_wish_in(own_company_id uuid, item jsonb) returns text
language plpgsql stable
set search_path = ''
as $$
begin
  if item ->> 'kind' = 'preference' then
    return case item ->> 'value' when 'stop' then 'stop_marketing' when 'resume' then 'start_marketing' end;
  elsif item ->> 'kind' = 'status' then
    return case item #>> '{failure,code}' when '131050' then 'stop_marketing' end;
  -- A stored message was applied before the erasure.
  elsif item ->> 'kind' is distinct from 'message' or item ->> 'word' is null or exists (
    select from public.messages where company_id = own_company_id
      and whatsapp_message_id = app.erased_digest(own_company_id, 'message', item ->> 'id')
  ) then
    return null;
  end if;
  return app.wish_in(own_company_id, item, (
    select id from public.messages where company_id = own_company_id
      and whatsapp_message_id = app.erased_digest(own_company_id, 'message', item ->> 'answers')
  ));
end
$$;
comment on function app.late_wish_in(uuid, jsonb) is
  'Returns the wish in an item of an erased person: stop, start, stop_marketing or start_marketing. Interprets the '
  'item like app.wish_in(), app.apply_preference() and app.note_failure(). Returns null for another item, and '
  'for a message that was applied before the erasure.';

create function app.keep_late_wish(own_company_id uuid, item jsonb, people jsonb) returns void
language plpgsql
set search_path = ''
as $$
declare
  said_at constant timestamptz := least(coalesce((item ->> 'at')::timestamptz, now()), now());
  wish constant text := app.late_wish_in(own_company_id, item);
  is_marketing constant boolean := wish in ('stop_marketing', 'start_marketing');
  is_report constant boolean := item ->> 'kind' = 'status';
  -- A former phone number may belong to another person, so no wishes are kept for it. The id of a message may contain
  -- other numbers than the phone number.
  names constant text[] := array(
    select name from unnest(case
      when is_report then app.author_names(jsonb_build_object(
        'recipient_user_id', item -> 'recipient_user_id', 'id', item -> 'id'
      ))
      else array[app.phone_key(item #>> '{person,phone}'), item #>> '{person,user_id}']
    end) as name
    where name is not null and coalesce((people #> array[name, 'is_former'])::boolean, is_report) is false
  );
  digests text[];
begin
  if wish is null or not people ?| names then
    return;
  end if;
  digests := array(
    select distinct app.erased_digest(own_company_id, 'person', name) collate "C" from unnest(names) as name order by 1
  );
  -- The contacts are locked first, as in every transaction that changes a contact and its kept wishes. The second lock
  -- waits for transactions that give another contact the phone number. Later transactions of this kind find the kept
  -- wishes.
  perform from public.contacts
  where company_id = own_company_id and id = any ((select app.contacts_with_names(own_company_id, names))::uuid[])
  order by id for no key update;
  perform app.lock_further_phones(own_company_id);

  if wish in ('start', 'start_marketing') then
    update app.erased_people set
      allowed_at = case when is_marketing then allowed_at else greatest(allowed_at, said_at) end,
      marketing_allowed_at = greatest(marketing_allowed_at, said_at)
    where company_id = own_company_id and digest = any (digests);
    update app.kept_wishes set wishes = app.later_wishes(
      wishes,
      jsonb_build_object('do_not_contact', false, 'marketing_resumed_at', said_at) || case
        -- The keyword "start" does not undo a manual opt-out.
        when is_marketing or wishes @> '{ "do_not_contact": true, "do_not_contact_source": "manual" }' then '{}'
        else jsonb_build_object('do_not_contact_source', 'word', 'do_not_contact_at', said_at, 'start_word_at', said_at)
      end
    )
    where company_id = own_company_id and digest = any (digests);
    perform app.forget_ended_opt_outs(own_company_id, names, '{}');
    -- The person may already have a new contact, which has inherited the opt-out.
    perform app.note_word(own_company_id, id, 'start', said_at)
    from unnest(app.contacts_with_names(own_company_id, names)) as id where not is_marketing;
    perform app.note_marketing(own_company_id, id, false, null, said_at)
    from unnest(app.contacts_with_names(own_company_id, names)) as id;
    return;
  end if;

  if exists (
    select from app.erased_people
    where company_id = own_company_id and digest = any (digests)
      -- The time of an opt-out is precise only to the second.
      and date_trunc('second', case when is_marketing then marketing_allowed_at else allowed_at end) > said_at
  ) then
    return;
  end if;
  insert into app.kept_wishes as known (company_id, digest, wishes)
  select own_company_id, digest, jsonb_build_object('do_not_contact', not is_marketing) || case
    when is_marketing then jsonb_build_object(
      'marketing_stopped_at', said_at,
      'marketing_stop_source', case
        when is_report then 'status'
        when item ->> 'kind' = 'preference' then 'preference'
        when item ->> 'type' = 'text' then 'word'
        else 'button'
      end
    )
    else jsonb_build_object('do_not_contact_source', 'word', 'do_not_contact_at', said_at, 'stop_word_at', said_at)
  end
  from unnest(digests) as digest
  on conflict (company_id, digest) do update set wishes = app.later_wishes(excluded.wishes, known.wishes);
  perform app.pass_on_wishes(contacts, false) from public.contacts
  where company_id = own_company_id and id = any ((select app.contacts_with_names(own_company_id, names))::uuid[]);
end
$$;
comment on function app.keep_late_wish(uuid, jsonb, jsonb) is
  'If an item of an erased person is an opt-out, keeps the opt-out for the person''s next contact. Keeps nothing if a '
  'later decision had ended the opt-out before the erasure. If the next contact already exists, it gets the opt-out, '
  'unless a later decision exists. If the item is an opt-in, ends the older opt-outs that are kept or that the next '
  'contact has. The argument `people` is the result of app.erased_among().';
