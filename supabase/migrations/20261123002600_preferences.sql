-- Whether a person wants marketing messages, as they told the channel.

create function app.apply_preference(account_id uuid, item jsonb) returns text
language plpgsql
set search_path = ''
as $$
#variable_conflict use_column
declare
  said_at constant timestamptz := least(coalesce((item ->> 'at')::timestamptz, now()), now());
  -- A person who is not known becomes a contact: a stop must hold when the company writes to them later.
  own_contact_id constant uuid := app.find_person(account_id, item -> 'person', said_at);
begin
  if own_contact_id is null then
    return 'unroutable';
  elsif item ->> 'value' = 'stop' then
    update public.contacts set marketing_stopped_at = said_at, marketing_stop_source = 'preference'
    where id = own_contact_id and (
      marketing_stopped_at is null or marketing_stopped_at < said_at
      or (marketing_stopped_at = said_at and marketing_stop_source <> 'preference')
    );
  elsif item ->> 'value' = 'resume' then
    update public.contacts set marketing_resumed_at = said_at
    where id = own_contact_id and (marketing_resumed_at is null or marketing_resumed_at < said_at);
  else
    return 'ignored';
  end if;
  return 'done';
end
$$;
comment on function app.apply_preference(uuid, jsonb) is
  'Notes that a person stopped marketing messages or wants them again. The newest of each counts, in whatever order they '
  'come. Who is not known becomes a contact.';
