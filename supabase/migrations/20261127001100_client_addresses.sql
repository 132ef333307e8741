-- From which address a request to the Data API came, as the platform in front of it says. The Data API gives the headers
-- of each request to its statements.

create function app.address_of(written text) returns inet
language sql immutable
set search_path = ''
as $$
  select case
    -- With a mask it is a network.
    when pg_input_is_valid(btrim(written), 'inet') and strpos(written, '/') = 0 then btrim(written)::inet
  end
$$;
comment on function app.address_of(text) is 'An IP address as it is written in a header; null when it is none.';

create function app.client_address() returns inet
language sql stable
set search_path = ''
as $$
  select coalesce(
    -- Hosted, requests come through Cloudflare, which writes this header itself. What a caller writes into
    -- x-forwarded-for is handed on there.
    app.address_of(headers ->> 'cf-connecting-ip'),
    -- A proxy of one's own writes this one.
    app.address_of(headers ->> 'x-real-ip'),
    -- A proxy adds the address that it sees at the end. Anything before that may be the caller's own words.
    app.address_of(split_part(headers ->> 'x-forwarded-for', ',', -1))
  )
  from (
    select case when pg_input_is_valid(setting, 'jsonb') then setting::jsonb end as headers
    from current_setting('request.headers', true) as setting
  ) request
$$;
comment on function app.client_address() is
  'The address of the client whose request this is, as the platform reports it; null when it reports none, and outside of '
  'a request. It never fails.';
