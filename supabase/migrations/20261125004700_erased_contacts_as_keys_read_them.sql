-- A key reads when a contact was erased, wherever it reads contacts. A search asks for archived records as a list does.

grant select (erased_at) on public.contacts to api_client;

create or replace view public.own_contacts as
  select
    id, company_id, name, email, phone, temperature, tags, source, job_title, empresa, custom_fields, do_not_contact,
    is_active, created_at, updated_at,
    phone_key, email_key, name_words, email_words, replace(phone, '+', ' ') as phone_words, empresa_words,
    job_title_words, left(coalesce(name_words, ''), 100) collate "C" as name_sort,
    do_not_contact_source, do_not_contact_at, marketing_opt_out_at,
    version::text as version,
    archived_at, archived_phone_key,
    erased_at
  from public.contacts
  where company_id = (select app.company_id('read'));

select app.make_feed('contact_changes', 'contacts', '
  id, company_id, name, email, phone, temperature, tags, source, job_title, empresa, custom_fields, do_not_contact,
  do_not_contact_source, do_not_contact_at, marketing_opt_out_at, is_active, archived_at, erased_at, created_at, updated_at
');

-- With a default, so that the functions of the release before call it too.
drop function public.search_records(text[], text, integer);
create function public.search_records(
  patterns text[], text text, max_rows integer, archived text default 'exclude'
) returns setof json
language plpgsql stable
set search_path = ''
as $$
declare
  contact_matches constant text := (
    select string_agg(
      format(
        '(name_words like %1$L or email_words like %1$L or phone_words like %1$L or empresa_words like %1$L)', pattern
      ),
      ' and '
    )
    from unnest(patterns) as pattern
  );
  deal_matches constant text := (
    select string_agg(format('words like %L', pattern), ' and ') from unnest(patterns) as pattern
  );
  is_shown constant text := case archived
    when 'include' then 'true'
    when 'only' then 'archived_at is not null'
    else 'archived_at is null'
  end;
begin
  -- The views may not ask about the key when they find nothing.
  perform app.company_id('read');
  if deal_matches is null then
    return;
  end if;

  -- The patterns stand in the text of the statement, because like all (array) uses no index. A common word must cost
  -- no more than a page, so of each kind these are compared: the newest 100, 100 whose label begins with the text,
  -- and of each contact the newest three conversations.
  return query execute format(
    $query$
      with
      contact as (
        select
          id, created_at, (array[name, email, phone, empresa])[shown] as label,
          (array[name_words, email_words, phone_words, empresa_words])[shown] as label_words
        from (
          (
            select
              id, created_at, name, email, phone, empresa, name_words, email_words, phone_words, empresa_words
            from public.own_contacts
            where %1$s and %5$s order by created_at desc, id desc limit 100
          )
          union
          (
            select
              id, created_at, name, email, phone, empresa, name_words, email_words, phone_words, empresa_words
            from public.own_contacts
            where name_sort ^@ %3$L and %1$s and %5$s order by name_sort, id limit 100
          )
        ) as found
        cross join lateral (
          select case when name <> '' then 1 when email <> '' then 2 when phone is not null then 3 else 4 end
        ) as field (shown)
      ),
      deal as (
        (
          select id, created_at, title as label, words as label_words from public.own_deals
          where %2$s and %5$s order by created_at desc, id desc limit 100
        )
        union
        (
          select id, created_at, title, words from public.own_deals
          where title_sort ^@ %3$L and %2$s and %5$s order by title_sort, id limit 100
        )
      ),
      conversation as (
        select newest.id, newest.created_at, label, label_words
        from contact cross join lateral (
          select id, created_at from public.own_conversations
          where contact_id = contact.id order by created_at desc, id desc limit 3
        ) as newest
      ),
      best as (
        select
          type, id, label,
          row_number() over (
            order by
              case
                when btrim(label_words) = btrim(%3$L) then 0
                when label_words ^@ %3$L then 1
                when position(%3$L in label_words) > 0 then 2
                else 3
              end,
              created_at desc, type, id
          ) as place
        from (
          select 'contact' as type, * from contact
          union all
          select 'deal', * from deal
          union all
          select 'conversation', * from conversation
        ) as found
        order by place limit %4$L
      )
      select json_build_object(
        'type', type, 'id', id, 'label', label,
        'row', case type
          when 'contact' then (
            select json_build_object(
              'id', id, 'company_id', company_id, 'name', name, 'email', email, 'phone', phone,
              'temperature', temperature, 'tags', tags, 'source', source, 'job_title', job_title, 'empresa', empresa,
              'custom_fields', custom_fields, 'do_not_contact', do_not_contact,
              'do_not_contact_source', do_not_contact_source, 'do_not_contact_at', do_not_contact_at,
              'marketing_opt_out_at', marketing_opt_out_at, 'is_active', is_active, 'archived_at', archived_at,
              'erased_at', erased_at, 'created_at', created_at, 'updated_at', updated_at, 'version', version
            )
            from public.own_contacts where id = best.id
          )
          when 'deal' then (
            select json_build_object(
              'id', id, 'company_id', company_id, 'title', title, 'value', value, 'status', status,
              'contact_id', contact_id, 'stage_id', stage_id,
              'won_at', won_at, 'lost_at', lost_at, 'stage_changed_at', stage_changed_at, 'archived_at', archived_at,
              'created_at', created_at, 'updated_at', updated_at, 'version', version
            )
            from public.own_deals where id = best.id
          )
          else (
            select json_build_object(
              'id', id, 'company_id', company_id, 'contact_id', contact_id, 'phone_number_id', phone_number_id,
              'status', status, 'assigned_to', assigned_to, 'team_id', team_id,
              'last_message_at', last_message_at, 'window_expires_at', window_expires_at,
              'created_at', created_at, 'updated_at', updated_at, 'version', version
            )
            from public.own_conversations where id = best.id
          )
        end
      )
      from best order by place
    $query$,
    contact_matches, deal_matches, ' ' || text, greatest(least(max_rows, 200), 0), is_shown
  );
end
$$;
comment on function public.search_records(text[], text, integer, text) is
  'For a token for reading: contacts, deals, and the conversations of contacts, whose words match every one of the '
  'patterns for like, as { type, id, label, row }; the row has the columns that callers see. Best first: the label '
  'is the text (folded, as app.words does it), begins with it, has a word that begins with it; then newest first. '
  'The label is the name of a contact, else its e-mail address, else its phone, else its empresa; the title of a '
  'deal; and for a conversation the label of its contact. Archived records, and the conversations of archived '
  'contacts, are left out (exclude), found too (include), or found alone (only). Raises PT401 and PT403 as '
  'app.company_id() does.';
grant execute on function public.search_records(text[], text, integer, text) to api_reader;

create or replace function app.contact_json(contact public.contacts) returns json
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
    'archived_at', contact.archived_at,
    'erased_at', contact.erased_at,
    'created_at', contact.created_at,
    'updated_at', contact.updated_at,
    'version', contact.version::text
  );
end
$$;
