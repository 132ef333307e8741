-- A wish is a person's decision about whether a company may contact them. Members and keys of a company set
-- do_not_contact manually. The contacted person sets do_not_contact to true with the keyword "stop", and to false with
-- the keyword "start". Keywords may arrive late, twice and in any order, but the same keywords always lead to the same
-- result. For a value that was set manually, the contact's row has the source `manual` and the time of the change. For
-- each keyword, the row has the newest time. A trigger derives do_not_contact from these values.
--
-- A person may also opt out of marketing only, and members and keys may set marketing_opt_out manually. The newest
-- decision about marketing applies, even if a member recorded the decision, because members record decisions on the
-- person's behalf. The keyword "start" also ends an opt-out of marketing.
--
-- A wish belongs to both the phone number and the contact. When a contact gets another phone number, the contact keeps
-- the wish. The wish is also kept for the earlier phone number. So sends to the earlier number remain blocked, and the
-- next contact with that number inherits the wish.

create table app.kept_wishes (
  company_id uuid not null references public.companies on delete cascade,
  -- The hash of a phone key or of a WhatsApp user id. app.erased_digest() computes the hash.
  digest text not null check (digest ~ '^erased\.[0-9a-f]{64}$'),
  -- The property names of this object are names of columns of contacts.
  wishes jsonb not null check (jsonb_typeof(wishes) = 'object'),
  primary key (company_id, digest)
);
comment on table app.kept_wishes is
  'The wishes for phone numbers and ids that a contact no longer has, because the person was erased or the contact got '
  'another phone number. An archived contact may still have them. These wishes are kept permanently.';

create function app.decide_do_not_contact() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  if tg_op = 'INSERT' then
    if new.do_not_contact and new.do_not_contact_source is null then
      new.do_not_contact_source := 'manual';
      new.do_not_contact_at := now();
    end if;
    return new;
  end if;
  -- Callers may not write the source or the time. So if only do_not_contact changes, a user or a key changed the value
  -- manually.
  if new.do_not_contact <> old.do_not_contact
    and (new.do_not_contact_source, new.do_not_contact_at, new.stop_word_at, new.start_word_at)
      is not distinct from (old.do_not_contact_source, old.do_not_contact_at, old.stop_word_at, old.start_word_at)
  then
    new.do_not_contact_source := 'manual';
    new.do_not_contact_at := now();
  end if;
  -- A keyword does not undo a value that was set manually. The only exception is a "stop" that app.note_word() accepts.
  if new.stop_word_at is not null and new.do_not_contact_source is distinct from 'manual' then
    -- If the two keywords have the same time in seconds, "stop" wins.
    new.do_not_contact := new.start_word_at is null or new.stop_word_at >= new.start_word_at;
    new.do_not_contact_source := 'word';
    new.do_not_contact_at := case when new.do_not_contact then new.stop_word_at else new.start_word_at end;
  end if;
  return new;
end
$$;
comment on function app.decide_do_not_contact() is
  'Trigger: records a manual change of do_not_contact, and derives do_not_contact from the person''s keywords.';

create function app.note_word(own_company_id uuid, of_contact_id uuid, word text, at timestamptz) returns void
language sql
set search_path = ''
as $$
  update public.contacts set
    stop_word_at = case word when 'stop' then greatest(stop_word_at, at) else stop_word_at end,
    start_word_at = case word when 'start' then greatest(start_word_at, at) else start_word_at end,
    do_not_contact_source = case when takes_back then 'word' else do_not_contact_source end
  from (
    select id as of_id, (
      word = 'stop' and not do_not_contact and do_not_contact_source = 'manual'
      -- The time of a keyword is precise only to the second.
      and (at >= date_trunc('second', do_not_contact_at)) is not false
    ) is true as takes_back
    from public.contacts
    where company_id = own_company_id and id = of_contact_id
    for no key update
  ) as judged
  -- The subquery has checked the company. The condition has only the id, so that the planner can choose only one index.
  where id = of_id and (
    takes_back
    or at > coalesce(case word when 'stop' then stop_word_at when 'start' then start_word_at end, '-infinity')
  )
$$;
comment on function app.note_word(uuid, uuid, text, timestamptz) is
  'Records that a person sent the keyword "stop" or "start" at the given time. Does nothing if a newer time is stored '
  'for this keyword. After do_not_contact was set to false manually, a "stop" applies if the person sent the keyword '
  'in the same second or later.';

create function app.decide_marketing_opt_out() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  -- Callers may not write the times. So if only marketing_opt_out changes, a user or a key changed the value manually.
  -- In an insert, `old` is null.
  if new.marketing_opt_out <> coalesce(old.marketing_opt_out, false)
    and (new.marketing_stopped_at, new.marketing_resumed_at)
      is not distinct from (old.marketing_stopped_at, old.marketing_resumed_at)
  then
    if new.marketing_opt_out then
      new.marketing_stopped_at := greatest(now(), new.marketing_resumed_at);
      new.marketing_stop_source := 'manual';
    else
      -- If the stop and the resume have the same time, the stop wins.
      new.marketing_resumed_at := greatest(now(), new.marketing_stopped_at + interval '1 microsecond');
    end if;
  end if;
  new.marketing_opt_out :=
    coalesce(new.marketing_stopped_at >= coalesce(new.marketing_resumed_at, '-infinity'), false);
  return new;
