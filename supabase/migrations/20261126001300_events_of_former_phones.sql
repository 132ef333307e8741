-- An event of a phone's next owner is not emptied: a former phone is somebody else's since.

create or replace function app.erase_in_events(own_company_id uuid, event_ids uuid[], people jsonb) returns integer
language plpgsql
set search_path = ''
as $$
declare
  numbers text[];
  own_marks bigint[];
  erased integer;
begin
  select
    array_agg(phone_number_id),
    -- A reply quotes a message from the company's own phone.
    app.marks_of(array(
      -- Whose time is over, others may be named by the same.
      select name from jsonb_each_text(people) as known (name, until)
      where until::bigint >= floor(extract(epoch from now()))
    ) || array_agg(app.phone_key('+' || regexp_replace(display_phone, '[^0-9]', '', 'g'))))
  into numbers, own_marks
  from public.messaging_accounts where company_id = own_company_id;

  with remaining as (
    select events.id, events.body as was, case
      -- Most events tell of one person to one company, and nothing is left of them.
      when events.state = 'done' and events.person_marks <@ own_marks and (
        select bool_and(named.number[1] = any (numbers))
        from regexp_matches(encode(events.body, 'escape'), '"phone_number_id"\s*:\s*"?([0-9]+)', 'g') as named (number)
      ) then app.empty_event()
      else app.event_without(own_company_id, events.body, people)
    end as body
    from public.channel_events as events
    where events.id = any (event_ids)
  )
  update public.channel_events as events set
    body = remaining.body,
    -- They may quote what was refused, and name what went out twice.
    error = case when events.error is not null then 'It told of a person who is erased' end,
    notes = array(
      select regexp_replace(note, 'wamid\.\S+', 'an erased message', 'g') from unnest(events.notes) as note
    )
  from remaining
  where events.id = remaining.id and remaining.body <> remaining.was;
  get diagnostics erased = row_count;
  return erased;
end
$$;
