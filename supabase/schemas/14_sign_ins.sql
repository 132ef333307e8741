-- Functions for sessions and second factors. Users can list and end their own sessions. An owner can require second
-- factors. The operator can remove a lost second factor. Supabase Auth stores the sessions and the factors. These
-- functions are security definer, because callers may not read the Supabase Auth tables.

create function public.own_sessions()
returns table (
  id uuid, user_agent text, client_address inet, created_at timestamptz, last_used_at timestamptz,
  has_second_factor boolean, is_current boolean
)
language plpgsql stable security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  person constant uuid := app.signed_in_person();
begin
  return query
    select
      s.id, s.user_agent, s.ip, s.created_at,
      -- Supabase Auth stores this column in UTC, without a time zone.
      greatest(s.created_at, s.refreshed_at at time zone 'UTC') as used_at,
      coalesce(s.aal::text, '') in ('aal2', 'aal3'),
      s.id::text = auth.jwt() ->> 'session_id'
    from auth.sessions s
    where s.user_id = person and (s.not_after is null or s.not_after > now())
    order by used_at desc, s.id;
end
$$;
comment on function public.own_sessions() is
  'Returns the sessions of the signed-in user, most recently used first. A session in use is refreshed only about once '
  'an hour. So last_used_at may be up to an hour old.';
grant execute on function public.own_sessions() to authenticated;

create function public.end_session(session_id uuid) returns void
language plpgsql security definer
set search_path = ''
as $$
begin
  delete from auth.sessions
  where sessions.id = end_session.session_id and sessions.user_id = app.signed_in_person();
  if not found then
    raise sqlstate 'PT404' using message = 'This session has already ended';
  end if;
end
$$;
comment on function public.end_session(uuid) is
  'Ends a session of the signed-in user. The database then refuses the session''s token. Raises PT404 for an ended '
  'session and for another user''s session.';
grant execute on function public.end_session(uuid) to authenticated;

create function public.require_second_factor(company_id uuid, required boolean) returns void
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  person constant uuid := app.signed_in_person();
begin
  if app.role_of_sole_manager(require_second_factor.company_id) <> 'owner' then
    raise sqlstate 'PT403' using message = 'Only owners decide whether the company requires a second factor';
  end if;
  if required and not app.used_second_factor() then
    raise sqlstate 'PT409' using message = 'Set up a second factor for yourself first, and sign in with it';
  end if;
  update public.companies set managers_need_second_factor = required
  where id = require_second_factor.company_id and managers_need_second_factor <> required;
  if found then
    insert into public.company_events (company_id, action, actor_kind, actor_id, actor_name, client_address)
    values (
      require_second_factor.company_id,
      case when required then 'second_factor_required' else 'second_factor_optional' end,
      app.acting_kind(), person, app.name_of_person(person, require_second_factor.company_id), app.client_address()
    );
  end if;
end
$$;
comment on function public.require_second_factor(uuid, boolean) is
  'Sets whether owners and admins of the company have their permissions only in a session with a second factor. Only '
  'owners may call this function. Raises PT409 when the calling owner signed in without a second factor and would lose '
  'these permissions. Raises PT403 and PT404 as app.managing_role() does.';
grant execute on function public.require_second_factor(uuid, boolean) to authenticated;

create function public.remove_second_factors(email text) returns integer
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  person constant uuid := app.person_with_email(remove_second_factors.email);
  removed integer;
begin
  with factors as (delete from auth.mfa_factors where user_id = person returning status)
  select count(*) filter (where status = 'verified') into removed from factors;
  if removed = 0 then
    raise sqlstate 'PT409' using message = 'This person has no second factor';
  end if;
  -- Someone else may have the lost device, which may still have a valid session.
  delete from auth.sessions where user_id = person;
  insert into public.company_events (company_id, member_id, member_name, action, actor_kind, client_address)
  select company_id, user_id, name, 'second_factor_removed', app.acting_kind(), app.client_address()
  from public.company_members where user_id = person;
  return removed;
end
$$;
comment on function public.remove_second_factors(text) is
  'Removes all second factors of a user who has lost them, and ends all of the user''s sessions. Adds an event to the '
  'history of each of the user''s companies. Also removes factors that the user never verified, but returns only the '
  'number of verified factors. Raises PT404 and PT409 as app.person_with_email() does, and PT409 for a user without a '
  'verified factor.';
grant execute on function public.remove_second_factors(text) to service_role;
