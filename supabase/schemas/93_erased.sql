-- Functions that keep erased data erased. When a person is erased, a send may still be in progress, and reports may
-- arrive for weeks afterwards. No write to an erased row can restore the person's data. Ids, times, states, prices and
-- amounts remain, because they are counted. Hashes of phone numbers and ids identify erased people. WhatsApp may send
-- events about a person for days after the erasure, and operators may replay events. From such an event, the platform
-- removes all data about the time before the erasure. The hashes are deleted after 45 days.

create table app.erased_people (
  company_id uuid not null references public.companies on delete cascade,
  digest text not null check (digest ~ '^erased\.[0-9a-f]{64}$'),
  -- Before this second, the phone number or id belonged to the erased person. From this second on, it may belong to
  -- another person.
  until timestamptz not null,
  -- True if every erased person with this phone number or id had lost it before the erasure.
  is_former boolean not null default false,
  -- When all messages, or marketing messages, were last allowed before the erasure. Null if that was never decided. An
  -- older opt-out that arrives late does not apply.
  allowed_at timestamptz,
  marketing_allowed_at timestamptz,
  erased_at timestamptz not null default now(),
  primary key (company_id, digest)
);
comment on table app.erased_people is
  'Hashes of erased people''s phone numbers and ids, with the times of the last opt-ins. Kept for 45 days.';

create index erased_people_age_idx on app.erased_people (erased_at);

create function app.stay_erased() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  if current_user in ('api_client', 'authenticated') or new.archived_at is null then
    raise sqlstate 'PT404' using
      message = 'Contact not found: the person was erased, so nothing is left to change or to restore';
  end if;
  -- The platform discards all data that arrives later.
  return null;
end
$$;
comment on function app.stay_erased() is
  'Trigger: prevents changes to an erased contact. Raises PT404, with a message for callers, when a caller changes the '
  'contact or any statement restores it.';

create function app.erase_message() returns trigger
-- Security definer, because no role may read the secret key for the hashes.
language plpgsql security definer
set search_path = ''
as $$
begin
  new.is_erased := true;
  new.content := '';
  new.original_content := null;
  new.rendered_text := null;
  new.payload := null;
  new.media := null;
  new.reaction := null;
  new.own_reaction := null;
  new.own_reaction_whatsapp_id := null;
  -- WhatsApp's error message may identify the person, but the error code does not.
  new.failure := new.failure || '{ "message": null, "details": null }';
  -- WhatsApp ids contain the phone number.
  new.whatsapp_message_id := app.erased_digest(new.company_id, 'message', new.whatsapp_message_id);
  new.reply_to_whatsapp_id := null;
  return new;
end
$$;
comment on function app.erase_message() is
  'Trigger: removes the content of an erased message, and replaces the WhatsApp id with a hash.';

create function app.erase_send() returns trigger
language plpgsql security definer -- see erase_message()
set search_path = ''
as $$
begin
  new.is_erased := true;
  -- A repeat of a released send would send the message, so the send becomes failed. A repeat of a failed send sends
  -- nothing.
  if new.state = 'released' then
    new.state := 'failed';
  end if;
  -- An idempotency key may contain any data of the caller, even a phone number.
  new.idempotency_key := app.erased_digest(new.company_id, 'key', new.idempotency_key);
  -- The fingerprint contains unkeyed hashes, so short values can be guessed.
  new.fingerprint := null;
  -- WhatsApp may still have the file.
  new.media_id := null;
  new.whatsapp_message_id := app.erased_digest(new.company_id, 'message', new.whatsapp_message_id);
  new.double_sent_ids := array_remove(array(
    select distinct app.erased_digest(new.company_id, 'message', id) collate "C"
    from unnest(new.double_sent_ids) as id order by 1
  ), new.whatsapp_message_id);
  return new;
end
$$;
comment on function app.erase_send() is
  'Trigger: replaces the idempotency key and the WhatsApp ids of an erased send with hashes, and removes the media id. '
  'The send is never repeated.';

-- An erased idempotency key is recognized by its hash. So a repeat does not send again, even if the person was erased
-- after the first request.
create function app.require_key_not_erased() returns trigger
-- Security definer, because no role may read the secret key for the hashes.
language plpgsql security definer
set search_path = ''
as $$
begin
  if tg_when = 'BEFORE' then
    new.idempotency_key := app.known_send_key(new.company_id, new.idempotency_key);
    return new;
  end if;
  -- The person was erased while this claim waited for the row with the same key. When the caller repeats the claim, the
  -- claim finds the hash.
  if app.known_send_key(new.company_id, new.idempotency_key) <> new.idempotency_key then
    raise serialization_failure using message = 'The send with this idempotency key was erased in the meantime';
  end if;
  return null;
