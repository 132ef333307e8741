-- With these functions, the operator manages the members of a company. For example, a new company has no owner who
-- could add members. The operator identifies a user by the e-mail address with which the user signs in. The functions
-- for owners and admins are in 13_colleagues.sql.

create type public.company_member as (
  company_id uuid,
  user_id uuid,
  email text,
  name text,
  role text,
  created_at timestamptz
);
comment on type public.company_member is
  'A member, as the functions for the operator return it. Unlike the table company_members, this type contains the '
  'e-mail address.';

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
  'Returns a user''s name in a company, or the e-mail address if the user has no name. Returns null when neither is '
  'known.';

create function app.person_with_email(email text) returns uuid
language plpgsql stable
set search_path = ''
as $$
declare
  found_ids constant uuid[] := array(
    select users.id from auth.users where lower(users.email) = lower(btrim(person_with_email.email)) limit 2
  );
begin
  if cardinality(found_ids) = 0 then
    raise sqlstate 'PT404' using message = 'No one has signed up with this e-mail address';
  end if;
  -- A person who uses single sign-on and another sign-in method has two user accounts.
  if cardinality(found_ids) > 1 then
    raise sqlstate 'PT409' using message = 'Several people have signed up with this e-mail address';
  end if;
  return found_ids[1];
end
$$;
comment on function app.person_with_email(text) is
  'Returns the user who signs in with an e-mail address. The comparison ignores case. Raises PT404 when no user has '
  'this address, and PT409 when several users have it.';

create function app.check_member_role(role text) returns void
language plpgsql immutable
set search_path = ''
as $$
begin
  if role is null or role not in ('owner', 'admin', 'agent') then
    raise sqlstate 'PT422' using message = 'The role of a member is owner, admin or agent';
  end if;
end
$$;
comment on function app.check_member_role(text) is 'Raises PT422 for an unknown role.';

create function app.member_with_email(company_id uuid, email text) returns public.company_member
language plpgsql
set search_path = ''
as $$
#variable_conflict use_column
declare
  person constant uuid := app.person_with_email(member_with_email.email);
  member public.company_member;
begin
  select m.company_id, m.user_id, u.email, m.name, m.role, m.created_at into member
  from public.company_members m
  join auth.users u on u.id = m.user_id
  where m.company_id = member_with_email.company_id and m.user_id = person;
  if not found then
    raise sqlstate 'PT404' using message = 'This person does not work in the company';
  end if;
  return member;
end
$$;
comment on function app.member_with_email(uuid, text) is
  'Returns the member of a company who signs in with the given e-mail address. Raises PT404 when no member has this '
  'address.';

create function app.keep_an_owner(company_id uuid, leaving uuid) returns void
language plpgsql
set search_path = ''
as $$
#variable_conflict use_column
declare
  owners uuid[];
begin
  -- Every call locks the rows in the same order. If the last two owners leave at the same time, the second call waits
  -- and is then refused.
  owners := array(
    select user_id from public.company_members
    where company_id = keep_an_owner.company_id and role = 'owner'
    order by user_id
    for no key update
  );
  if owners = array[leaving] then
    raise sqlstate 'PT409' using message = 'This is the only owner of the company: make another member owner first';
  end if;
end
$$;
comment on function app.keep_an_owner(uuid, uuid) is
  'Raises PT409 when the member `leaving` is the only owner of the company. No other owner can leave until the '
  'transaction ends.';

create function app.give_role(company_id uuid, user_id uuid, role text) returns void
language plpgsql
set search_path = ''
as $$
#variable_conflict use_column
begin
  perform from public.companies where id = give_role.company_id for no key update;
  if give_role.role <> 'owner' then
    perform app.keep_an_owner(give_role.company_id, give_role.user_id);
  end if;
  update public.company_members set role = give_role.role
  where company_id = give_role.company_id and user_id = give_role.user_id;
end
$$;
comment on function app.give_role(uuid, uuid, text) is
  'Changes a member''s role. Raises PT409 when the company would have no owner left. The calling function must check '
  'the permissions.';

create function app.end_membership(company_id uuid, user_id uuid) returns void
language plpgsql
set search_path = ''
as $$
#variable_conflict use_column
begin
  perform from public.companies where id = end_membership.company_id for no key update;
  perform app.keep_an_owner(end_membership.company_id, end_membership.user_id);
  begin
    -- In the same statement, the foreign key of the conversations unassigns each conversation of the member.
    delete from public.company_members
    where company_id = end_membership.company_id and user_id = end_membership.user_id;
  exception when query_canceled then
    raise sqlstate 'PT503' using message =
      'The removal took too long, probably because very many conversations are assigned to the person, and nothing was '
      'changed: try again once, and then ask the operator of the service';
  end;
