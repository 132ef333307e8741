-- The check for monitors. It reaches the database as every request does, but carries no API key.

create function public.health() returns boolean
language sql stable
set search_path = ''
as $$
  select true
$$;
comment on function public.health() is 'Returns true, which shows that the database answers.';
grant execute on function public.health() to api_client;
