-- Owners and admins manage the members of their company with these functions. Only owners can promote a member to
-- owner, change an owner's role or remove an owner. Admins manage agents and other admins. Every member may leave. A
-- company always has at least one owner.

create function app.managing_role(company_id uuid) returns text
language plpgsql stable
set search_path = ''
as $$
#variable_conflict use_column
declare
  own_role constant text := (
    select role from public.company_members
    where company_id = managing_role.company_id and user_id = app.signed_in_person()
  );
begin
  if own_role is null then
    raise sqlstate 'PT404' using message = 'No company has this id';
  end if;
  if own_role = 'agent' then
    raise sqlstate 'PT403' using message = 'Only owners and admins of the company may do this';
  end if;
  if managing_role.company_id <> all (app.managed_company_ids()) then
    raise sqlstate 'PT403' using message = 'This company requires a second factor: sign in with one';
  end if;
  return own_role;
end
$$;
comment on function app.managing_role(uuid) is
  'Returns the signed-in user''s role, owner or admin, in a company. Raises PT404 for users who are not members. '
  'Raises PT403 for agents, and for a session without the second factor that the company requires.';

create function app.role_of_sole_manager(company_id uuid) returns text
language plpgsql
set search_path = ''
as $$
begin
  -- Only an owner or an admin may lock the company. While the function waits for the lock, the user may lose this role,
  -- so the function checks the role again.
  perform app.managing_role(role_of_sole_manager.company_id);
  perform from public.companies where companies.id = role_of_sole_manager.company_id for no key update;
  return app.managing_role(role_of_sole_manager.company_id);
end
$$;
comment on function app.role_of_sole_manager(uuid) is
  'Returns the same result and raises the same errors as app.managing_role(). Until the transaction ends, no other '
  'transaction can change the company''s members or invite people. So no decision is based on an outdated role.';

create function app.lock_managed_company(company_id uuid, denied text) returns void
language plpgsql
set search_path = ''
as $$
declare
  is_platform constant boolean := app.acting_kind() = 'platform';
begin
  if not is_platform and (lock_managed_company.company_id = any (app.managed_company_ids())) is not true then
    raise sqlstate 'PT403' using message = denied;
  end if;
  perform from public.companies where companies.id = lock_managed_company.company_id for no key update;
  -- While the function waited for the lock, the user may have lost the role.
  if not is_platform and (lock_managed_company.company_id = any (app.managed_company_ids())) is not true then
    raise sqlstate 'PT403' using message = denied;
  end if;
end
$$;
comment on function app.lock_managed_company(uuid, text) is
  'Locks a company for the platform, or for a signed-in user who is an owner or an admin of the company. Until the '
  'transaction ends, no one can change the user''s role. Raises PT403 for other callers. The argument `denied` is the '
  'message of this error.';

-- Security definer, because no user may read auth.users.
create function public.company_people(company_id uuid)
returns table (
  user_id uuid, name text, email text, role text, created_at timestamptz, has_second_factor boolean
)
language plpgsql stable security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  person constant uuid := app.signed_in_person();
  sees_all constant boolean := company_people.company_id = any (app.managed_company_ids());
begin
  return query
    select
      m.user_id, m.name,
      case when sees_all or m.user_id = person then users.email::text end,
      m.role, m.created_at,
      case
        when sees_all or m.user_id = person then exists (
          select from auth.mfa_factors where mfa_factors.user_id = m.user_id and mfa_factors.status = 'verified'
        )
      end
    from public.company_members m
    join auth.users on users.id = m.user_id
    where m.company_id = company_people.company_id and m.company_id = any (app.member_company_ids())
    order by m.created_at, m.user_id;
end
$$;
comment on function public.company_people(uuid) is
  'Returns the members of a company to users who are members themselves. Owners and admins see each member''s e-mail '
  'address, and whether the member has a second factor. Agents see these values only for themselves. Returns no rows '
  'to users who are not members.';
grant execute on function public.company_people(uuid) to authenticated;

-- Security definer, because no user may write a member's role directly.
create function public.change_member_role(company_id uuid, user_id uuid, role text) returns void
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  own_role constant text := app.role_of_sole_manager(change_member_role.company_id);
  earlier_role text;
begin
  perform app.check_member_role(change_member_role.role);
  select role into earlier_role from public.company_members
  where company_id = change_member_role.company_id and user_id = change_member_role.user_id;
  if not found then
    raise sqlstate 'PT404' using message = 'This person does not work in the company';
  end if;
  if own_role <> 'owner' and 'owner' in (earlier_role, change_member_role.role) then
    raise sqlstate 'PT403' using message = 'Only owners make other people owners or change the role of an owner';
  end if;
  perform app.give_role(change_member_role.company_id, change_member_role.user_id, change_member_role.role);
end
$$;
comment on function public.change_member_role(uuid, uuid, text) is
  'Changes a member''s role. Owners and admins of the company may call this function. Only owners may assign or remove '
  'the role owner. Raises PT403 for other callers. Raises PT404 when the user or the caller is not a member. Raises '
  'PT409 when the company would have no owner left. Raises PT422 for an invalid role.';
grant execute on function public.change_member_role(uuid, uuid, text) to authenticated;

-- Security definer, because no user may delete a member directly.
create function public.remove_member(company_id uuid, user_id uuid) returns void
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  leaves constant boolean := coalesce(remove_member.user_id = app.signed_in_person(), false);
  own_role constant text := case when not leaves then app.role_of_sole_manager(remove_member.company_id) end;
  earlier_role text;
begin
  select role into earlier_role from public.company_members
  where company_id = remove_member.company_id and user_id = remove_member.user_id;
  if not found then
    raise sqlstate 'PT404' using message = 'This person does not work in the company';
  end if;
  if not leaves and own_role <> 'owner' and earlier_role = 'owner' then
    raise sqlstate 'PT403' using message = 'Only owners remove an owner';
  end if;
  perform app.end_membership(remove_member.company_id, remove_member.user_id);
end
$$;
comment on function public.remove_member(uuid, uuid) is
  'Removes a member from the company. All members may remove themselves. Owners may remove any member. Admins may '
  'remove agents and admins. The removed user can still sign in. Raises PT403 for other callers, PT404 for users who '
  'are not members. Also raises PT409 and PT503 as app.end_membership() does.';
grant execute on function public.remove_member(uuid, uuid) to authenticated;
