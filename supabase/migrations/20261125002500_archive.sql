-- A key archives its company's contacts and deals, and reads of each when it was archived.

create or replace function app.deal_json(deal public.deals) returns jsonb
language sql stable
set search_path = ''
as $$
  select jsonb_build_object(
    'id', deal.id,
    'company_id', deal.company_id,
    'title', deal.title,
    'value', deal.value,
    'status', deal.status,
    'contact_id', deal.contact_id,
    'stage_id', deal.stage_id,
    'won_at', deal.won_at,
    'lost_at', deal.lost_at,
    'stage_changed_at', deal.stage_changed_at,
    'archived_at', deal.archived_at,
    'created_at', deal.created_at,
    'updated_at', deal.updated_at,
    'version', deal.version::text
  )
$$;

create function app.require_version(present bigint, accepted bigint[]) returns void
language plpgsql immutable
set search_path = ''
as $$
begin
  if accepted is not null and present <> all (accepted) then
    raise sqlstate 'PT412' using
      message = 'The row has another version: it has changed since that one was read', detail = present::text;
  end if;
end
$$;
comment on function app.require_version(bigint, bigint[]) is
  'Raises PT412 with the present version of a row as detail when a write may not build on it. Null accepts any.';

create function public.archive_contact(id uuid, accepted_versions bigint[] default null) returns boolean
-- Security definer, here and below: a key writes no archived_at.
language plpgsql security definer
set search_path = ''
as $$
declare
  own_company_id constant uuid := app.company_id('write');
  contact record;
begin
  -- It gives up its phone_key, which is a key of the row.
  select archived_at, version into contact from public.contacts
  where company_id = own_company_id and contacts.id = archive_contact.id
  for update;
  if not found then
    return false;
  end if;
  if contact.archived_at is null then
    perform app.require_version(contact.version, accepted_versions);
    update public.contacts set archived_at = now()
    where company_id = own_company_id and contacts.id = archive_contact.id;
  end if;
  return true;
end
$$;
comment on function public.archive_contact(uuid, bigint[]) is
  'For a token for writing: archives a contact of the key''s company, when it has one of the accepted versions; '
  'null accepts any. One that is archived already stays as it is. False: there is none. Raises PT412 with the '
  'present version as detail, PT401 and PT403 as app.company_id() does.';
grant execute on function public.archive_contact(uuid, bigint[]) to api_client;

create function public.archive_deal(id uuid, accepted_versions bigint[] default null) returns boolean
language plpgsql security definer
set search_path = ''
as $$
declare
  own_company_id constant uuid := app.company_id('write');
  deal record;
begin
  select archived_at, version into deal from public.deals
  where company_id = own_company_id and deals.id = archive_deal.id
  for no key update;
  if not found then
    return false;
  end if;
  if deal.archived_at is null then
    perform app.require_version(deal.version, accepted_versions);
    update public.deals set archived_at = now()
    where company_id = own_company_id and deals.id = archive_deal.id;
  end if;
  return true;
end
$$;
comment on function public.archive_deal(uuid, bigint[]) is
  'For a token for writing: archives a deal of the key''s company, as archive_contact() does a contact.';
grant execute on function public.archive_deal(uuid, bigint[]) to api_client;