end
$$;
comment on function app.end_membership(uuid, uuid) is
  'Removes a member, and unassigns the member''s conversations. Raises PT409 when the company would have no owner left. '
  'Raises PT503 when the time limit ends the removal, for example because of very many conversations. The calling '
  'function must check the permissions.';

-- This function and the next three are security definer, because they read the e-mail addresses of users. Only the
-- platform may call these four functions.
create function public.add_company_member(
  company_id uuid,
  email text,
  role text default 'agent',
  name text default null
) returns public.company_member
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  person uuid;
begin
  perform app.check_member_role(add_company_member.role);
  perform app.check_name(btrim(add_company_member.name), 'a member');
  if not exists (select from public.companies where companies.id = add_company_member.company_id) then
    raise sqlstate 'PT404' using message = 'No company has this id';
  end if;
  person := app.person_with_email(add_company_member.email);
  -- In a project with open sign-up, anyone can sign up with another person's e-mail address, but cannot confirm that
  -- address.
  if not exists (
    select from auth.users
    where users.id = person and (users.email_confirmed_at is not null or users.invited_at is not null)
  ) then
    raise sqlstate 'PT409' using message = 'This person has not confirmed the e-mail address yet';
  end if;
  insert into public.company_members (company_id, user_id, role, name)
  values (add_company_member.company_id, person, add_company_member.role, btrim(add_company_member.name))
  on conflict do nothing;
  if not found then
    raise sqlstate 'PT409' using message = 'This person works in the company already';
  end if;
  return app.member_with_email(add_company_member.company_id, add_company_member.email);
end
$$;
comment on function public.add_company_member(uuid, text, text, text) is
  'Adds the user who signs in with this e-mail address to a company. Raises PT404 when the company or the user does '
  'not exist. Raises PT409 when the address is not confirmed, or when the user is already a member. Raises PT422 for '
  'an invalid role or name.';
grant execute on function public.add_company_member(uuid, text, text, text) to service_role;

create function public.list_company_members(company_id uuid) returns setof public.company_member
language sql stable security definer
set search_path = ''
as $$
  select m.company_id, m.user_id, u.email::text, m.name, m.role, m.created_at
  from public.company_members m
  join auth.users u on u.id = m.user_id
  where m.company_id = list_company_members.company_id
$$;
comment on function public.list_company_members(uuid) is
  'Returns the members of a company, with their e-mail addresses. Returns no rows for an unknown company.';
grant execute on function public.list_company_members(uuid) to service_role;

create function public.change_company_member_role(company_id uuid, email text, role text)
returns public.company_member
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  member public.company_member;
begin
  perform app.check_member_role(change_company_member_role.role);
  member := app.member_with_email(change_company_member_role.company_id, change_company_member_role.email);
  perform app.give_role(member.company_id, member.user_id, change_company_member_role.role);
  return app.member_with_email(change_company_member_role.company_id, change_company_member_role.email);
end
$$;
comment on function public.change_company_member_role(uuid, text, text) is
  'Changes the role of a company''s member. Raises PT404 when no member has the e-mail address. Raises PT409 when the '
  'company would have no owner left. Raises PT422 for an invalid role.';
grant execute on function public.change_company_member_role(uuid, text, text) to service_role;

create function public.remove_company_member(company_id uuid, email text) returns public.company_member
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  member public.company_member;
begin
  member := app.member_with_email(remove_company_member.company_id, remove_company_member.email);
  perform app.end_membership(member.company_id, member.user_id);
  return member;
end
$$;
comment on function public.remove_company_member(uuid, text) is
  'Removes a member from a company. The removed user can still sign in. Raises PT404 when no member has the e-mail '
  'address. Also raises PT409 and PT503 as app.end_membership() does.';
grant execute on function public.remove_company_member(uuid, text) to service_role;

-- Security definer, because no API key may read e-mail addresses. A caller who knows an address learns only which
-- member has this address. The company must allow this search (members_found_by_email).
create function public.member_ids_by_email(email text) returns uuid[]
language plpgsql stable security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  own_company_id constant uuid := app.company_id('read');
begin
  if not (select members_found_by_email from public.companies where id = own_company_id) then
    return null;
  end if;
  return array(
    select user_id from public.company_members
    join auth.users on users.id = user_id
    where company_id = own_company_id and lower(users.email) = lower(btrim(member_ids_by_email.email))
  );
end
$$;
comment on function public.member_ids_by_email(text) is
  'Returns the members of the key''s company who sign in with this e-mail address, usually at most one. Returns null '
  'when the company does not let keys find members by e-mail address. Needs a read token. Raises PT401 and PT403 as '
  'app.company_id() does.';
grant execute on function public.member_ids_by_email(text) to api_client;
