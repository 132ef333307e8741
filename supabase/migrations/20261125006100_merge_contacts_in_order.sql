-- A merge locks the deals in the order in which batches lock them, leaves word of who took over, and fills what the
-- survivor has empty.

create or replace function app.merge_contacts(own_company_id uuid, survivor uuid, other uuid) returns boolean
language plpgsql
set search_path = ''
as $$
#variable_conflict use_column
declare
  own public.contacts;
  theirs public.contacts;
  -- What the survivor lacks or has empty.
  filling jsonb;
  taken record;
begin
  perform from public.contacts where company_id = own_company_id and id in (survivor, other)
  order by id for update;
  select * into own from public.contacts where company_id = own_company_id and id = survivor;
  select * into theirs from public.contacts where company_id = own_company_id and id = other;
  if own.id is null or theirs.id is null or own.id = theirs.id then
    return false;
  end if;
  select coalesce(jsonb_object_agg(key, value), '{}') into filling
  from jsonb_each(theirs.custom_fields)
  where coalesce(own.custom_fields -> key, 'null') in ('null', '""', '[]', '{}');

  -- In order of the ids, as batches lock them.
  perform from public.deals where company_id = own_company_id and contact_id = other order by id for no key update;
  update public.deals set contact_id = survivor where company_id = own_company_id and contact_id = other;
  perform app.merge_conversations(own_company_id, survivor, other);

  update public.contact_identities set contact_id = survivor
  where company_id = own_company_id and contact_id = other;
  -- Each phone once: a person who came back to an earlier phone has it twice.
  insert into public.contact_former_phones as former (company_id, contact_id, phone, until)
  select own_company_id, survivor, (array_agg(known.phone order by known.until desc, known.phone))[1], max(known.until)
  from (
    select phone, until from public.contact_former_phones
    where company_id = own_company_id and contact_id = other
    union all
    -- As far as anybody knows, the person still has it.
    select theirs.phone, 'infinity' where theirs.phone_key <> own.phone_key
  ) as known
  group by app.phone_key(known.phone)
  on conflict on constraint contact_former_phones_once do update set
    until = greatest(former.until, excluded.until);
  insert into public.contact_identity_events (company_id, contact_id, kind, was, becomes, happened_at)
  select company_id, survivor, kind, was, becomes, happened_at from public.contact_identity_events
  where company_id = own_company_id and contact_id = other
  union all
  select own_company_id, survivor, 'merged', other::text, survivor::text, now()
  on conflict on constraint contact_identity_events_once do nothing;

  delete from public.contacts where company_id = own_company_id and id = other;
  update public.deleted_rows set merged_into = survivor
  where company_id = own_company_id and resource = 'contacts' and (id = other or merged_into = other);

  update public.contacts set
    phone = coalesce(own.phone, theirs.phone),
    has_identity = own.has_identity or theirs.has_identity,
    -- A name that somebody gave comes before that of a profile; of two profiles, the earlier one.
    (name, profile_name_at) = (
      select name, profile_name_at
      from (values (1, own.name, own.profile_name_at), (2, theirs.name, theirs.profile_name_at))
        as names (place, name, profile_name_at)
      where name <> ''
      order by profile_name_at nulls first, case when profile_name_at is not null then name collate "C" end, place
      limit 1
    ),
    email = coalesce(nullif(own.email, ''), theirs.email, own.email),
    job_title = coalesce(nullif(own.job_title, ''), theirs.job_title, own.job_title),
    empresa = coalesce(nullif(own.empresa, ''), theirs.empresa, own.empresa),
    tags = array(
      select tag
      from unnest(own.tags || theirs.tags) with ordinality as tagged (tag, place)
      group by tag order by min(place) limit 50
    ),
    custom_fields = case
      when octet_length((own.custom_fields || filling)::text) <= 32768 then own.custom_fields || filling
      else own.custom_fields
    end,
    -- Whoever does not want to be contacted stays so. Words count as if they had all been said to one contact.
    do_not_contact = own.do_not_contact or theirs.do_not_contact,
    (do_not_contact_source, do_not_contact_at) = (
      select source, at
      from (values
        (own.do_not_contact, own.do_not_contact_source, own.do_not_contact_at),
        (theirs.do_not_contact, theirs.do_not_contact_source, theirs.do_not_contact_at)
      ) as said (stops, source, at)
      order by stops desc, source = 'manual' desc nulls last, at desc nulls last
      limit 1
    ),
    stop_word_at = greatest(own.stop_word_at, theirs.stop_word_at),
    start_word_at = greatest(own.start_word_at, theirs.start_word_at),
    marketing_stopped_at = greatest(own.marketing_stopped_at, theirs.marketing_stopped_at),
    marketing_stop_source = case
      when own.marketing_stopped_at is null or theirs.marketing_stopped_at > own.marketing_stopped_at
        then theirs.marketing_stop_source
      else own.marketing_stop_source
    end,
    marketing_resumed_at = greatest(own.marketing_resumed_at, theirs.marketing_resumed_at)
  where company_id = own_company_id and id = survivor;

  -- What seemed to be two persons with one phone is one, who has changed it.
  for taken in
    delete from public.contact_identity_events
    where company_id = own_company_id and contact_id = survivor and kind = 'phone_taken'
      and app.phone_key(becomes) in (own.phone_key, theirs.phone_key)
    returning was, becomes, happened_at
  loop
    perform app.change_phone(own_company_id, survivor, taken.was, taken.becomes, taken.happened_at);
  end loop;
  return true;
end
$$;
comment on function app.merge_contacts(uuid, uuid, uuid) is
  'Makes two contacts of a company one: the survivor gets the deals, conversations, ids, phones and opt-outs of the other '
  'and what it does not have itself, and the other is deleted; its tombstone leads to the survivor. False when one of '
  'them is gone already. The caller holds the advisory lock of the company, or writes nothing else.';
