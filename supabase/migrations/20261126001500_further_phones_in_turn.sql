-- A contact that is restored has its further phones again, unless somebody else has them by then; and a new contact does not
-- take a further phone. Both look at what is committed. So that they do not look past each other, whoever adds a contact
-- waits for the restoring of one that has further phones, which is rare, and for nobody else.

create function app.await_further_phones(of_company_id uuid) returns void
language sql
set search_path = ''
as $$
  select pg_advisory_xact_lock_shared(hashtextextended(format('further phones %s', of_company_id), 0))
$$;
comment on function app.await_further_phones(uuid) is
  'Waits until no contact of a company that has further phones is being restored, and keeps others from it until the '
  'transaction ends. What is read next shows the further phones.';

create function app.lock_further_phones(of_company_id uuid) returns void
language sql
set search_path = ''
as $$
  select pg_advisory_xact_lock(hashtextextended(format('further phones %s', of_company_id), 0))
$$;
comment on function app.lock_further_phones(uuid) is
  'Waits for whoever has added contacts of a company, and keeps others from going on with it until the transaction ends.';

create or replace function app.keep_persons_of_archived() returns trigger
-- Security definer, because nobody writes what the channel knows of a person.
language plpgsql security definer
set search_path = ''
as $$
begin
  if new.archived_at is not null then
    update public.contact_former_phones set is_archived = true
    where company_id = new.company_id and contact_id = new.id;
    update public.contact_identities set archived_user_id = user_id, user_id = null
    where company_id = new.company_id and contact_id = new.id and user_id is not null;
  else
    if exists (
      select from public.contact_former_phones
      where company_id = new.company_id and contact_id = new.id and until = 'infinity'
    ) then
      perform app.lock_further_phones(new.company_id);
    end if;
    update public.contact_former_phones as kept set
      is_archived = false,
      until = case
        when exists (
          select from public.contacts as taken
          where taken.company_id = new.company_id and taken.phone_key = kept.archived_phone_key
        ) or exists (
          select from public.contact_former_phones as taken
          where taken.company_id = new.company_id and taken.phone_key = kept.archived_phone_key
            and taken.until = 'infinity'
        ) then least(kept.until, now())
        else kept.until
      end
    where company_id = new.company_id and contact_id = new.id;
    update public.contact_identities as kept set user_id = archived_user_id, archived_user_id = null
    where company_id = new.company_id and contact_id = new.id and archived_user_id is not null
      and not exists (
        select from public.contact_identities as taken
        where taken.company_id = new.company_id and taken.user_id = kept.archived_user_id
      );
  end if;
  return null;
end
$$;

create or replace function app.refuse_further_phone() returns trigger
-- Security definer, because nobody who writes a contact reads the further phones of others.
language plpgsql security definer
set search_path = ''
as $$
begin
  perform app.await_further_phones(new.company_id);
  if exists (
    select from public.contact_former_phones
    where company_id = new.company_id and phone_key = new.phone_key and until = 'infinity' and contact_id <> new.id
  ) then
    raise unique_violation using
      message = 'duplicate key value violates unique constraint "contacts_one_per_phone"',
      detail = 'The phone is a further phone of another contact.',
      constraint = 'contacts_one_per_phone';
  end if;
  return null;
end
$$;

create or replace function app.find_or_add_contact(
  own_company_id uuid,
  by_phone text,
  new_name text,
  out id uuid,
  out do_not_contact boolean
)
language plpgsql
set search_path = ''
as $$
#variable_conflict use_column
begin
  loop
    -- The lock waits for a change of the contact that is under way, and prevents others until the claim ends.
    select contacts.id, contacts.do_not_contact
    into find_or_add_contact.id, find_or_add_contact.do_not_contact
    from public.contacts
    where company_id = own_company_id and phone_key = app.phone_key(by_phone)
    for share;
    exit when found;
    select contacts.id, contacts.do_not_contact
    into find_or_add_contact.id, find_or_add_contact.do_not_contact
    from public.contacts
    where company_id = own_company_id and archived_at is null and contacts.id = (
      select contact_id from public.contact_former_phones
      where company_id = own_company_id and phone_key = app.phone_key(by_phone) and until = 'infinity'
      order by contact_id limit 1
    )
    for share;
    exit when found;
    perform app.await_further_phones(own_company_id);
    -- It is read again then: the wishes that it inherits may have been written after it.
    insert into public.contacts (company_id, phone, name)
    select own_company_id, by_phone, new_name
    -- The contact of a further phone is not found while it is merged into another one: that one has the phone then.
    where not exists (
      select from public.contact_former_phones
      where company_id = own_company_id and phone_key = app.phone_key(by_phone) and until = 'infinity'
    )
    on conflict (company_id, phone_key) do nothing;
  end loop;
