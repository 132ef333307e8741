-- Callers may change a field of a record and send the whole record back. This function reads the stored record, so that
-- the service can compare the other fields.

create function public.record_to_change(of_table text, id uuid) returns json
-- Security definer, because a write token can read only the rows that its statement writes. The function reveals
-- nothing new, because a write token could also get the record by changing it.
language plpgsql stable security definer
set search_path = ''
as $$
declare
  own_company_id constant uuid := app.company_id('write');
begin
  return case of_table
    when 'contacts' then (
      select to_json(contacts) from public.contacts where company_id = own_company_id and contacts.id = record_to_change.id
    )
    when 'deals' then (
      select to_json(deals) from public.deals where company_id = own_company_id and deals.id = record_to_change.id
    )
    when 'conversations' then (
      select to_json(conversations) from public.conversations
      where company_id = own_company_id and conversations.id = record_to_change.id
    )
    when 'pipelines' then (
      select to_json(pipelines) from public.pipelines
      where company_id = own_company_id and pipelines.id = record_to_change.id
    )
    when 'stages' then (
      select to_json(stages) from public.stages where company_id = own_company_id and stages.id = record_to_change.id
    )
  end;
end
$$;
comment on function public.record_to_change(text, uuid) is
  'Returns a row of contacts, deals, conversations, pipelines or stages of the key''s company, or null when there is '
  'none. Needs a write token. Raises PT401 and PT403 as app.company_id() does.';
grant execute on function public.record_to_change(text, uuid) to api_client;