end
$$;
comment on function app.decide_marketing_opt_out() is
  'Trigger: records a manual change of marketing_opt_out, and derives marketing_opt_out from the newest stop and '
  'resume.';

create function app.note_marketing(
  own_company_id uuid, of_contact_id uuid, is_stop boolean, source text, at timestamptz
) returns void
language plpgsql
set search_path = ''
as $$
begin
  if not is_stop then
    update public.contacts set marketing_resumed_at = note_marketing.at
    where company_id = own_company_id and id = of_contact_id
      and (marketing_resumed_at is null or marketing_resumed_at < note_marketing.at);
    return;
  end if;
  update public.contacts set
    marketing_stopped_at = greatest(
      note_marketing.at,
      -- The time is precise only to the second, so the stop may be later than a manual resume in the same second.
      case when note_marketing.at >= date_trunc('second', marketing_resumed_at) then marketing_resumed_at end
    ),
    marketing_stop_source = note_marketing.source
  where company_id = own_company_id and id = of_contact_id and (
    marketing_stopped_at is null or marketing_stopped_at < note_marketing.at
    -- If two stops have the same time, the source that comes first in the alphabet applies. So the result does not
    -- depend on the order of arrival.
    or marketing_stopped_at = note_marketing.at and marketing_stop_source > note_marketing.source
  );
end
$$;
comment on function app.note_marketing(uuid, uuid, boolean, text, timestamptz) is
  'Records that a person opted out of marketing or opted in again, at the time that WhatsApp reported. The newest '
  'decision applies, whatever the order of the events.';

create function app.wishes_of(contact public.contacts) returns jsonb
language sql immutable
set search_path = ''
as $$
  select jsonb_build_object(
    'do_not_contact', contact.do_not_contact,
    'do_not_contact_source', contact.do_not_contact_source,
    'do_not_contact_at', contact.do_not_contact_at,
    'stop_word_at', contact.stop_word_at,
    'start_word_at', contact.start_word_at,
    'marketing_stopped_at', contact.marketing_stopped_at,
    'marketing_stop_source', contact.marketing_stop_source,
    'marketing_resumed_at', contact.marketing_resumed_at
  )
$$;
comment on function app.wishes_of(public.contacts) is
  'Returns the wishes of a contact, in the form of app.kept_wishes.';

create function app.decided_at(
  do_not_contact boolean,
  do_not_contact_at timestamptz,
  stop_word_at timestamptz,
  start_word_at timestamptz
) returns timestamptz
language sql immutable
set search_path = ''
as $$
  -- A keyword that does not change do_not_contact changes only its own time: a "stop" after a manual opt-out, or a
  -- "start" of a person who has not opted out.
  select greatest(do_not_contact_at, case when do_not_contact then stop_word_at else start_word_at end)
$$;
comment on function app.decided_at(boolean, timestamptz, timestamptz, timestamptz) is
  'Returns the time of the newest decision for a value of do_not_contact. Returns null when no decision has a time. '
  'Such a value is treated as the oldest decision.';

create function app.decided_at(contact public.contacts) returns timestamptz
language sql immutable
set search_path = ''
as $$
  select app.decided_at(
    contact.do_not_contact, contact.do_not_contact_at, contact.stop_word_at, contact.start_word_at
  )
$$;
comment on function app.decided_at(public.contacts) is
  'Returns the time of the newest decision for the contact''s value of do_not_contact, as the function with the same '
  'name does.';

create function app.keep_wishes_of_phone() returns trigger
-- Security definer, because API keys and users have no right to write to app.kept_wishes.
language plpgsql security definer
set search_path = ''
as $$
begin
  if app.phone_key(new.phone) is distinct from app.phone_key(old.phone) then
    perform app.keep_wishes(old.company_id, array[app.phone_key(old.phone)], app.wishes_of(old));
  end if;
  return null;
end
$$;
comment on function app.keep_wishes_of_phone() is
  'Trigger: when a contact gets another phone number, stores the contact''s wishes for the earlier phone number in '
  'app.kept_wishes.';

