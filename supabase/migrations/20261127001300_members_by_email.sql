-- The operator says who works in a company, by the e-mail address with which the person signs in. Without that nobody of
-- a new company could.

create type public.company_member as (
  company_id uuid,
  user_id uuid,
  email text,
  name text,
  role text,
  created_at timestamptz
);
comment on type public.company_member is
  'A member as the operator sees one, with the e-mail address, which no person and no key reads.';

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
    raise sqlstate 'PT404' using message = 'Nobody has signed up with this e-mail address';
  end if;
  -- Somebody may sign in by single sign-on and in another way, as two people.
  if cardinality(found_ids) > 1 then
    raise sqlstate 'PT409' using message = 'Several people have signed up with this e-mail address';
  end if;
  return found_ids[1];
end
$$;
comment on function app.person_with_email(text) is
  'Who signs in with an e-mail address, in any case. Raises PT404 when nobody does, and PT409 when several people do.';

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
comment on function app.check_member_role(text) is 'Raises PT422 for a role that there is not.';

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
  'The member of a company who signs in with an e-mail address. Raises PT404 when there is none.';

create function app.keep_an_owner(company_id uuid, leaving uuid) returns void
language plpgsql
set search_path = ''
as $$
#variable_conflict use_column
declare
  owners uuid[];
begin
  -- The rows are locked, in one order: of two owners who leave at once, the second one waits and stays.
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
  'Raises PT409 when this person is the only owner of the company. Until the end of the transaction, nobody else ceases to '
  'be one.';

-- Security definer, as the following ones, because only they read addresses of people, and only for the platform.
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
  if char_length(btrim(add_company_member.name)) not between 1 and 255 then
    raise sqlstate 'PT422' using message = 'The name of a member has 1 to 255 characters';
  end if;
  if not exists (select from public.companies where companies.id = add_company_member.company_id) then
    raise sqlstate 'PT404' using message = 'No company has this id';
  end if;
  person := app.person_with_email(add_company_member.email);
  -- Where people may sign up, anybody can sign up with the address of somebody else, and cannot confirm it.
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
  'Has the person who signs in with this e-mail address work in a company. Raises PT404 when there is no such company or '
  'nobody has signed up with the address, PT409 when the address is not confirmed or the person works there already, and '
  'PT422 for a wrong role or name.';

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
  'Who works in a company, with the e-mail addresses. An unknown company has nobody.';

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
  if change_company_member_role.role <> 'owner' then
    perform app.keep_an_owner(member.company_id, member.user_id);
  end if;
  update public.company_members set role = change_company_member_role.role
  where company_id = member.company_id and user_id = member.user_id;
  return app.member_with_email(change_company_member_role.company_id, change_company_member_role.email);
end
$$;
comment on function public.change_company_member_role(uuid, text, text) is
  'Gives a member of a company another role. Raises PT404 when nobody there has the e-mail address, PT409 when the company '
  'would be without an owner, and PT422 for a wrong role.';

create function public.remove_company_member(company_id uuid, email text) returns public.company_member
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  member public.company_member;
begin
  member := app.member_with_email(remove_company_member.company_id, remove_company_member.email);
  perform app.keep_an_owner(member.company_id, member.user_id);
  delete from public.company_members
  where company_id = member.company_id and user_id = member.user_id;
  return member;
end
$$;
comment on function public.remove_company_member(uuid, text) is
  'Has a person no longer work in a company. The account to sign in with stays. Raises PT404 when nobody there has the '
  'e-mail address, and PT409 when the company would be without an owner.';

grant execute on function
  public.add_company_member(uuid, text, text, text),
  public.list_company_members(uuid),
  public.change_company_member_role(uuid, text, text),
  public.remove_company_member(uuid, text)
to service_role;
