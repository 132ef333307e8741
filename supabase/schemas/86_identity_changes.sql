-- A person who gets a new phone number or a new user id remains the same contact.

create function app.has_begun_since(own_company_id uuid, of_contact_id uuid, at timestamptz) returns boolean
language sql stable
set search_path = ''
as $$
  select exists (
    select from public.contacts
    where company_id = own_company_id and id = of_contact_id and source = 'whatsapp' and created_at >= at
  )
  and exists (
    select from public.conversations
    join public.messages
      on messages.company_id = conversations.company_id and messages.conversation_id = conversations.id
    where conversations.company_id = own_company_id and conversations.contact_id = of_contact_id
      and messages.direction = 'inbound'
  )
  and not exists (
    select from public.conversations
    join public.messages
      on messages.company_id = conversations.company_id and messages.conversation_id = conversations.id
    where conversations.company_id = own_company_id and conversations.contact_id = of_contact_id
      and coalesce(messages.sent_at, messages.created_at) < at
  )
  and not exists (
    select from public.contact_identities
    where company_id = own_company_id and contact_id = of_contact_id and seen_at < at
  )
  and not exists (
    select from public.deals where company_id = own_company_id and contact_id = of_contact_id
  )
$$;
comment on function app.has_begun_since(uuid, uuid, timestamptz) is
  'Checks whether an event from WhatsApp added a contact, and whether everything known about the contact is from the '
  'given time or later.';

create function app.change_phone(
  own_company_id uuid, of_contact_id uuid, former_phone text, new_phone text, at timestamptz
) returns boolean
language plpgsql
set search_path = ''
as $$
#variable_conflict use_column
declare
  contact public.contacts;
  is_on_file boolean;
  -- Whether the new phone number already was an additional number of the contact.
  is_further boolean;
  owner_id uuid;
  phone_now text := new_phone;
  lost_phone text;