create function app.later_wishes(earlier jsonb, later jsonb) returns jsonb
language sql immutable
set search_path = ''
as $$
  -- A decision with a time is kept, even if the person may be contacted again. Such a decision overrides an older stop
  -- of an archived contact. An opt-in of the earlier wishes never ends an opt-out of the later wishes, because another
  -- person may have opted in. So an opt-out is stored without the opt-in times of the earlier wishes.
  select case when wishes ->> 'do_not_contact' = 'true' or num_nonnulls(decided_at, stopped_at, resumed_at) > 0 then
    wishes || jsonb_build_object(
      'stop_word_at', greatest((earlier ->> 'stop_word_at')::timestamptz, (later ->> 'stop_word_at')::timestamptz),
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
        when earlier is not null and later ->> 'do_not_contact' = 'false'
          and coalesce(decided.later_at <= decided.earlier_at, decided.later_at is null)
        then earlier
        else later
      end as wishes,
      greatest(decided.earlier_at, decided.later_at) as decided_at,
      greatest((earlier ->> 'marketing_stopped_at')::timestamptz, (later ->> 'marketing_stopped_at')::timestamptz)
        as stopped_at,
      case
        when (later ->> 'marketing_stopped_at')::timestamptz
          >= coalesce((later ->> 'marketing_resumed_at')::timestamptz, '-infinity')
        then (later ->> 'marketing_resumed_at')::timestamptz
        else greatest((earlier ->> 'marketing_resumed_at')::timestamptz, (later ->> 'marketing_resumed_at')::timestamptz)
      end as resumed_at
    from (
      select app.decided_at(jsonb_populate_record(null::public.contacts, earlier)) as earlier_at,
        app.decided_at(jsonb_populate_record(null::public.contacts, later)) as later_at
    ) as decided
  ) as newest
$$;
comment on function app.later_wishes(jsonb, jsonb) is
  'Combines earlier and later wishes for the same phone number or id. For each kind of decision, the later decision '
  'applies. The earlier wishes may be null. Returns null when there are no wishes to keep.';

create function app.keep_wishes(own_company_id uuid, names text[], wishes jsonb) returns void
language sql
set search_path = ''
as $$
  with decided as materialized (
    select named.digest, app.later_wishes(earlier.wishes, keep_wishes.wishes) as wishes
    from (select distinct app.erased_digest(own_company_id, 'person', name) as digest from unnest(names) as name) as named
    left join app.kept_wishes as earlier on earlier.company_id = own_company_id and earlier.digest = named.digest
  ),
  taken_back as (
    delete from app.kept_wishes as kept using decided
    where kept.company_id = own_company_id and kept.digest = decided.digest and decided.wishes is null
  )
  insert into app.kept_wishes as kept (company_id, digest, wishes)
  select own_company_id, digest, decided.wishes from decided
  where decided.wishes is not null
  order by digest
  on conflict (company_id, digest) do update set wishes = excluded.wishes
$$;
comment on function app.keep_wishes(uuid, text[], jsonb) is
  'Stores the wishes of a contact for these phone keys and ids. Wishes that were stored earlier remain until a later '
  'decision replaces them.';

create function app.forget_ended_opt_outs(own_company_id uuid, names text[], erased_ids uuid[]) returns void
language sql
set search_path = ''
as $$
  delete from app.kept_wishes as kept using unnest(names) as named (name)
  where kept.company_id = own_company_id and kept.digest = app.erased_digest(own_company_id, 'person', named.name)
    and kept.wishes ->> 'do_not_contact' = 'false'
    and ((kept.wishes ->> 'marketing_stopped_at')::timestamptz
      >= coalesce((kept.wishes ->> 'marketing_resumed_at')::timestamptz, '-infinity')) is not true
    -- While an archived contact has the name, the kept wishes show that an older opt-out of this contact has ended.
    and not exists (
      select from public.contacts
      where company_id = own_company_id and archived_phone_key = named.name and id <> all (erased_ids)
      union all
      select from public.contact_former_phones
      where company_id = own_company_id and archived_phone_key = named.name and contact_id <> all (erased_ids)
      union all
      select from public.contact_identities
      where company_id = own_company_id and archived_user_id = named.name and contact_id <> all (erased_ids)
    )
$$;
comment on function app.forget_ended_opt_outs(uuid, text[], uuid[]) is
  'Deletes the kept wishes for these phone keys and ids if the wishes contain no opt-out. Keeps the wishes as long as '
  'an archived contact has the phone number or the id. The contacts erased_ids do not count, because the caller is '
  'erasing them.';

create trigger contacts_decide_do_not_contact
  before insert
    or update of do_not_contact, do_not_contact_source, do_not_contact_at, stop_word_at, start_word_at
  on public.contacts
  for each row execute function app.decide_do_not_contact();
-- Because of the `when` conditions below, most writes to contacts do not call the functions.
create trigger contacts_decide_marketing_opt_out_of_added before insert on public.contacts
  for each row when (new.marketing_opt_out or new.marketing_stopped_at is not null)
  execute function app.decide_marketing_opt_out();
create trigger contacts_decide_marketing_opt_out
  before update of marketing_opt_out, marketing_stopped_at, marketing_resumed_at on public.contacts
  for each row when (
    (new.marketing_opt_out, new.marketing_stopped_at, new.marketing_resumed_at)
      is distinct from (old.marketing_opt_out, old.marketing_stopped_at, old.marketing_resumed_at)
  )
  execute function app.decide_marketing_opt_out();
create trigger contacts_keep_wishes_of_phone after update of phone on public.contacts
  for each row when (old.phone is not null and new.phone is distinct from old.phone and new.erased_at is null)
  execute function app.keep_wishes_of_phone();
