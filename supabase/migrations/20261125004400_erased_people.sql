-- Who was erased, as digests of their phones and ids. The channel tells of a person for days, and operators have events
-- applied again: what is of before the erasing is of nobody. Whoever asked not to be contacted goes on being so, also as
-- someone new; the other digests are forgotten after 30 days, like the events.

create table app.erased_people (
  company_id uuid not null references public.companies on delete cascade,
  digest text not null check (digest ~ '^erased\.[0-9a-f]{64}$'),
  -- What happened before this second is the erased person's. A former phone is somebody else's since.
  until timestamptz not null,
  erased_at timestamptz not null default now(),
  -- What the person wished, in the columns of a contact; null when there was nothing to keep.
  wishes jsonb check (jsonb_typeof(wishes) = 'object'),
  primary key (company_id, digest)
);
comment on table app.erased_people is
  'Digests of the phones and ids of erased people: for 30 days, or with their wish not to be contacted, for ever.';
create index erased_people_age_idx on app.erased_people (erased_at) where wishes is null;

create function app.forget_erased_people(max_rows integer) returns integer
language sql
set search_path = ''
as $$
  with old as (
    select company_id, digest from app.erased_people
    where wishes is null and erased_at < now() - interval '30 days'
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
  'Deletes digests of more than 30 days ago that keep no wish, at most so many, and returns how many.';

-- A contact inherits the wishes of erased people as it does those of archived contacts.
create or replace function app.wishes_of_archived(own_company_id uuid, by_phone text, by_user_id text, but_not_of uuid)
returns public.contacts
language plpgsql
set search_path = ''
as $$
#variable_conflict use_column
declare
  others public.contacts[];
  wishes public.contacts;
begin
  others := array(
    select contacts from public.contacts
    where company_id = own_company_id and archived_at is not null and id <> but_not_of and id in (
      select id from public.contacts
      where company_id = own_company_id and archived_phone_key = app.phone_key(by_phone)
      union all
      -- Former ones are other people's by now.
      select contact_id from public.contact_former_phones
      where company_id = own_company_id and archived_phone_key = app.phone_key(by_phone) and until = 'infinity'
      union all
      select contact_id from public.contact_identities
      where company_id = own_company_id and archived_user_id = by_user_id
    )
  );
  others := others || array(
    select jsonb_populate_record(null::public.contacts, people.wishes) from app.erased_people as people
    where people.company_id = own_company_id and people.wishes is not null and people.digest in (
      app.erased_digest(own_company_id, 'person', app.phone_key(by_phone)),
      app.erased_digest(own_company_id, 'person', by_user_id)
    )
  );
  -- Nearly always.
  if others = '{}' then
    return null;
  end if;
  select do_not_contact, do_not_contact_source, do_not_contact_at
  into wishes.do_not_contact, wishes.do_not_contact_source, wishes.do_not_contact_at
  from unnest(others)
  -- Of contacts from before times were kept, nobody knows when; those are older.
  order by do_not_contact_at desc nulls last, do_not_contact desc limit 1;
  select max(stop_word_at), max(start_word_at), max(marketing_resumed_at)
  into wishes.stop_word_at, wishes.start_word_at, wishes.marketing_resumed_at from unnest(others);
  select marketing_stopped_at, marketing_stop_source into wishes.marketing_stopped_at, wishes.marketing_stop_source
  from unnest(others) where marketing_stopped_at is not null
  order by marketing_stopped_at desc, marketing_stop_source limit 1;
  return wishes;
end
$$;
comment on function app.wishes_of_archived(uuid, text, text, uuid) is
  'The newest wishes of the archived contacts, and of the erased people, that had a phone or an id of the channel, in the '
  'columns of a contact; nulls when there are none.';

create or replace function app.inherit_wishes_of_added() returns trigger
-- Security definer, here and below, because nobody who writes a contact may read archived ones, or what a person said
-- by a word.
language plpgsql security definer
set search_path = ''
as $$
declare
  contact public.contacts;
begin
  -- After the rows: whoever archived the other contact may have committed only while these waited for its phone.
  for contact in
    select contacts.*
    from added
    -- One look into each index, however many rows are added.
    cross join lateral (
      (
        select from public.contacts as archived
        where archived.company_id = added.company_id and archived.archived_phone_key = added.phone_key
        limit 1
      )
      union all
      (
        select from public.contact_former_phones as former
        where former.company_id = added.company_id and former.archived_phone_key = added.phone_key
        limit 1
      )
      union all
      (
        select from app.erased_people as people
        where people.company_id = added.company_id and people.wishes is not null
          and people.digest = app.erased_digest(added.company_id, 'person', added.phone_key)
        limit 1
      )
      limit 1
    ) as known
    join public.contacts on contacts.id = added.id
  loop
    perform app.pass_on_wishes(contact, null, true);
  end loop;
  return null;
end
$$;
comment on function app.inherit_wishes_of_added() is
  'Trigger: new contacts inherit the wishes of archived ones, and of erased people, that had their phone. Who answers them '
  'reads them again.';

create function app.is_of_erased(own_company_id uuid, names text[], at timestamptz) returns boolean
language sql stable
set search_path = ''
as $$
  select exists (
    select from app.erased_people
    where company_id = own_company_id
      and digest in (select app.erased_digest(own_company_id, 'person', name) from unnest(names) as name)
      -- The channel's times have no fractions: what is of the same second may be of after.
      and at < date_trunc('second', until)
  )
$$;
comment on function app.is_of_erased(uuid, text[], timestamptz) is
  'Whether something of this time is of a person who was erased since.';

create function app.item_without_erased(own_company_id uuid, item jsonb, names text[]) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  kind constant text := item ->> 'kind';
  digest constant text := app.erased_digest(own_company_id, 'message', coalesce(item ->> 'target', item ->> 'id'));
  is_of_erased_message constant boolean := exists (
    select from public.messages where company_id = own_company_id and whatsapp_message_id = digest
  );
begin
  if kind = 'status' and (is_of_erased_message or exists (
    select from public.sends
    where company_id = own_company_id and is_erased and id = case
      when pg_catalog.pg_input_is_valid(item #>> '{mark,send_id}', 'uuid') then (item #>> '{mark,send_id}')::uuid
    end
  )) then
    -- What became of the message is counted. Whom it reached is nobody's business any more.
    return item || jsonb_build_object('id', digest, 'recipient_user_id', null) || case
      when jsonb_typeof(item -> 'failure') = 'object'
        then jsonb_build_object('failure', (item -> 'failure') || '{ "message": null, "details": null }')
      else '{}' end;
  elsif is_of_erased_message or app.is_of_erased(own_company_id, names, (item ->> 'at')::timestamptz) then
    return null;
  end if;
  return item;
end
$$;
comment on function app.item_without_erased(uuid, jsonb, text[]) is
  'An item that names these people, for a company that has erased somebody: null when it is of an erased person, and of a '
  'status what can be counted.';

create function app.items_without_erased(company_ids uuid[], items jsonb, out kept jsonb, out people jsonb)
language plpgsql stable
set search_path = ''
as $$
declare
  erasing_ids constant uuid[] := array(
    select id from unnest(company_ids) as id
    where exists (select from app.erased_people where company_id = id)
  );
  entry record;
  names text[];
  item jsonb;
  remaining jsonb[] := '{}';
begin
  kept := items;
  people := '{}';
  -- Nearly always.
  if erasing_ids = '{}' then
    return;
  end if;
  for entry in
    select value as item from jsonb_array_elements(items) with ordinality as listed (value, place) order by place
  loop
    item := entry.item;
    if item ->> 'kind' in ('status', 'message', 'reaction', 'edit', 'revoke', 'system', 'identity', 'preference') then
      names := app.names_in(jsonb_build_object(
        'person', item -> 'person', 'recipient_user_id', item -> 'recipient_user_id', 'id', item -> 'id'
      )::text);
      for place in 1..cardinality(erasing_ids) loop
        -- Of a number that has moved between two companies, one may have erased the person, and the other not.
        continue when item ->> 'phone_number_id' is null or not exists (
          select from public.messaging_accounts
          where company_id = erasing_ids[place] and phone_number_id = item ->> 'phone_number_id'
        );
        item := app.item_without_erased(erasing_ids[place], item, names);
        exit when item is distinct from entry.item;
      end loop;
    end if;
    if item is distinct from entry.item then
      people := people || (
        select coalesce(jsonb_object_agg(name, greatest(
          extract(epoch from (entry.item ->> 'at')::timestamptz)::bigint, (people -> name)::bigint
        )), '{}')
        from unnest(names) as name
      );
    end if;
    if item is not null then
      remaining := remaining || item;
    end if;
  end loop;
  kept := to_jsonb(remaining);
end
$$;
comment on function app.items_without_erased(uuid[], jsonb) is
  'The items of an event without what is of people whom these companies have erased, and these people as '
  '{ name: until }.';

create or replace function app.apply_items(app_id uuid, items jsonb, until timestamptz) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  company_ids uuid[];
  forgotten jsonb;
begin
  if jsonb_typeof(items) is distinct from 'array' then
    raise exception 'Items are a list';
  elsif items = '[]' then
    return app.apply_each_item(app_id, items, until, false);
  end if;
  begin
    perform set_config('lock_timeout', '2s', true);
    company_ids := app.lock_companies_of_items(app_id, items);
  exception when lock_not_available or deadlock_detected then
    -- The time was over before it began.
    return app.apply_each_item(app_id, items, '-infinity', false);
  end;
  perform set_config('lock_timeout', '1s', true);
  -- Whoever erases somebody holds the same lock, so nobody is erased from here on.
  select kept, people into items, forgotten from app.items_without_erased(company_ids, items);
  begin
    perform app.fill_business_accounts(app_id, items);
  exception when others then
    -- The next event has another try.
    null;
  end;
  begin
    perform app.lock_rows_of_items(company_ids, items);
    return app.apply_each_item(app_id, items, until, false) || jsonb_build_object('forgotten', forgotten);
  exception when others then
    -- One of them fails: then each by itself.
    null;
  end;
  return app.apply_each_item(app_id, items, until, true) || jsonb_build_object('forgotten', forgotten);
end
$$;

create or replace function app.apply_event(
  event_id uuid, app_id uuid, items jsonb, problem text, until timestamptz, is_repeated boolean
) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  outcome jsonb;
  failed integer;
  delayed integer;
  unroutable integer;
  is_failure boolean;
  attempt integer;
  event record;
begin
  begin
    outcome := app.apply_items(
      app_id,
      app.items_with_times(items, (
        select events.received_at from public.channel_events as events where events.id = event_id
      )),
      until
    );
  exception when others then
    -- Whatever happens, the event says so and has its next attempt.
    outcome := jsonb_build_object(
      'failed', 1, 'delayed', 0, 'unroutable', 0, 'error', format('%s %s', sqlstate, left(sqlerrm, 500)),
      'reasons', '[]'::jsonb, 'waits_for', '[]'::jsonb, 'surprises', '[]'::jsonb
    );
  end;
  if outcome -> 'forgotten' <> '{}' then
    -- It came while they were erased, or was kept by the channel.
    perform app.erase_in_events(accounts.company_id, array[event_id], outcome -> 'forgotten')
    from (
      select distinct messaging_accounts.company_id
      from jsonb_array_elements(items) as listed (item)
      join public.messaging_accounts on messaging_accounts.phone_number_id = listed.item ->> 'phone_number_id'
    ) as accounts
    where exists (select from app.erased_people where erased_people.company_id = accounts.company_id);
  end if;
  failed := outcome -> 'failed';
  delayed := outcome -> 'delayed';
  unroutable := outcome -> 'unroutable';
  -- To wait for the job once is no failure.
  is_failure := failed > 0 or is_repeated and delayed > 0;
  -- The job has counted its attempt already.
  attempt := case when is_failure and not is_repeated then 1 else 0 end;
  update public.channel_events as events set
    attempts = events.attempts + attempt,
    state = case
      when is_failure and events.attempts + attempt >= 10 then 'dead'
      when failed > 0 then 'failed'
      when delayed > 0 then 'stored'
      when problem is not null then 'dead'
      when unroutable > 0 then 'unroutable'
      else 'done'
    end,
    next_attempt_at = case
      when is_failure then app.next_attempt(events.attempts + attempt)
      when not is_failure and delayed > 0 then now()
    end,
    error = left(case
      when failed > 0 then outcome ->> 'error'
      when delayed > 0 then format('%s of its items are not applied yet: their rows or the time were taken', delayed)
      when problem is not null then problem
      when unroutable > 0 then (
        select string_agg(reason, '; ') from jsonb_array_elements_text(outcome -> 'reasons') as reasons (reason)
      )
    end, 1000),
    waits_for = array(select jsonb_array_elements_text(outcome -> 'waits_for')),
    notes = array(
      select unnest(events.notes)
      union
      select format(
        case sent ->> 'kind' when 'double_send' then 'Double send: send %s also went out as %s'
          else 'The ledger was wrong: send %s, which the channel seemed not to take, went out as %s' end,
        coalesce(sent ->> 'send_id', 'unknown'), sent ->> 'whatsapp_message_id'
      )
      from jsonb_array_elements(outcome -> 'surprises') as surprises (sent)
      order by 1
    ),
    processed_at = now()
  where events.id = event_id
  returning events.state, events.attempts into event;
  return outcome - 'error' - 'reasons' - 'waits_for' - 'forgotten'
    || jsonb_build_object('event_id', event_id, 'state', event.state, 'attempts', event.attempts);
end
$$;

create or replace function public.tend_channel(max_rows integer default 1000) returns jsonb
language plpgsql security definer -- as begin_channel_job()
set search_path = ''
as $$
declare
  duty record;
  done integer;
  counts jsonb := '{}';
  failures text[] := '{}';
begin
  perform set_config('lock_timeout', '1s', true);
  for duty in
    select * from (values
      ('woken', 'app.wake_late_events()'),
      ('waiting_applied', 'app.apply_waiting_facts(integer)'),
      ('expired', 'public.expire_messages()'),
      ('events_removed', 'app.remove_old_events(integer)'),
      ('waiting_removed', 'app.remove_old_waiting_facts(integer)'),
      ('erased_forgotten', 'app.forget_erased_people(integer)'),
      -- The last one: whoever uses such a key anew waits for the end of this transaction.
      ('keys_removed', 'app.remove_old_idempotency_keys(integer)')
    ) as duties (name, signature)
  loop
    -- None keeps the others from being done.
    begin
      execute format('select %s', replace(duty.signature, 'integer', '$1')) into done using max_rows;
      counts := counts || jsonb_build_object(duty.name, coalesce(done, 0));
    exception when others then
      failures := failures || format('%s: %s %s', duty.name, sqlstate, left(sqlerrm, 200));
    end;
  end loop;
  return counts || jsonb_build_object('failures', to_jsonb(failures));
end
$$;
comment on function public.tend_channel(integer) is
  'What the job of the channel does beside applying events: wakes those whose account came meanwhile, applies reports '
  'whose message is known by now, marks messages that expired, and deletes what is older than it is kept, at most so many '
  'rows of each; of idempotency keys ten times as many. Returns how many, and what failed.';