begin
  select * into contact from public.contacts
  where company_id = own_company_id and id = of_contact_id
  for no key update;
  if exists (
    select from public.contact_identity_events
    where company_id = own_company_id and contact_id = of_contact_id and kind = 'phone_changed'
      and was is not distinct from former_phone and becomes = new_phone and happened_at >= at
  ) then
    return true; -- The change was reported earlier, and the company may have changed the phone number since then.
  end if;
  is_on_file := contact.phone is not null
    and (former_phone is null or contact.phone_key = app.phone_key(former_phone));

  for tries in 1..10 loop
    begin
      -- The contact that had the new phone number immediately after the change.
      owner_id := app.owner_of_phone(own_company_id, new_phone, at + interval '1 microsecond');
      if owner_id <> of_contact_id then
        if not app.has_begun_since(own_company_id, owner_id, at) then
          -- A phone number may be reassigned to another person, so the two contacts may be two people. Only the company
          -- can decide this.
          insert into public.contact_identity_events (company_id, contact_id, kind, was, becomes, happened_at)
          values (own_company_id, of_contact_id, 'phone_taken', former_phone, new_phone, at)
          on conflict on constraint contact_identity_events_once do nothing;
          perform app.share_wishes(own_company_id, of_contact_id, new_phone, at + interval '1 microsecond');
          update public.contact_former_phones set until = at
          where company_id = own_company_id and contact_id = of_contact_id
            and phone_key = app.phone_key(former_phone) and until = 'infinity';
          return false;
        end if;
        -- The other contact is the same person, who wrote from the new phone number before WhatsApp delivered this
        -- event. The person may have an even newer number by now.
        select phone into phone_now from public.contacts where company_id = own_company_id and id = owner_id;
        perform app.merge_contacts(own_company_id, of_contact_id, owner_id);
      end if;
      if contact.phone is not null and not is_on_file then
        -- The number becomes an additional number below. As in app.find_person(), the check after the lock finds a
        -- contact that another transaction has just added with this number.
        perform app.lock_further_phones(own_company_id);
        continue when app.owner_of_phone(own_company_id, new_phone, at + interval '1 microsecond') <> of_contact_id;
      end if;
      -- After a merge, the other phone number is an additional number until the platform knows which number is newer.
      perform from public.contact_former_phones
      where company_id = own_company_id and contact_id = of_contact_id
        and phone_key = app.phone_key(phone_now) and until = 'infinity';
      is_further := found;
      if is_further or owner_id is distinct from of_contact_id then
        if is_on_file or contact.phone is null then
          -- During this update, the number is still additional, so app.inherit_wishes() keeps newer decisions.
          update public.contacts set phone = phone_now where company_id = own_company_id and id = of_contact_id;
          if owner_id is null then
            perform app.require_no_further_phone(own_company_id, of_contact_id, app.phone_key(phone_now));
          end if;
          delete from public.contact_former_phones
          where company_id = own_company_id and contact_id = of_contact_id
            and phone_key = app.phone_key(phone_now) and until = 'infinity';
        else
          -- The company has stored another phone number for the person, and that number remains. Messages from the new
          -- phone number also belong to this contact.
          insert into public.contact_former_phones (company_id, contact_id, phone, until)
          values (own_company_id, of_contact_id, phone_now, 'infinity')
          on conflict on constraint contact_former_phones_once do update set until = excluded.until;
          perform app.pass_on_wishes(contacts, false, case when not is_further then app.phone_key(phone_now) end)
          from public.contacts where company_id = own_company_id and id = of_contact_id;
        end if;
      end if;
      exit;
    exception when unique_violation then
      -- Another transaction has given the phone number to a contact in the meantime.
      if tries = 10 then
        raise;
      end if;
    end;
  end loop;

  lost_phone := case when is_on_file then contact.phone else former_phone end;
  if app.phone_key(lost_phone) <> app.phone_key(new_phone) then
    insert into public.contact_former_phones as former (company_id, contact_id, phone, until)
    values (own_company_id, of_contact_id, lost_phone, at)
    on conflict on constraint contact_former_phones_once do update set
      until = case former.until when 'infinity' then excluded.until else greatest(former.until, excluded.until) end;
    -- A reply goes to the person's new phone number.
    update public.contact_windows set last_inbound_phone = new_phone
    where company_id = own_company_id and contact_id = of_contact_id
      and app.phone_key(last_inbound_phone) = app.phone_key(lost_phone);
    -- The contact keeps the person's wishes. The earlier phone number may get another owner, so the platform deletes
    -- the opt-outs that it kept for that number. Ended opt-outs remain while an archived contact has the number.
    update app.kept_wishes set wishes = case
        when wishes ->> 'do_not_contact' = 'true' then '{ "do_not_contact": false }'
          || (wishes - '{do_not_contact,do_not_contact_source,do_not_contact_at,stop_word_at,start_word_at}'::text[])
        else wishes
      end - case
        when (wishes ->> 'marketing_stopped_at')::timestamptz
          >= coalesce((wishes ->> 'marketing_resumed_at')::timestamptz, '-infinity')
        then '{marketing_stopped_at,marketing_stop_source,marketing_resumed_at}'::text[]
        else '{}'
      end
    where company_id = own_company_id and digest = app.erased_digest(own_company_id, 'person', app.phone_key(lost_phone));
    perform app.forget_ended_opt_outs(own_company_id, array[app.phone_key(lost_phone)], '{}');
  end if;
  insert into public.contact_identity_events as noted (company_id, contact_id, kind, was, becomes, happened_at)
  values (own_company_id, of_contact_id, 'phone_changed', former_phone, new_phone, at)
  on conflict on constraint contact_identity_events_once do update set
    happened_at = greatest(noted.happened_at, excluded.happened_at);
  return true;
end
$$;
comment on function app.change_phone(uuid, uuid, text, text, timestamptz) is
  'Gives a contact the phone number that WhatsApp reports, and stores that the former phone number was valid until the '
  'given time. Returns true. If the new number belongs to another contact that may be another person, only records '
  'this as an identity event (phone_taken) and returns false.';