end
$$;
comment on function app.require_key_not_erased() is
  'Trigger: treats a send with the idempotency key of an erased send as a repeat of that send.';

create function app.forget_erased_people(max_rows integer) returns integer
language sql
set search_path = ''
as $$
  with old as (
    select company_id, digest from app.erased_people
    -- WhatsApp tries to deliver a message for up to 30 days, and repeats an event for up to 7 more days.
    where erased_at < now() - interval '45 days'
    order by erased_at
    limit max_rows
    for update skip locked
  ),
  removed as (
    delete from app.erased_people as people using old
    where people.company_id = old.company_id and people.digest = old.digest
    returning people.digest
  )
  select count(*)::integer from removed
$$;
comment on function app.forget_erased_people(integer) is
  'Deletes at most max_rows hashes that are older than 45 days, and returns the number of deleted hashes.';

create function app.erased_among(own_company_id uuid, names text[]) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    select coalesce(jsonb_object_agg(erased.name, jsonb_build_object(
      -- WhatsApp reports times in whole seconds. An event in the same second as the erasure may have happened after the
      -- erasure.
      'until', floor(extract(epoch from erased.until))::bigint - 1,
      'is_former', erased.is_former,
      'is_back', exists (
        select from public.contacts where company_id = own_company_id and phone_key = erased.name
        union all
        select from public.contact_former_phones where company_id = own_company_id and phone_key = erased.name
        union all
        select from public.contact_identities where company_id = own_company_id and user_id = erased.name
      )
    )), '{}')
    from (
      select named.name, people.until, people.is_former
      from (
        -- This query computes the same hash as app.erased_digest(). Calling that function once per name would cost
        -- more.
        select name, 'erased.' || encode(
          sha256(outer_pad || sha256(
            inner_pad || convert_to(format('%s %s %s', own_company_id, 'person', name), 'UTF8')
          )),
          'hex'
        ) as digest
        from unnest(names) as name cross join app.erasure_key
      ) as named
      join app.erased_people as people on people.company_id = own_company_id and people.digest = named.digest
    ) as erased
  );
end
$$;
comment on function app.erased_among(uuid, text[]) is
  'Returns the given names that belonged to erased people of the company, as { name: { until, is_former, is_back } }. '
  'The member `until` is the last second in which the person had the name. The member is_former is true if the person '
  'had lost the name before the erasure. An archived contact still has its names. The member is_back is true if a '
  'contact has the name again.';

