-- Invitations to become a member of a company. Owners and admins invite a person by e-mail address. The person signs in
-- with this address and accepts. No response reveals whether an address belongs to a user account.

create table public.company_invitations (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references public.companies on delete cascade,
  -- The address is in lower case, because Supabase Auth stores addresses in lower case. The address contains only
  -- characters that Supabase Auth accepts.
  email text not null check (
    char_length(email) <= 254 and email ~ '^[a-z0-9.!#$%&''*+/=?^_`{|}~-]+@[a-z0-9-]+([.][a-z0-9-]+)+$'
  ),
  role text not null check (role in ('owner', 'admin', 'agent')),
  invited_by uuid not null references auth.users on delete cascade,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null default now() + interval '7 days',
  mailed_at timestamptz,
  mail_failed boolean not null default false,
  constraint company_invitations_one_for_each_address unique (company_id, email)
);
comment on table public.company_invitations is
  'The invitations that were not accepted, declined or withdrawn yet. Owners and admins see the invitations of their '
  'company. An expired invitation is kept for 30 days, so that an owner or an admin can renew the invitation.';
comment on column public.company_invitations.mailed_at is
  'When the edge function `settings` last started to send an e-mail for this invitation. Null if no e-mail was sent '
  'since the invitation was created or renewed. The invitation is valid even if no e-mail was sent.';
comment on column public.company_invitations.mail_failed is 'Whether Supabase Auth refused to send the last e-mail.';

create index company_invitations_email_idx on public.company_invitations (email);
create index company_invitations_invited_by_idx on public.company_invitations (invited_by);
create index company_invitations_expires_at_idx on public.company_invitations (expires_at);

create function app.note_invitation_event(invitation public.company_invitations, action text) returns void
language plpgsql
set search_path = ''
as $$
declare
  kind constant text := app.acting_kind();
  person constant uuid := case when kind = 'person' then auth.uid() end;
begin
  -- If a company is deleted, the deletion of its invitations creates no events.
  insert into public.company_events (
    company_id, invited_email, action, details, actor_kind, actor_id, actor_name, client_address
  )
  select
    companies.id, invitation.email, note_invitation_event.action, jsonb_build_object('role', invitation.role), kind,
    person, app.name_of_person(person, companies.id), app.client_address()
  from public.companies where companies.id = invitation.company_id
  for key share;
end
$$;
comment on function app.note_invitation_event(public.company_invitations, text) is
  'Writes an event about an invitation into company_events.';

create function app.check_invitations_left(company_id uuid) returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if (
    select count(*) from public.company_events event
    where event.company_id = check_invitations_left.company_id and event.created_at > now() - interval '1 day'
      and event.action in ('invited', 'invitation_renewed')
  ) >= 20 then
    raise sqlstate 'PT429' using message = 'A company sends at most 20 invitations in 24 hours: try again tomorrow';
  end if;
end
$$;
comment on function app.check_invitations_left(uuid) is
  'Raises PT429 when the company has sent 20 invitations in 24 hours. The limit exists because the person who gets the '
  'e-mail of an invitation may not expect it.';

create function app.managed_invitation(invitation_id uuid) returns public.company_invitations
language plpgsql
set search_path = ''
as $$
declare
  invitation public.company_invitations;
begin
  select * into invitation from public.company_invitations
  where company_invitations.id = managed_invitation.invitation_id
    and company_invitations.company_id = any (app.member_company_ids())
    and company_invitations.expires_at >= now() - interval '30 days';
  if not found then
    raise sqlstate 'PT404' using message = 'This invitation no longer exists';
  end if;
  if app.role_of_sole_manager(invitation.company_id) <> 'owner' and invitation.role = 'owner' then
    raise sqlstate 'PT403' using message = 'Only owners invite owners';
  end if;
  -- If the invited person accepts at the same time, this statement waits and then finds no row.
  select * into invitation from public.company_invitations
  where company_invitations.id = managed_invitation.invitation_id
  for update;
  if not found then
    raise sqlstate 'PT404' using message = 'This invitation no longer exists';
  end if;
  return invitation;
end
$$;
comment on function app.managed_invitation(uuid) is
  'Returns and locks an invitation that the signed-in user may change. Raises PT404 when the invitation does not '
  'exist, or expired more than 30 days ago. Raises PT403 when an admin tries to change an invitation with the role '
  'owner. Raises PT403 and PT404 as app.managing_role() does.';

-- The functions below are security definer, because no user may write invitations or read auth.users directly.
create function public.invite_member(company_id uuid, email text, role text) returns public.company_invitations
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  own_role constant text := app.role_of_sole_manager(invite_member.company_id);
  address constant text := lower(btrim(invite_member.email));
  invitation public.company_invitations;
