-- Functions that write contacts answer them as keys read them. What they keep of a write is only which contacts it met,
-- so that a repeat answers these as they are then.

create function app.contact_json(contact public.contacts) returns jsonb
-- In this language, a call for each of many rows costs little.
language plpgsql stable
set search_path = ''
as $$
begin
  return jsonb_build_object(
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

create function app.with_contact_rows(own_company_id uuid, results jsonb) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  -- Of one answer; a page of a list has as many.
  max_bytes constant integer := 1048576;
  answered jsonb;
  bytes bigint;
begin
  select
    coalesce(
      jsonb_agg(
        case
          when result ->> 'status' not in ('200', '201') then result
          when contacts.id is null then '{"status": 404}'
          else result || jsonb_build_object('data', app.contact_json(contacts))
        end
        order by place
      ),
      '[]'
    ),
    -- One contact may stand in several places.
    sum(octet_length(contacts.custom_fields::text) + 2000)
  into answered, bytes
  from jsonb_array_elements(results) with ordinality as given (result, place)
  left join public.contacts
    on contacts.company_id = own_company_id and contacts.id = (result ->> 'id')::uuid
    and result ->> 'status' in ('200', '201');

  if bytes > max_bytes and octet_length(answered::text) > max_bytes then
    answered := (
      select jsonb_agg(result #- '{data,custom_fields}' order by place)
      from jsonb_array_elements(answered) with ordinality as given (result, place)
    );
    return jsonb_build_object('results', answered, 'without_custom_fields', true);
  end if;
  return jsonb_build_object('results', answered, 'without_custom_fields', false);
end
$$;
comment on function app.with_contact_rows(uuid, jsonb) is
  'Results of a write with the contacts that it met, as they are now: { results, without_custom_fields }. A contact that '
  'is gone is a 404. custom_fields are left out of all of them when the answer would be larger than 1 MiB.';