create function app.late_ids_in(own_company_id uuid, items jsonb) returns text[]
language plpgsql stable
set search_path = ''
as $$
begin
  return array(
    select item ->> 'id'
    from jsonb_array_elements(items) as listed (item)
    where item ->> 'kind' = 'status' and (
      exists (
        select from public.messages
        where company_id = own_company_id
          and whatsapp_message_id = app.erased_digest(own_company_id, 'message', item ->> 'id')
      )
      or exists (
        select from public.sends
        where company_id = own_company_id and is_erased and id = case
          when pg_catalog.pg_input_is_valid(item #>> '{mark,send_id}', 'uuid') then (item #>> '{mark,send_id}')::uuid
        end
      )
    )
  );
end
$$;
comment on function app.late_ids_in(uuid, jsonb) is
  'Returns the WhatsApp message ids in the status reports about erased messages of the company.';

create function app.item_without(own_company_id uuid, app_id uuid, item jsonb, people jsonb, late_ids text[])
returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  kind constant text := item ->> 'kind';
  part jsonb;
begin
  case
    when kind = 'status' and item ->> 'id' = any (late_ids) then
      -- The state of the message is counted, so it remains. The recipient is removed.
      return item || jsonb_build_object(
        'id', app.erased_digest(own_company_id, 'message', item ->> 'id'), 'recipient_user_id', null
      ) || case
        when jsonb_typeof(item -> 'failure') = 'object'
          then jsonb_build_object('failure', (item -> 'failure') || '{ "message": null, "details": null }')
        else '{}' end;
    when kind in ('status', 'message', 'reaction', 'edit', 'revoke', 'system', 'identity', 'preference') then
      if kind <> 'status' and exists (
        select from public.messages
        where company_id = own_company_id and whatsapp_message_id = app.erased_digest(
          own_company_id, 'message', coalesce(item ->> 'target', item ->> 'id')
        )
      ) then
        return null;
      end if;
      part := jsonb_build_object(
        'from', item #> '{person,phone}', 'from_user_id', item #> '{person,user_id}',
        'recipient_user_id', item -> 'recipient_user_id', 'id', item -> 'id',
        'biz_opaque_callback_data', item #> '{mark,send_id}',
        'timestamp', extract(epoch from (item ->> 'at')::timestamptz)::bigint
      );
      return case
        when not app.is_about(part, people, kind = 'status')
          or app.is_of_another(own_company_id, app_id, item ->> 'phone_number_id', part, kind = 'status')
        then item end;
    when kind in ('template', 'account') and app.names_among(item -> 'value', people) <> '{}' then
      return item || jsonb_build_object('value', app.words_of(item -> 'value', people));
    when kind = 'trouble' and app.names_among(item -> 'errors', people) <> '{}' then
      return item || jsonb_build_object('errors', app.codes_of(item -> 'errors'));
    else
      return item;
  end case;
end
$$;
comment on function app.item_without(uuid, uuid, jsonb, jsonb, text[]) is
  'Removes the erased people in `people`, { name: { until, is_back } }, from an item of an app''s event, and returns '
  'the item. Returns null when the item belongs to one of these people and not to another company. A report whose id is '
  'in late_ids keeps only the values that are counted. A notice that mentions one of these people keeps only its '
  'numbers and fixed values.';

create function app.judged_event(app_id uuid, names text[], inout body bytea, inout items jsonb)
language plpgsql
set search_path = ''
as $$
#variable_conflict use_column
declare
  own_company_id uuid;
  is_own_app boolean;
  people jsonb;
  late_ids text[];
  number_ids text[];
  business_ids text[];
  company_ids uuid[];
  changed jsonb[];
begin
  if jsonb_typeof(items) is distinct from 'array' then
    return;
  end if;
  select
    array_agg(distinct item ->> 'phone_number_id'),
    array_agg(distinct item ->> 'waba') filter (where item ->> 'phone_number_id' is null)
  into number_ids, business_ids
  from jsonb_array_elements(items) as listed (item);
  company_ids := array(
    select company_id from public.messaging_accounts where phone_number_id = any (number_ids)
    union
    select company_id from public.messaging_accounts where business_account_id = any (business_ids)
    order by 1
  );
  if company_ids = '{}' then
    -- An item without an account may still contain data about people whom a company of the app has erased.
    company_ids := array(
      select distinct named.company_id from public.account_channel_apps as named where named.channel_app_id = app_id
      order by 1
    );
  end if;
  foreach own_company_id in array company_ids loop
    -- Nearly every company has no erased people. A query for one company at a time uses the index, even if the planner
    -- expects many rows.
    continue when not exists (select from app.erased_people where company_id = own_company_id);
    names := coalesce(names, app.names_in(app.text_of_event(body)));
    people := app.erased_among(own_company_id, names);
    late_ids := app.late_ids_in(own_company_id, items);
    continue when people = '{}' and late_ids = '{}';
    is_own_app := exists (
      select from public.account_channel_apps as named
      where named.company_id = own_company_id and named.channel_app_id = app_id
    );
    body := app.event_without(own_company_id, app_id, body, people, late_ids);
    select
      coalesce(jsonb_agg(kept order by place) filter (where kept is not null), '[]'),
      array_agg(item) filter (where kept is distinct from item)
    into items, changed
    from jsonb_array_elements(items) with ordinality as listed (item, place)
    cross join lateral (
      -- The erasures of a company apply only to items for an account that the company has or had. Another company in
      -- the same event may not have erased the person. app.item_without() keeps the items of a company that has the
      -- number now.
      select case when is_own_app and item ->> 'phone_number_id' is null or exists (
        select from public.messaging_accounts as accounts
        where accounts.company_id = own_company_id and (
          accounts.phone_number_id = item ->> 'phone_number_id'
          or item ->> 'phone_number_id' is null and accounts.business_account_id = item ->> 'waba'
        )
      ) then app.item_without(own_company_id, app_id, item, people, late_ids) else item end as kept
    ) as judged;
    perform app.keep_late_wish(own_company_id, item, people) from unnest(changed) as item;
  end loop;
end
$$;
comment on function app.judged_event(uuid, text[], bytea, jsonb) is
  'Returns the bytes and the items of an app''s event, without data about people whom the event''s companies have '
  'erased. The argument `names` contains the names in the event. If it is null, the function searches for the names '
  'itself. An event that arrives after an erasure is checked before it is stored. Its bytes and its items are checked '
  'together, so both lose the same data. Keeps the opt-outs in the items that lose data, and applies their opt-ins.';

create trigger contacts_stay_erased before update on public.contacts
  for each row when (old.erased_at is not null) execute function app.stay_erased();
create trigger messages_erase before update on public.messages
  for each row when (old.is_erased or new.is_erased) execute function app.erase_message();
create trigger sends_erase before update on public.sends
  for each row when (old.is_erased or new.is_erased) execute function app.erase_send();
create trigger sends_find_erased_key before insert on public.sends
  for each row when (new.idempotency_key is not null) execute function app.require_key_not_erased();
create trigger sends_require_key_not_erased after insert on public.sends
  for each row when (new.idempotency_key is not null) execute function app.require_key_not_erased();