begin
  perform app.check_member_role(invite_member.role);
  if invite_member.role = 'owner' and own_role <> 'owner' then
    raise sqlstate 'PT403' using message = 'Only owners invite owners';
  end if;
  if exists (
    select from public.company_members m join auth.users on users.id = m.user_id
    where m.company_id = invite_member.company_id and lower(users.email) = address
  ) then
    raise sqlstate 'PT409' using message = 'This person works in the company already';
  end if;
  perform app.check_invitations_left(invite_member.company_id);
  begin
    insert into public.company_invitations as earlier (company_id, email, role, invited_by)
    values (invite_member.company_id, address, invite_member.role, app.signed_in_person())
    on conflict on constraint company_invitations_one_for_each_address do update set
      role = excluded.role, invited_by = excluded.invited_by, created_at = excluded.created_at,
      expires_at = excluded.expires_at, mailed_at = null, mail_failed = false
    where earlier.expires_at <= now()
    returning * into invitation;
  exception when check_violation or not_null_violation then
    raise sqlstate 'PT422' using message = 'email is not an e-mail address';
  end;
  if invitation.id is null then
    raise sqlstate 'PT409' using message = 'This address is already invited: send the invitation again';
  end if;
  perform app.note_invitation_event(invitation, 'invited');
  return invitation;
end
$$;
comment on function public.invite_member(uuid, text, text) is
  'Invites a person to become a member of the company. The invitation is valid for 7 days. Owners and admins of the '
  'company may call this function. Only owners may invite owners. The result does not reveal whether the address has '
  'an account. Raises PT409 when the person is already a member or already invited. Raises PT422 for an invalid '
  'address or role. Raises PT429 after 20 invitations in 24 hours. Raises PT403 and PT404 as app.managing_role() does.';
grant execute on function public.invite_member(uuid, text, text) to authenticated;

create function public.renew_invitation(invitation_id uuid) returns public.company_invitations
language plpgsql security definer
set search_path = ''
as $$
declare
  invitation public.company_invitations := app.managed_invitation(renew_invitation.invitation_id);
begin
  if invitation.mailed_at > now() - interval '1 minute' and not invitation.mail_failed then
    raise sqlstate 'PT429' using message = 'This invitation was sent less than a minute ago';
  end if;
  perform app.check_invitations_left(invitation.company_id);
  update public.company_invitations set
    invited_by = app.signed_in_person(), expires_at = now() + interval '7 days', mailed_at = null,
    mail_failed = false
  where id = invitation.id
  returning * into invitation;
  perform app.note_invitation_event(invitation, 'invitation_renewed');
  return invitation;
end
$$;
comment on function public.renew_invitation(uuid) is
  'Renews an invitation for another 7 days, so that its e-mail can be sent again. Raises PT429 within a minute after '
  'the last e-mail, unless this e-mail could not be sent, and after 20 invitations in 24 hours. Raises PT403 and PT404 '
  'as app.managed_invitation() does.';
grant execute on function public.renew_invitation(uuid) to authenticated;

create function public.claim_invitation_mail(invitation_id uuid) returns text
language plpgsql security definer
set search_path = ''
as $$
declare
  invitation constant public.company_invitations := app.managed_invitation(claim_invitation_mail.invitation_id);
begin
  if invitation.mailed_at is not null then
    raise sqlstate 'PT409' using message = 'The e-mail of this invitation was already sent: renew the invitation first';
  end if;
  update public.company_invitations set mailed_at = now() where id = invitation.id;
  return invitation.email;
end
$$;
comment on function public.claim_invitation_mail(uuid) is
  'Allows the edge function `settings` to send one e-mail for an invitation, and returns the e-mail address. Each '
  'invitation and each renewal allows one e-mail. So the limits for invitations also limit the e-mails. Raises PT409 '
  'when the e-mail was already sent. Raises PT403 and PT404 as app.managed_invitation() does.';
grant execute on function public.claim_invitation_mail(uuid) to authenticated;

create function public.note_invitation_mail_failed(invitation_id uuid) returns void
language plpgsql security definer
set search_path = ''
as $$
declare
  invitation constant public.company_invitations := app.managed_invitation(
    note_invitation_mail_failed.invitation_id
  );
begin
  update public.company_invitations set mail_failed = true where id = invitation.id;
end
$$;
comment on function public.note_invitation_mail_failed(uuid) is
  'Records that the e-mail of an invitation was not sent. Raises PT403 and PT404 as app.managed_invitation() does.';
grant execute on function public.note_invitation_mail_failed(uuid) to authenticated;

create function public.withdraw_invitation(invitation_id uuid) returns void
language plpgsql security definer
set search_path = ''
as $$
declare
  invitation constant public.company_invitations := app.managed_invitation(withdraw_invitation.invitation_id);
begin
  delete from public.company_invitations where id = invitation.id;
  perform app.note_invitation_event(invitation, 'invitation_withdrawn');
end
$$;
comment on function public.withdraw_invitation(uuid) is
  'Withdraws an invitation that was not accepted. Raises PT403 and PT404 as app.managed_invitation() does.';
grant execute on function public.withdraw_invitation(uuid) to authenticated;

create function app.own_verified_email() returns text
language sql stable
set search_path = ''
as $$
  -- With single sign-on (SSO), the identity provider may report any address as a user's address. So the address of an
  -- SSO user does not count as verified.
  select lower(users.email) from auth.users
  where users.id = app.signed_in_person() and users.email_confirmed_at is not null and not users.is_sso_user
