-- What was done to the API keys of a company: who, when, what, and from which address. The database writes it in the
-- transaction of the change, whoever makes that: a person, the platform, or a statement of an administrator.

create table public.api_key_events (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references public.companies on delete cascade,
  -- No references: what was done, and by whom, stays known after the key or the account is gone.
  key_id uuid not null,
  key_name text not null,
  key_hint text not null,
  action text not null check (
    action in (
      'created', 'renamed', 'switched_off', 'switched_on', 'rotated', 'expiry_changed', 'changed', 'deleted'
    )
  ),
  details jsonb not null default '{}',
  actor_kind text not null check (actor_kind in ('person', 'platform', 'database')),
  actor_id uuid,
  actor_name text,
  client_address inet,
  -- The time of the clock, so that events of one transaction have an order.
  created_at timestamptz not null default clock_timestamp()
);
comment on table public.api_key_events is
  'What was done to the API keys of each company. Owners and admins read it; only the trigger of api_keys writes it.';
comment on column public.api_key_events.key_name is 'The name of the key after the event.';
comment on column public.api_key_events.action is
  'changed is what only a statement of an administrator does, such as to give a key other scopes.';
comment on column public.api_key_events.details is
  'By action. created: scopes, expires_at, and replaces when it succeeds a key. renamed and expiry_changed: from, to; '
  'null is never. '
  'rotated: successor_id, ends_at. changed: fields, and from and to of scopes. deleted: scopes.';
comment on column public.api_key_events.actor_kind is
  'person: somebody who had signed in. platform: the operator, with the secret key. database: a statement that did not '
  'come through the Data API.';
comment on column public.api_key_events.actor_name is
  'What the person was called in the company then, else the e-mail address.';
comment on column public.api_key_events.client_address is
  'The address of the client, as the platform reported it; null when it reported none.';

create index api_key_events_newest_first_idx
  on public.api_key_events (company_id, created_at desc, id desc);
-- As for deals: the planner plans for the largest company.
alter table public.api_key_events alter column company_id set (n_distinct = 1);

alter table public.api_key_events enable row level security;
create policy "owners and admins read what was done to their company's keys" on public.api_key_events
  for select to authenticated using (company_id = any ((select app.managed_company_ids())::uuid[]));
grant select on public.api_key_events to authenticated, service_role;

create function app.name_of_person(user_id uuid, company_id uuid) returns text
language sql stable
set search_path = ''
as $$
  select coalesce(
    (
      select company_members.name from public.company_members
      where company_members.user_id = name_of_person.user_id
        and company_members.company_id = name_of_person.company_id
    ),
    (select users.email from auth.users where users.id = name_of_person.user_id)
  )
$$;
comment on function app.name_of_person(uuid, uuid) is
  'What a person is called in a company, else the e-mail address; null when neither is known.';

-- Security definer, because nobody may write the events.
create function app.note_api_key_event() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  -- Of an insertion there is no old row, and of a deletion no new one: each field of it is null.
  key constant public.api_keys := coalesce(new, old);
  kind constant text := case coalesce(current_setting('role', true), '')
    when 'authenticated' then 'person'
    when 'service_role' then 'platform'
    else 'database'
  end;
  person constant uuid := case when kind = 'person' then auth.uid() end;
  fields constant text[] := array_remove(
    array[
      case when old.scopes <> new.scopes then 'scopes' end,
      case when old.key_hash <> new.key_hash then 'key_hash' end,
      case when old.company_id <> new.company_id then 'company_id' end
    ],
    null
  );
begin
  -- Keys that are deleted with their company leave no event: the company is gone by now.
  insert into public.api_key_events (
    company_id, key_id, key_name, key_hint, action, details, actor_kind, actor_id, actor_name, client_address
  )
  select
    company.id, key.id, key.name, key.hint, event.action, event.details, kind, person,
    app.name_of_person(person, company.id), app.client_address()
  from public.companies company
  cross join lateral (
    values
      (
        tg_op = 'INSERT', 'created',
        jsonb_build_object('scopes', new.scopes, 'expires_at', new.expires_at)
          || case when new.replaces is null then '{}' else jsonb_build_object('replaces', new.replaces) end
      ),
      (old.name <> new.name, 'renamed', jsonb_build_object('from', old.name, 'to', new.name)),
      (old.is_active and not new.is_active, 'switched_off', '{}'),
      (new.is_active and not old.is_active, 'switched_on', '{}'),
      (
        tg_op = 'UPDATE' and old.replaced_at is distinct from new.replaced_at, 'rotated',
        jsonb_build_object(
          'successor_id', (
            select successor.id from public.api_keys successor
            where successor.company_id = key.company_id and successor.replaces = key.id
          ),
          'ends_at', new.expires_at
        )
      ),
      (
        -- A rotation says when the key ends.
        tg_op = 'UPDATE' and old.expires_at is distinct from new.expires_at
          and old.replaced_at is not distinct from new.replaced_at,
        'expiry_changed', jsonb_build_object('from', old.expires_at, 'to', new.expires_at)
      ),
      (
        fields <> '{}', 'changed',
        jsonb_build_object('fields', fields)
          || case when 'scopes' = any (fields) then jsonb_build_object('from', old.scopes, 'to', new.scopes) else '{}' end
      ),
      (tg_op = 'DELETE', 'deleted', jsonb_build_object('scopes', old.scopes))
  ) as event (happened, action, details)
  where company.id = key.company_id and event.happened
  for key share of company;
  return null;
end
$$;
comment on function app.note_api_key_event() is
  'Trigger: writes what is done to an API key into api_key_events. One statement may do several things.';

create trigger api_keys_note_event after insert or delete on public.api_keys
  for each row execute function app.note_api_key_event();
-- That a key was used is no event, and costs nothing here.
create trigger api_keys_note_change after update on public.api_keys
  for each row
  when (
    (old.name, old.is_active, old.expires_at, old.replaced_at, old.scopes, old.key_hash, old.company_id)
      is distinct from
      (new.name, new.is_active, new.expires_at, new.replaced_at, new.scopes, new.key_hash, new.company_id)
  )
  execute function app.note_api_key_event();

-- Of the keys that there are, it is known when they were made, and by whom if that person is still there.
insert into public.api_key_events (
  company_id, key_id, key_name, key_hint, action, details, actor_kind, actor_id, actor_name, created_at
)
select
  company_id, id, name, hint, 'created',
  jsonb_build_object('scopes', scopes, 'expires_at', expires_at),
  case when created_by is null then 'platform' else 'person' end,
  created_by, app.name_of_person(created_by, company_id), created_at
from public.api_keys;
