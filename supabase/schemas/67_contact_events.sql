-- The events for contacts and deals.

-- A query in a trigger expression makes each event slower, so a separate function returns the values for two rare
-- events.
create function app.values_of_contact_event(contact uuid, company uuid, event_type text) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return case event_type
    -- A caller that keeps copies of records must also delete or clear its copies of these conversations and deals.
    when 'contact.erased' then jsonb_build_object(
      'conversation_ids', array(
        select id from public.conversations
        where company_id = company and contact_id = contact order by created_at desc, id desc limit 1000
      ),
      'deal_ids', array(
        select id from public.deals
        where company_id = company and contact_id = contact order by created_at desc, id desc limit 1000
      )
    )
    when 'contact.merged' then jsonb_build_object('contact_id', jsonb_build_object(
      'from', right(current_setting('app.merged', true), 36), 'to', contact
    ))
  end;
end
$$;
comment on function app.values_of_contact_event(uuid, uuid, text) is
  'Returns the values of the events contact.erased and contact.merged that are not fields of the contact.';

-- app.merge_contacts() sets app.merged to the id of the surviving contact, followed by the id of the deleted contact.
select app.make_events(
  'contacts',
  fields => '{
    external_id, name, email, phone, temperature, tags, source, job_title, empresa, custom_fields, do_not_contact,
    do_not_contact_source, do_not_contact_at, marketing_opt_out, marketing_opt_out_source, marketing_opt_out_at,
    is_active, archived_at, erased_at
  }',
  shown => '{temperature}',
  added => $$'contact.created'$$,
  changed => $$
    case
      when was.erased_at is null and is_now.erased_at is not null then 'contact.erased'
      when left(current_setting('app.merged', true), 36) = is_now.id::text then 'contact.merged'
      when is_now.do_not_contact > was.do_not_contact or is_now.marketing_opt_out > was.marketing_opt_out
        then 'contact.opted_out'
      when is_now.do_not_contact < was.do_not_contact or is_now.marketing_opt_out < was.marketing_opt_out
        then 'contact.opted_in'
      when was.archived_at is null and is_now.archived_at is not null then 'contact.archived'
      when was.archived_at is not null and is_now.archived_at is null then 'contact.restored'
      when changed_fields <> '{}' then 'contact.updated'
    end
  $$,
  changed_values => $$
    case when event_type in ('contact.erased', 'contact.merged')
      then app.values_of_contact_event(is_now.id, is_now.company_id, event_type) end
  $$,
  deleted => $$
    case when right(current_setting('app.merged', true), 36) = was.id::text then null else 'contact.deleted' end
  $$,
  in_batches => true
);

select app.make_events(
  'deals',
  fields => '{
    external_id, title, value, status, contact_id, stage_id, won_at, lost_at, stage_changed_at, archived_at
  }',
  shown => '{status, stage_id, contact_id}',
  added => $$'deal.created'$$,
  changed => $$
    case
      when is_now.status <> was.status and is_now.status = 'won' then 'deal.won'
      when is_now.status <> was.status and is_now.status = 'lost' then 'deal.lost'
      when is_now.status <> was.status then 'deal.reopened'
      when is_now.stage_id <> was.stage_id then 'deal.stage_changed'
      when was.archived_at is null and is_now.archived_at is not null then 'deal.archived'
      when was.archived_at is not null and is_now.archived_at is null then 'deal.restored'
      when changed_fields <> '{}' then 'deal.updated'
    end
  $$,
  changed_values => $$
    case when is_now.stage_id <> was.stage_id then (
      select jsonb_build_object('pipeline_id', jsonb_build_object('from', earlier.pipeline_id, 'to', later.pipeline_id))
      from public.stages as earlier, public.stages as later
      where earlier.company_id = was.company_id and earlier.id = was.stage_id
        and later.company_id = is_now.company_id and later.id = is_now.stage_id
        and earlier.pipeline_id <> later.pipeline_id
    ) end
  $$,
  deleted => $$'deal.deleted'$$,
  in_batches => true
);