$$;
comment on function app.own_verified_email() is
  'Returns the e-mail address of the signed-in user, in lower case. Returns null when the user has not verified the '
  'address, and for a user with single sign-on.';

create function public.own_invitations()
returns table (id uuid, company_name text, role text, invited_by_name text, expires_at timestamptz)
language plpgsql stable security definer
set search_path = ''
as $$
#variable_conflict use_column
begin
  return query
    select i.id, companies.name, i.role, app.name_of_person(i.invited_by, i.company_id), i.expires_at
    from public.company_invitations i
    join public.companies on companies.id = i.company_id
    where i.email = app.own_verified_email() and i.expires_at > now()
    order by i.created_at, i.id;
end
$$;
comment on function public.own_invitations() is
  'Returns the invitations to the verified e-mail address of the signed-in user.';
grant execute on function public.own_invitations() to authenticated;

create function app.take_invitation(invitation_id uuid) returns public.company_invitations
language plpgsql
set search_path = ''
as $$
declare
  invitation public.company_invitations;
begin
  delete from public.company_invitations
  where id = take_invitation.invitation_id and email = app.own_verified_email() and expires_at > now()
  returning * into invitation;
  if not found then
    raise sqlstate 'PT404' using message = 'This invitation no longer exists';
  end if;
  return invitation;
end
$$;
comment on function app.take_invitation(uuid) is
  'Deletes an invitation to the signed-in user and returns the invitation. Raises PT404 when the invitation does not '
  'exist.';

create function public.accept_invitation(invitation_id uuid, name text default null) returns uuid
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  invitation constant public.company_invitations := app.take_invitation(accept_invitation.invitation_id);
begin
  -- A user who was added in the meantime keeps the existing name and role.
  insert into public.company_members (company_id, user_id, role, name)
  values (
    invitation.company_id, app.signed_in_person(), invitation.role, nullif(btrim(accept_invitation.name), '')
  )
  on conflict do nothing;
  return invitation.company_id;
end
$$;
comment on function public.accept_invitation(uuid, text) is
  'Makes the signed-in user a member of the company that sent the invitation, and returns the company. The user may '
  'choose a name. Raises PT404 when this invitation was not sent to the user''s verified address, or no longer exists. '
  'Raises PT422 for an invalid name.';
grant execute on function public.accept_invitation(uuid, text) to authenticated;

create function public.decline_invitation(invitation_id uuid) returns void
language plpgsql security definer
set search_path = ''
as $$
begin
  perform app.note_invitation_event(app.take_invitation(decline_invitation.invitation_id), 'invitation_declined');
end
$$;
comment on function public.decline_invitation(uuid) is
  'Declines an invitation to the signed-in user. Raises PT404 when the invitation does not exist.';
grant execute on function public.decline_invitation(uuid) to authenticated;

create function app.remove_old_invitations(max_rows integer) returns integer
language sql
set search_path = ''
as $$
  with old as (
    select id from public.company_invitations where expires_at < now() - interval '30 days'
    order by expires_at limit max_rows
    for update skip locked
  ), removed as (
    delete from public.company_invitations using old where company_invitations.id = old.id
    returning company_invitations.id
  )
  select count(*)::integer from removed
$$;
comment on function app.remove_old_invitations(integer) is
  'Deletes at most max_rows invitations that expired more than 30 days ago, and returns the number of deleted '
  'invitations.';

-- When a member leaves, the invitations that this member made are deleted. Otherwise, an admin who expects to be
-- removed could invite a second e-mail address of their own, and join again with that address. An invitation to the
-- member is deleted too. The member did not use it, because the operator had added the member in the meantime.
create function app.end_invitations_of_member() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  leaves constant boolean := coalesce(new.company_id <> old.company_id or new.user_id <> old.user_id, true);
  invitation public.company_invitations;
begin
  for invitation in
    delete from public.company_invitations i
    where i.company_id = old.company_id and (
      i.invited_by = old.user_id
        and (leaves or not (new.role = 'owner' or new.role = 'admin' and i.role <> 'owner'))
      or leaves and i.email = (select lower(users.email) from auth.users where users.id = old.user_id)
    )
    returning *
  loop
    perform app.note_invitation_event(invitation, 'invitation_withdrawn');
  end loop;
  return coalesce(new, old);
end
$$;
comment on function app.end_invitations_of_member() is
  'Trigger: when a member leaves or loses a role, deletes the invitations that this member made but may no longer '
  'make. When a member leaves, also deletes the invitation to the member''s e-mail address.';
-- The trigger runs before the member is deleted, so that the events contain the name of a member who leaves. Also, an
-- invitation is then locked before its member is deleted. accept_invitation() works in the same order, so no deadlock
-- can occur.
create trigger company_members_end_invitations
  before delete or update of company_id, user_id, role on public.company_members
  for each row execute function app.end_invitations_of_member();

alter table public.company_invitations enable row level security;
create policy "owners and admins see the invitations of their company" on public.company_invitations
  for select to authenticated using (company_id = any ((select app.managed_company_ids())::uuid[]));

grant select on public.company_invitations to authenticated;
grant select on public.company_invitations to service_role;
