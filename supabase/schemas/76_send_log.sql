-- The send log for the members of a company: templates and replies with their outcomes, newest first. Owners and admins
-- also see the API key that requested a send, and the idempotency key of the send. A page reads at most 5,000 sends,
-- whatever the filters are. The next page continues after the last send that was read. So a page for a large company
-- costs no more than a page for a small company.

create type app.send_place as (at timestamptz, message_id uuid);
comment on type app.send_place is 'The position of a send in the log. The newest send comes first.';

create function app.like_patterns(search text) returns text[]
language sql immutable
set search_path = ''
as $$
  -- A short search word matches only the beginning of a word. A longer search word may match anywhere in the text.
  select array_agg(case when char_length(word) < 3 then '% ' else '%' end || word || '%')
  from regexp_split_to_table(btrim(app.words(search)), ' ') as word
  where word <> ''
$$;
comment on function app.like_patterns(text) is
  'Returns a pattern for each word of a search, to compare with strings that app.words() has normalized. Returns null '
  'for a search without words.';

create function app.contacts_in_log(own_company_id uuid, search text) returns uuid[]
language plpgsql stable
set search_path = ''
as $$
declare
  digits constant text := regexp_replace(search, '[^0-9]', '', 'g');
  searched_key constant text := app.phone_key('+' || ltrim(digits, '0'));
  conditions text := (
    select '(' || string_agg(format('name_words like %L', pattern), ' and ') || ')'
    from unnest(app.like_patterns(search)) as pattern
  );
  ids uuid[];
begin
  if search ~ '^[-+().0-9 ]+$' and char_length(digits) >= 4 then
    conditions := concat_ws(
      ' or ', conditions,
      format('replace(phone, ''+'', '' '') like %L', '%' || digits || '%'),
      format('phone_key = %L', searched_key), format('archived_phone_key = %L', searched_key),
      format('id = any (%L::uuid[])', array(
        select contact_id from public.contact_former_phones
        where company_id = own_company_id and phone_key = searched_key and until = 'infinity'
      ))
    );
  end if;
  if conditions is null then
    return '{}';
  end if;
  -- The SQL text of the statement contains the patterns, so that the planner knows how common they are.
  execute format(
    'select array(
      select id from public.contacts where company_id = %L and (%s) order by created_at desc, id desc limit 100
    )',
    own_company_id, conditions
  ) into ids;
  return ids;
end
$$;
comment on function app.contacts_in_log(uuid, text) is
  'Returns the newest 100 contacts that match a search. The name must contain each word of the search, or the phone '
  'number must match the search completely or in part.';

create function app.templates_in_log(own_company_id uuid, search text) returns text[]
language plpgsql stable
set search_path = ''
as $$
declare
  patterns constant text[] := app.like_patterns(search);
begin
  return array(
    -- Each iteration reads the next name from the index, and skips the many sends with the same template.
    with recursive sent (name) as (
      (
        select template_name from public.sends
        where company_id = own_company_id and template_name is not null
        order by template_name limit 1
      )
      union all
      select (
        select template_name from public.sends
        where company_id = own_company_id and template_name > sent.name
        order by template_name limit 1
      )
      from sent where sent.name is not null
    )
    select name from (select name from sent where name is not null limit 2000) as names
    where app.words(name) like all (patterns)
    limit 50
  );
end
$$;
comment on function app.templates_in_log(uuid, text) is
  'Searches the first 2,000 names of sent templates. Returns at most 50 names that contain each word of the search.';

create function app.found_sends(
  own_company_id uuid, search text, with_keys boolean, after app.send_place, max_rows integer
) returns app.send_place[]
language plpgsql stable
set search_path = ''
as $$
declare
  -- This function computes the key before it searches. Otherwise Postgres might compute the key for each send of the
  -- company.
  known_key constant text := app.known_send_key(own_company_id, search);
  searched_id uuid;
  templates text[];
  found_places app.send_place[];
begin
  if pg_catalog.pg_input_is_valid(search, 'uuid') then
    searched_id := search::uuid;
  end if;
  -- An idempotency key or a message id identifies one send.
  found_places := array(
    select (created_at, message_id)::app.send_place from public.sends
    where with_keys and company_id = own_company_id and idempotency_key = known_key
    union
    select (created_at, message_id)::app.send_place from public.sends
    where company_id = own_company_id and message_id = searched_id
  );
  if found_places <> '{}' then
    return array(select place from unnest(found_places) as place where place < after);
  end if;

  templates := app.templates_in_log(own_company_id, search);
  return array(
    select (at, id)::app.send_place
    from (
      select sent.at, sent.id
      from unnest(templates) as name
      cross join lateral (
        select created_at as at, message_id as id from public.sends
        where company_id = own_company_id and template_name = name
          and (created_at, message_id) < (after.at, after.message_id)
        order by created_at desc, message_id desc limit max_rows
      ) as sent
      union all
      select sent.at, sent.id
      from unnest(app.contacts_in_log(own_company_id, search)) as person (id)
      cross join lateral (
        select id from public.conversations
        where company_id = own_company_id and contact_id = person.id offset 0
      ) as conversation
      cross join lateral (
        select created_at as at, id from public.messages
        where company_id = own_company_id and conversation_id = conversation.id and direction = 'outbound'
          and (created_at, id) < (after.at, after.message_id)
        order by created_at desc, id desc limit max_rows
      ) as sent
      -- The first part of the union already contains the sends with these templates.
      where not exists (
        select from public.sends
        where company_id = own_company_id and message_id = sent.id and template_name = any (templates)
      )
    ) as found
    order by at desc, id desc limit max_rows
  );
