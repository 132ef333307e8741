-- Functions that write contacts answer them as keys read them. What they keep of a write is only which contacts it met,
-- so that a repeat answers these as they are then.

create function app.contact_json(contact public.contacts) returns json
-- In this language, a call for each of many rows costs little. To build jsonb, which is only written out again, takes
-- three times as long as json.
language plpgsql stable
set search_path = ''
as $$
begin
  return json_build_object(
    'id', contact.id,
    'company_id', contact.company_id,
    'name', contact.name,
    'email', contact.email,
    'phone', contact.phone,
    'temperature', contact.temperature,
    'tags', contact.tags,
    'source', contact.source,
    'job_title', contact.job_title,
    'empresa', contact.empresa,
    'custom_fields', contact.custom_fields,
    'do_not_contact', contact.do_not_contact,
    'do_not_contact_source', contact.do_not_contact_source,
    'do_not_contact_at', contact.do_not_contact_at,
    'marketing_opt_out_at', contact.marketing_opt_out_at,
    'is_active', contact.is_active,
    'created_at', contact.created_at,
    'updated_at', contact.updated_at,
    'version', contact.version::text
  );
end
$$;
comment on function app.contact_json(public.contacts) is
  'A contact as keys read it; see the view own_contacts. The order of its members is not kept.';

create function app.with_contact_rows(own_company_id uuid, results jsonb, replayed boolean) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  -- Of one answer; a page of a list has as many.
  max_bytes constant integer := 1048576;
  answered json;
begin
  select coalesce(
    json_agg(
      case
        when result ->> 'status' not in ('200', '201') then result::json
        when contacts.id is null then '{"status": 404}'
        else json_build_object(
          'status', result -> 'status', 'id', contacts.id, 'data', app.contact_json(contacts)
        )
      end
      order by place
    ),
    '[]'
  )
  into answered
  from jsonb_array_elements(results) with ordinality as given (result, place)
  left join public.contacts
    on contacts.company_id = own_company_id and contacts.id = (result ->> 'id')::uuid
    and result ->> 'status' in ('200', '201');

  if octet_length(answered::text) <= max_bytes then
    return json_build_object(
      'replayed', replayed, 'undone', false, 'without_custom_fields', false, 'results', answered
    );
  end if;
  return json_build_object(
    'replayed', replayed, 'undone', false, 'without_custom_fields', true, 'results',
    (
      select json_agg(result #- '{data,custom_fields}' order by place)
      from jsonb_array_elements(answered::jsonb) with ordinality as given (result, place)
    )
  );
end
$$;
comment on function app.with_contact_rows(uuid, jsonb, boolean) is
  'The answer to a write: { replayed, undone, without_custom_fields, results }, its results with the contacts that it met, '
  'as they are now. A contact that is gone is a 404. custom_fields are left out of all of them when the results would be '
  'larger than 1 MiB.';