create function app.apply_identity_change(account_id uuid, item jsonb) returns text
language plpgsql
set search_path = ''
as $$
#variable_conflict use_column
declare
  account record;
  own_company_id uuid;
  happened_at constant timestamptz := least(coalesce((item ->> 'at')::timestamptz, now()), now());
  person jsonb := item -> 'person';
  new_phone constant text := substring(item #>> '{change,phone}' from '^\+[1-9][0-9]{6,14}$');
  former_user_id constant text := nullif(left(person ->> 'user_id', 255), '');
  new_user_id constant text := nullif(left(item #>> '{change,user_id}', 255), '');
  own_contact_id uuid;
  own_conversation_id uuid;
begin
  select company_id, business_account_id into account from public.messaging_accounts where id = account_id;
  own_company_id := account.company_id;
  if item ->> 'kind' = 'system' and exists (
    select from public.messages where company_id = own_company_id and whatsapp_message_id = item ->> 'id'
  ) then
    return 'done'; -- Without this check, a repeated notice about an archived contact would add a contact.
  end if;

  if item ->> 'kind' = 'identity' and app.known_person(own_company_id, person, happened_at) is null then
    if former_user_id is null or new_user_id is null then
      return 'ignored';
    end if;
    if not exists (
      select from public.contact_identities where company_id = own_company_id and user_id = new_user_id
    ) then
      -- A person who never wrote does not become a contact. If the person later writes with either id, the contact gets
      -- both ids.
      insert into public.user_id_changes as noted (company_id, was, becomes, phone, happened_at)
      values (
        own_company_id, former_user_id, new_user_id,
        substring(person ->> 'phone' from '^\+[1-9][0-9]{6,14}$'), happened_at
      )
      on conflict on constraint user_id_changes_once do update set
        phone = coalesce(noted.phone, excluded.phone),
        happened_at = least(noted.happened_at, excluded.happened_at);
      return 'done';
    end if;
    -- The person wrote with the new id before this event was delivered.
    person := person || jsonb_build_object('user_id', new_user_id);
  end if;

  own_contact_id := app.find_person(account_id, person, happened_at);
  if own_contact_id is null then
    return 'unroutable';
  end if;
  if new_phone is null
    or app.change_phone(own_company_id, own_contact_id, person ->> 'phone', new_phone, happened_at)
  then
    if former_user_id is not null then
      own_contact_id := app.learn_user_id(
        own_company_id, own_contact_id, former_user_id, account.business_account_id, happened_at
      );
    end if;
    if new_user_id is not null and new_user_id is distinct from former_user_id then
      own_contact_id := app.learn_user_id(
        own_company_id, own_contact_id, new_user_id, account.business_account_id, happened_at
      );
      insert into public.contact_identity_events as noted (company_id, contact_id, kind, was, becomes, happened_at)
      select own_company_id, own_contact_id, 'user_id_changed', former_user_id, new_user_id, happened_at
      where former_user_id is not null
      on conflict on constraint contact_identity_events_once do update set
        happened_at = least(noted.happened_at, excluded.happened_at);
    end if;
  end if;

  if item ->> 'kind' = 'system' then
    select id into own_conversation_id from public.conversations
    where company_id = own_company_id and contact_id = own_contact_id and messaging_account_id = account_id
    order by status = 'closed', created_at desc, id desc limit 1;
    own_conversation_id := coalesce(
      own_conversation_id, (app.find_or_open_conversation(own_company_id, own_contact_id, account_id)).id
    );
    insert into public.messages (
      company_id, conversation_id, direction, type, content, payload, whatsapp_message_id, sent_at, created_at,
      updated_at
    )
    values (
      own_company_id, own_conversation_id, 'inbound', 'system', coalesce(item ->> 'content', ''),
      nullif(item -> 'payload', 'null'), item ->> 'id', happened_at, clock_timestamp(),
      clock_timestamp()
    )
    on conflict (company_id, whatsapp_message_id) do nothing;
  end if;
  return 'done';
end
$$;
comment on function app.apply_identity_change(uuid, jsonb) is
  'Applies a person''s new phone number or user id, from an item of kind `system` or `identity`. An item of kind '
  '`system` also becomes a message in the newest conversation with the person. Such a message does not open a window. '
  'If the message is already stored, the item changes nothing.';