end
$$;
comment on function app.found_sends(uuid, text, boolean, app.send_place, integer) is
  'Searches the sends after a position in the log, and returns the positions of the sends that match. The idempotency '
  'key or the message id of a send finds only this send. Any other search is compared with the names of templates and '
  'contacts, and with the recipients'' phone numbers.';

create function app.shown_send(own_company_id uuid, of_message_id uuid, with_key boolean) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  send record;
  message record;
  contact record;
  outcome text;
  reason text;
begin
  select *, state = 'pending' and lease_ends_at <= now() as has_ended into send from public.sends
  where company_id = own_company_id and message_id = of_message_id;
  if not found then
    return null;
  end if;
  select * into message from public.messages where company_id = own_company_id and id = of_message_id;
  select id, name, phone, erased_at into contact from public.contacts
  where company_id = own_company_id and id = (
    select contact_id from public.conversations where company_id = own_company_id and id = message.conversation_id
  );
  outcome := app.outcome_of_send(
    send.state, send.has_ended, send.reason, send.whatsapp_message_id is not null, message.status
  );
  reason := app.reason_of_send(outcome, send.reason, message.failure ->> 'reason');
  return jsonb_build_object(
    'message_id', of_message_id,
    'created_at', send.created_at,
    'outcome', outcome,
    'outcome_at', case outcome
      when 'read' then message.read_at
      when 'delivered' then message.delivered_at
      when 'accepted' then message.sent_at
      when 'expired' then message.expired_at
      when 'pending' then null
      else message.failed_at
    end,
    'reason', reason,
    'code', case when reason is not null then
      coalesce((message.failure ->> 'code')::integer, send.channel_code)
    end,
    'template_name', send.template_name,
    'language_code', send.language_code,
    'contact', jsonb_build_object(
      'id', contact.id, 'name', contact.name, 'phone', contact.phone, 'is_erased', contact.erased_at is not null
    ),
    'author', case when message.author_type is not null then jsonb_build_object(
      'type', message.author_type,
      'id', case when with_key or message.author_type <> 'key' then message.author_id end,
      'name', case when with_key or message.author_type <> 'key' then message.author_name end
    ) end
  );
end
$$;
comment on function app.shown_send(uuid, uuid, boolean) is
  'Returns a send as shown in the log, or null. Includes the API key that requested the send only if with_key is true.';

