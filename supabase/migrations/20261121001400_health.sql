-- What a monitor asks. It reaches the database the way every request does, without a company.

create function public.health() returns boolean
language sql stable
set search_path = ''
as $$
  select true
$$;
comment on function public.health() is 'Answers, which is all that is asked of it.';
grant execute on function public.health() to api_client;