end
$$;

create or replace function app.put_contacts_at_once(own_company_id uuid, items jsonb[], on_conflict text) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  phones constant text[] := array(
    select item ->> 'phone' from unnest(items) with ordinality as given (item, place) order by place
  );
  -- The contact of each item.
  met uuid[];
  locked uuid[];
  added uuid[] := '{}';
  -- The contacts that are there already, each in the place of an item that does not make it.
  known uuid[];
begin
  -- Before what is there is read, and before any row is locked.
  perform app.await_further_phones(own_company_id);
  loop
    met := app.contacts_of_phones(own_company_id, phones);
    if array_position(met, null) is not null then
      with written as (
        insert into public.contacts (
          company_id, phone, name, email, temperature, tags, source, job_title, empresa, custom_fields, do_not_contact,
          is_active
        )
        select
          own_company_id, item ->> 'phone', item ->> 'name', item ->> 'email',
          coalesce(item ->> 'temperature', 'warm'),
          array(select jsonb_array_elements_text(item -> 'tags')),
          coalesce(item ->> 'source', 'api'), item ->> 'job_title', item ->> 'empresa',
          coalesce(item -> 'custom_fields', '{}'),
          coalesce((item ->> 'do_not_contact')::boolean, false),
          coalesce((item ->> 'is_active')::boolean, true)
        from (
          select distinct on (key) item, key
          from unnest(items, met) with ordinality as given (item, person, place)
          cross join lateral app.phone_key(item ->> 'phone') as own (key)
          where person is null
          order by key, place
        ) as unknown
        order by key
        -- Somebody else may be adding the same person: this waits for them.
        on conflict (company_id, phone_key) do nothing
        returning id
      )
      select added || array_agg(id) into added from written;
      continue;
    end if;
    -- A contact that was merged or deleted meanwhile, or that has another phone now, is not met.
    exit when on_conflict = 'fail' or met is not distinct from locked or met <@ added;
    locked := met;
    perform from public.contacts
    where company_id = own_company_id and id = any (locked) and id <> all (added)
    order by id for no key update;
  end loop;

  known := array(
    select case when person <> all (added) or row_number() over (partition by person order by place) > 1 then person end
    from unnest(met) with ordinality as given (person, place)
    order by place
  );
  if on_conflict <> 'fail' then
    perform app.change_contacts(own_company_id, known, items, on_conflict);
  end if;
  return coalesce(
    (
      select jsonb_agg(
        case
          when known_id is null then jsonb_build_object('status', 201, 'id', person)
          when on_conflict = 'fail' then jsonb_build_object('status', 409, 'existing_id', person)
          else jsonb_build_object('status', 200, 'id', person)
        end
        order by place
      )
      from unnest(met, known) with ordinality as given (person, known_id, place)
    ),
    '[]'
  );
end
$$;

create or replace function app.patch_contacts_at_once(own_company_id uuid, items jsonb[]) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  ids uuid[];
begin
  perform app.lock_contacts_to_patch(own_company_id, items);
  -- After the rows: whoever restores one of them holds its lock by then.
  perform app.await_further_phones(own_company_id);
  select array_agg(contacts.id order by place) into ids
  from unnest(items) with ordinality as given (item, place)
  left join public.contacts on company_id = own_company_id and id = (item ->> 'id')::uuid and archived_at is null;

  -- Whether a phone is free when its turn comes depends on the order.
  if exists (
    select from unnest(ids, items) as given (id, item)
    cross join lateral app.phone_key(item ->> 'phone') as own (key)
    left join public.contacts as owner on owner.company_id = own_company_id and owner.phone_key = own.key
    left join public.contact_former_phones as further
      on owner.id is null and further.company_id = own_company_id and further.phone_key = own.key
      and further.until = 'infinity'
    where given.id is not null
    group by own.key
    having count(distinct given.id) > 1 and own.key is not null
      or bool_or(coalesce(owner.id, further.contact_id) <> given.id)
  ) then
    raise unique_violation using
      message = 'a phone is another contact''s, or is given to several', constraint = 'contacts_one_per_phone';
  end if;
  perform app.change_contacts(own_company_id, ids, items, 'patch');
  return coalesce(
    (
      select jsonb_agg(
        case
          when id is not null then jsonb_build_object('status', 200, 'id', id)
          when survivor is not null then jsonb_build_object('status', 409, 'existing_id', survivor, 'merged', true)
          else jsonb_build_object('status', 404)
        end
        order by place
      )
      from unnest(ids, items) with ordinality as given (id, item, place)
      cross join lateral (
        select case when id is null then app.survivor_of(own_company_id, (item ->> 'id')::uuid) end
      ) as merged (survivor)
    ),
    '[]'
  );
end
$$;