-- Security definer, because under a policy, the operator `like` cannot use an index. Also, users cannot read the
-- idempotency keys of sends. So this function and the next function check the company and the role themselves.
create function public.list_company_sends(
  company_id uuid,
  outcome text default null,
  reason text default null,
  search text default null,
  since timestamptz default null,
  until timestamptz default null,
  after jsonb default null
) returns jsonb
language plpgsql stable security definer
set search_path = ''
-- One plan for all values would read too many rows for some values.
set plan_cache_mode = force_custom_plan
set jit = off
as $$
declare
  of_company constant uuid := list_company_sends.company_id;
  wanted_outcome constant text := list_company_sends.outcome;
  wanted_reason constant text := list_company_sends.reason;
  searched constant text := nullif(btrim(list_company_sends.search), '');
  is_manager constant boolean := list_company_sends.company_id = any (app.managed_company_ids());
  from_time constant timestamptz := coalesce(list_company_sends.since, '-infinity');
  to_time constant timestamptz := coalesce(list_company_sends.until, 'infinity');
  page_size constant integer := 50;
  most constant integer := case
    when coalesce(list_company_sends.outcome, list_company_sends.reason, list_company_sends.search) is null
      then page_size + 1
    else 5000
  end;
  after_place constant app.send_place := (
    coalesce((list_company_sends.after ->> 'at')::timestamptz, 'infinity'),
    coalesce((list_company_sends.after ->> 'message_id')::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
  );
  places app.send_place[];
  shown app.send_place[];
begin
  perform app.check_member(of_company);
  if char_length(searched) > 200 then
    raise sqlstate 'PT422' using message = 'search must have at most 200 characters';
  end if;
  if searched is not null then
    places := app.found_sends(of_company, searched, is_manager, after_place, most);
  elsif to_time = 'infinity' and (
    wanted_reason is not null or wanted_outcome in ('pending', 'failed', 'refused', 'released', 'expired')
  ) then
    -- Few sends have such an outcome, and an index on their messages finds them. But the index contains the time of the
    -- last attempt, and `until` limits the time of the first attempt. So the index is used only without `until`.
    places := array(
      select (created_at, id)::app.send_place from public.messages
      where messages.company_id = of_company and (failure is not null or status in ('pending', 'failed', 'expired'))
        and created_at >= from_time and (created_at, id) < (after_place.at, after_place.message_id)
      order by created_at desc, id desc limit most
    );
  else
    places := array(
      select (created_at, message_id)::app.send_place from public.sends
      where sends.company_id = of_company and created_at >= from_time and created_at < to_time
        and (created_at, message_id) < (after_place.at, after_place.message_id)
      order by created_at desc, message_id desc limit most
    );
  end if;
  shown := array(
    select (place.at, place.message_id)::app.send_place
    from unnest(places) with ordinality as place (at, message_id, number)
    -- The subqueries with `offset 0` look up one send at a time. With plain joins, Postgres might read all messages of
    -- the company.
    cross join lateral (
      select
        state, state = 'pending' and lease_ends_at <= now() as has_ended, sends.reason, created_at,
        whatsapp_message_id is not null as has_id
      from public.sends
      where sends.company_id = of_company and sends.message_id = place.message_id offset 0
    ) as send
    cross join lateral (
      select status, failure ->> 'reason' as reported from public.messages
      where messages.company_id = of_company and id = place.message_id offset 0
    ) as message
    cross join lateral app.outcome_of_send(
      send.state, send.has_ended, send.reason, send.has_id, message.status
    ) as became (outcome)
    where send.created_at >= from_time and send.created_at < to_time
      and (wanted_outcome is null or became.outcome = wanted_outcome)
      and (
        wanted_reason is null or app.reason_of_send(became.outcome, send.reason, message.reported) = wanted_reason
      )
    order by number limit page_size + 1
  );
  return jsonb_build_object(
    'sends', (
      select coalesce(jsonb_agg(app.shown_send(of_company, message_id, is_manager) order by number), '[]')
      from unnest(shown[:page_size]) with ordinality as place (at, message_id, number)
    ),
    'next', case
      when cardinality(shown) > page_size then to_jsonb(shown[page_size])
      when cardinality(places) = most then to_jsonb(places[most])
    end
  );
end
$$;
comment on function public.list_company_sends(uuid, text, text, text, timestamptz, timestamptz, jsonb) is
  'Returns a page of a company''s log: { sends, next }. The member `sends` contains up to 50 sends, newest first, with '
  'outcome, reason, recipient, template and author. The next page begins after the position `next`, which is null at '
  'the end of the log. A page may have fewer sends although more follow, because a page reads at most 5,000 sends. The '
  'arguments `outcome` and `reason` select sends by outcome and reason, and `since` and `until` by the time of the '
  'first attempt. The argument `search` matches phone numbers or parts of them, words in names of contacts or '
  'templates, and message ids. For owners and admins, it also matches idempotency keys. The company''s members may '
  'call this function. Raises PT403 for other callers, and PT422 if `search` is too long.';
grant execute on function public.list_company_sends(uuid, text, text, text, timestamptz, timestamptz, jsonb)
  to authenticated;

create function public.get_company_send(company_id uuid, message_id uuid) returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  is_manager constant boolean := get_company_send.company_id = any (app.managed_company_ids());
  shown jsonb;
begin
  perform app.check_member(get_company_send.company_id);
  shown := app.shown_send(get_company_send.company_id, get_company_send.message_id, is_manager);
  if shown is null then
    raise sqlstate 'PT404' using message = 'The company has no send with this id';
  end if;
  return shown || (
    select jsonb_build_object(
      'type', messages.type,
      'text', coalesce(messages.rendered_text, messages.content),
      'is_rendered', messages.rendered_text is not null,
      'attempt', sends.attempt,
      'attempted_at', messages.created_at,
      'lease_ends_at', sends.lease_ends_at,
      'has_channel_id', sends.whatsapp_message_id is not null,
      'sent_at', messages.sent_at,
      'delivered_at', messages.delivered_at,
      'read_at', messages.read_at,
      'failed_at', messages.failed_at,
      'expired_at', messages.expired_at,
      'failure', messages.failure,
      'double_sent', sends.double_sent_ids <> '{}',
      'from_phone', (
        select display_phone from public.messaging_accounts
        where company_id = messages.company_id and id = (
          select messaging_account_id from public.conversations
          where company_id = messages.company_id and id = messages.conversation_id
        )
      ),
      'conversation_id', messages.conversation_id,
      'whatsapp_message_id', sends.whatsapp_message_id,
      'idempotency_key', case when is_manager then sends.idempotency_key end
    )
    from public.sends
    join public.messages on messages.company_id = sends.company_id and messages.id = sends.message_id
    where sends.company_id = get_company_send.company_id and sends.message_id = get_company_send.message_id
  );
end
$$;
comment on function public.get_company_send(uuid, uuid) is
  'Returns one send as list_company_sends() does, with the text of its message, the times that WhatsApp reported, '
  'WhatsApp''s failure message, and the sender''s phone number. Owners and admins also get the idempotency key of the '
  'send. The company''s members may call this function. Raises PT403 for other callers, and PT404 when the company has '
  'no such send.';
grant execute on function public.get_company_send(uuid, uuid) to authenticated;
