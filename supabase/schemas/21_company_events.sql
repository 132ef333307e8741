-- The history of a company. The history has an event for each change to the company's API keys, invitations, messaging
-- accounts, webhooks and own WhatsApp apps. The history also records when a member joins, leaves, gets another name or
-- role, or loses the second factors. Each change of the rule about second factors is an event too. An event records who
-- made the change, when, and from which IP address. The database writes the event in the transaction of the change.
-- Changes by users, keys, the platform and database administrators all create events.
--
-- An event is about at most one thing: a key (key_id), a member (member_id), a messaging account (account_id), a
-- webhook (webhook_id) or an invitation (invited_email). If all of these columns are null, the event is about the
-- company itself or about one of its apps. When you add an action, add its name to the constraint and to the comment on
-- the column `details`. Also add its texts to the settings page (page/texts/*/history.ts).

create table public.company_events (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references public.companies on delete cascade,
  -- These columns have no foreign keys, because an event remains after its key is deleted or its member has left.
  key_id uuid,
  key_name text,
  key_hint text,
  action text not null,
  details jsonb not null default '{}',
  actor_kind text not null check (actor_kind in ('person', 'key', 'platform', 'database')),
  actor_id uuid,
  actor_name text,
  client_address inet,
  -- clock_timestamp() advances within a transaction, so the events of one transaction have an order.
  created_at timestamptz not null default clock_timestamp(),
  member_id uuid,
  member_name text,
  account_id uuid,
  account_name text,
  invited_email text,
  webhook_id uuid,
  webhook_address text,
  constraint company_events_subject_check check (
    num_nonnulls(key_id, member_id, account_id, invited_email, webhook_id) <= 1
    and num_nonnulls(key_id, key_name, key_hint) in (0, 3)
    and num_nonnulls(account_id, account_name) in (0, 2)
    and num_nonnulls(webhook_id, webhook_address) in (0, 2)
    and (member_name is null or member_id is not null)
  ),
  constraint company_events_action_check check (
    action = any (
      case
        when key_id is not null then array[
          'created', 'renamed', 'switched_off', 'switched_on', 'rotated', 'expiry_changed', 'changed', 'deleted'
        ]
        when member_id is not null then array[
          'member_added', 'member_renamed', 'member_role_changed', 'member_removed', 'second_factor_removed'
        ]
        when account_id is not null then array[
          'account_connected', 'account_reconnected', 'account_token_replaced', 'account_disconnected'
        ]
        when invited_email is not null then array[
          'invited', 'invitation_renewed', 'invitation_withdrawn', 'invitation_declined'
        ]
        when webhook_id is not null then array[
          'webhook_created', 'webhook_changed', 'webhook_secret_rotated', 'webhook_paused', 'webhook_switched_off',
          'webhook_switched_on', 'webhook_deleted'
        ]
        else array[
          'second_factor_required', 'second_factor_optional',
          'app_registered', 'app_secret_changed', 'app_secret_ended', 'app_deleted'
        ]
      end
    )
  )
);
comment on table public.company_events is
  'The changes to the API keys, members, invitations, messaging accounts, webhooks, apps and second-factor rule of '
  'each company. Owners and admins read this table. Only triggers and functions of the database write to this table.';
comment on column public.company_events.key_name is
  'The name of the key after the event. Null when the event is not about a key.';
comment on column public.company_events.member_id is
  'The member that the event is about, as in company_members.user_id. Null when the event is not about a member.';
comment on column public.company_events.account_id is
  'The messaging account that the event is about. Null when the event is not about an account.';
comment on column public.company_events.account_name is
  'The account''s phone number or name after the event. Users recognize the account by this label.';
comment on column public.company_events.webhook_id is
  'The webhook that the event is about. Null when the event is not about a webhook.';
comment on column public.company_events.webhook_address is
  'The webhook''s URL after the event, without its query string, because a query string often contains a secret.';
comment on column public.company_events.invited_email is
  'The e-mail address of the invited person. Null when the event is not about an invitation.';
comment on column public.company_events.member_name is
  'The name of the member after the event. Null when the member had no name.';
comment on column public.company_events.action is
  'The kind of event. Only a direct change to a key by a database administrator, for example to the scopes, creates an '
  'event with the action `changed`.';
comment on column public.company_events.details is
  'The properties of this object depend on the action. created: `scopes` and `expires_at`, and also `replaces` if the '
  'key replaces another key. renamed and expiry_changed: `from` and `to`. A null expiry means never. rotated: '
  '`successor_id` and `ends_at`. changed: `fields`, and also `from` and `to` if the scopes changed. deleted: `scopes`. '
  'member_renamed and member_role_changed: `from` and `to`. A null name means no name. member_added, member_removed, '
  'invited, invitation_renewed, invitation_withdrawn and invitation_declined: `role`. The events of an app: `app`, the '
  'name of the app. webhook_created: `types` and `payload`. webhook_changed: `fields`. webhook_switched_off: `why`.';
comment on column public.company_events.actor_name is
  'The author''s name in the company before the event, or the e-mail address if the author had no name. Another user '
  'may later have the same name, but never the same actor_id. If the author is an API key, actor_name is the name of '
  'the key.';
comment on column public.company_events.actor_kind is
  'person: a signed-in user. key: an API key. platform: the operator, who uses the secret key. database: a job, or a '
  'statement that did not come through the Data API.';
comment on column public.company_events.client_address is
  'The client''s IP address, as app.client_address() returns it. Null when an API key made the change, or when the '
  'request contained no IP address.';

-- This statistic makes the planner assume that all rows belong to one company. 30_contacts.sql explains why.
alter table public.company_events alter column company_id set (n_distinct = 1);

create index company_events_newest_first_idx
  on public.company_events (company_id, created_at desc, id desc);

-- Security definer, because no role may write events directly.
create function app.note_api_key_event() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  -- An insertion has no old row, and a deletion has no new row. Each field of the missing row is null.
  key constant public.api_keys := coalesce(new, old);
  kind constant text := app.acting_kind();
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
  -- A key that is deleted with its company creates no event, because the company no longer exists.
  insert into public.company_events (
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
        -- The rotation event already contains the time at which the key expires.
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
  'Trigger: records each change to an API key in company_events. One statement may make several changes.';

create function app.note_member_event() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  kind constant text := app.acting_kind();
  person constant uuid := case when kind = 'person' then auth.uid() end;
  -- An insertion has no old row, and a deletion has no new row. If an update moves a membership to another user or
  -- company, the old membership ends and a new membership begins.
  is_same constant boolean :=
    coalesce(old.user_id = new.user_id and old.company_id = new.company_id, false);
begin
  -- Members who are deleted with their company create no event, because the company no longer exists.
  insert into public.company_events (
    company_id, member_id, member_name, action, details, actor_kind, actor_id, actor_name, client_address
  )
  select
    company.id, event.member_id, event.member_name, event.action, event.details, kind, person,
    -- If members change their own name, the row already contains the new name. The event needs the earlier name.
    case
      when person = old.user_id then coalesce(old.name, app.name_of_person(person, null))
      else app.name_of_person(person, company.id)
    end,
    app.client_address()
  from (
    values
      (
        not is_same and tg_op <> 'INSERT', old.company_id, old.user_id, old.name, 'member_removed',
        jsonb_build_object('role', old.role)
      ),
      (
        not is_same and tg_op <> 'DELETE', new.company_id, new.user_id, new.name, 'member_added',
        jsonb_build_object('role', new.role)
      ),
      (
        is_same and old.name is distinct from new.name, new.company_id, new.user_id, new.name, 'member_renamed',
        jsonb_build_object('from', old.name, 'to', new.name)
      ),
      (
        is_same and old.role <> new.role, new.company_id, new.user_id, new.name, 'member_role_changed',
        jsonb_build_object('from', old.role, 'to', new.role)
      )
  ) as event (happened, company_id, member_id, member_name, action, details)
  join public.companies company on company.id = event.company_id
  where event.happened
  for key share of company;
  return null;
end
$$;
comment on function app.note_member_event() is
  'Trigger: writes an event into company_events when a member joins or leaves, and for each change of a member''s '
  'name or role.';

create trigger api_keys_note_event after insert or delete on public.api_keys
  for each row execute function app.note_api_key_event();

-- A request with a key changes only last_used_at of the key, so the request does not run this trigger.
create trigger api_keys_note_change after update on public.api_keys
  for each row
  when (
    (old.name, old.is_active, old.expires_at, old.replaced_at, old.scopes, old.key_hash, old.company_id)
      is distinct from
      (new.name, new.is_active, new.expires_at, new.replaced_at, new.scopes, new.key_hash, new.company_id)
  )
  execute function app.note_api_key_event();
create trigger company_members_note_event after insert or delete on public.company_members
  for each row execute function app.note_member_event();
create trigger company_members_note_change after update on public.company_members
  for each row
  when (
    (old.company_id, old.user_id, old.name, old.role) is distinct from
      (new.company_id, new.user_id, new.name, new.role)
  )
  execute function app.note_member_event();

alter table public.company_events enable row level security;
create policy "owners and admins read the history of their company" on public.company_events
  for select to authenticated using (company_id = any ((select app.managed_company_ids())::uuid[]));

grant select on public.company_events to authenticated, service_role;
