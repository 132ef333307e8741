-- The parts of inbound messages that callers read as fields: a location, contact cards, and the button or list entry
-- that the person chose. The functions read these parts from the original WhatsApp object in the column `payload`. A
-- part with an unexpected structure is null.

create function app.location_in(payload jsonb) returns jsonb
language sql immutable
set search_path = ''
as $$
  select case
    when jsonb_typeof(place -> 'latitude') = 'number' and jsonb_typeof(place -> 'longitude') = 'number' then
      jsonb_build_object(
        'latitude', place -> 'latitude', 'longitude', place -> 'longitude', 'name', place ->> 'name',
        'address', place ->> 'address', 'url', place ->> 'url'
      )
  end
  from (values (payload -> 'location')) as told (place)
$$;
comment on function app.location_in(jsonb) is
  'Returns the location in a message''s payload: { latitude, longitude, name, address, url }.';

create function app.contact_cards_in(payload jsonb) returns jsonb
language sql immutable
set search_path = ''
as $$
  select jsonb_agg(jsonb_build_object(
    'name', card #>> '{name,formatted_name}',
    'organization', card #>> '{org,company}',
    'phones', (
      select coalesce(jsonb_agg(jsonb_build_object(
        'phone', entry ->> 'phone', 'whatsapp_id', entry ->> 'wa_id', 'type', entry ->> 'type'
      ) order by place), '[]')
      from jsonb_array_elements(
        case jsonb_typeof(card -> 'phones') when 'array' then card -> 'phones' else '[]' end
      ) with ordinality as phones (entry, place)
      where jsonb_typeof(entry) = 'object'
    ),
    'emails', (
      select coalesce(jsonb_agg(jsonb_build_object('email', entry ->> 'email', 'type', entry ->> 'type') order by place), '[]')
      from jsonb_array_elements(
        case jsonb_typeof(card -> 'emails') when 'array' then card -> 'emails' else '[]' end
      ) with ordinality as emails (entry, place)
      where jsonb_typeof(entry) = 'object'
    )
  ) order by card_place)
  from jsonb_array_elements(
    case jsonb_typeof(payload -> 'contacts')
      when 'array' then payload -> 'contacts'
      when 'object' then jsonb_build_array(payload -> 'contacts')
      else '[]'
    end
  ) with ordinality as cards (card, card_place)
  where jsonb_typeof(card) = 'object'
$$;
comment on function app.contact_cards_in(jsonb) is
  'Returns the contact cards in a message''s payload: an array of { name, organization, phones, emails }.';

create function app.choice_in(payload jsonb) returns jsonb
language sql immutable
set search_path = ''
as $$
  select case
    when payload ? 'button' then jsonb_build_object(
      'type', 'button', 'id', payload #>> '{button,payload}', 'title', payload #>> '{button,text}', 'description', null
    )
    when payload #>> '{interactive,type}' in ('button_reply', 'list_reply') then jsonb_build_object(
      'type', payload #>> '{interactive,type}',
      'id', payload #>> array['interactive', payload #>> '{interactive,type}', 'id'],
      'title', payload #>> array['interactive', payload #>> '{interactive,type}', 'title'],
      'description', payload #>> array['interactive', payload #>> '{interactive,type}', 'description']
    )
  end
$$;
comment on function app.choice_in(jsonb) is
  'Returns the person''s choice in a message''s payload: { type, id, title, description }. The type is button (a '
  'template button), button_reply or list_reply.';

grant execute on function app.location_in(jsonb), app.contact_cards_in(jsonb), app.choice_in(jsonb)
  to api_reader, api_client;
