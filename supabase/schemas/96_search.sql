-- The search over contacts, deals and conversations.

create function public.search_records(
  patterns text[], text text, max_rows integer, archived text default 'exclude', phone_parts text[] default '{}',
  phone_patterns text[] default '{}', phone_keys text[] default '{}', email text default null
) returns setof json
language plpgsql stable
set search_path = ''
as $$
declare
  -- app.company_id() raises an error for a refused key. The views might not check the key when they find no rows. The
  -- SQL text contains the company id, so that the planner knows how many rows the company has.
  own_company constant text := format('company_id = %L', app.company_id('read'));
  has_word constant text :=
    '(name_words like %1$L or email_words like %1$L or phone_words like %1$L or empresa_words like %1$L)';
  contact_matches text := (select string_agg(format(has_word, pattern), ' and ') from unnest(patterns) as pattern);
  deal_matches constant text := (
    select string_agg(format('words like %L', pattern), ' and ') from unnest(patterns || phone_parts) as pattern
  );
  is_searched constant text := own_company || case archived
    when 'include' then ''
    when 'only' then ' and archived_at is not null'
    else ' and archived_at is null'
  end;
begin
  if deal_matches is null then
    return;
  end if;
  if phone_keys <> '{}' then
    contact_matches := concat_ws(' and ', contact_matches, format('(%s)', concat_ws(' or ',
      (select format('(%s)', string_agg(format(has_word, part), ' and ')) from unnest(phone_parts) as part),
      (select string_agg(format('phone_words like %L', pattern), ' or ') from unnest(phone_patterns) as pattern),
      format('phone_key = any (%L::text[])', phone_keys),
      case when archived <> 'exclude' then format('archived_phone_key = any (%L::text[])', phone_keys) end,
      -- The additional phone numbers of merged contacts.
      (
        select format('id = any (%L::uuid[])', array_agg(contact_id)) from public.own_contact_former_phones
        where until = 'infinity'
          and (phone_key = any (phone_keys) or archived <> 'exclude' and archived_phone_key = any (phone_keys))
        having count(*) > 0
      )
    )));
  end if;

  -- The SQL text contains the patterns, because a condition with `like all (array)` cannot use an index. A search for a
  -- common word must not take longer than reading a page of a list. So the function ranks only some of the matching
  -- records: the newest 100 of each kind, 100 with a name or title that begins with the text, the newest 100 with a
  -- name or title in which a word begins with the text, and the newest 100 with the e-mail address. The last two need
  -- no patterns, because the text contains every word of the patterns. Each contact adds its three newest
  -- conversations.
  return query execute format(
    $query$
      with
      contact as (
        select
          id, created_at, (array[name, email, phone, empresa])[shown] as label,
          (array[name_words, email_words, phone_words, empresa_words])[shown] as label_words
        from (
          (
            select id, created_at, name_words, email_words, phone_words, empresa_words from public.own_contacts
            where %1$s and %5$s order by created_at desc, id desc limit 100
          )
          union
          (
            select id, created_at, name_words, email_words, phone_words, empresa_words from public.own_contacts
            where name_sort ^@ %3$L and %1$s and %5$s order by name_sort, id limit 100
          )
          union
          (
            select id, created_at, name_words, email_words, phone_words, empresa_words from public.own_contacts
            where name_words like %6$L and %5$s order by created_at desc, id desc limit 100
          )
          union
          (
            select id, created_at, name_words, email_words, phone_words, empresa_words from public.own_contacts
            where email_key = %7$L and %5$s order by created_at desc, id desc limit 100
          )
        ) as found
        join (select id, name, email, phone, empresa from public.own_contacts) as whole using (id)
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
        union
        (
          select id, created_at, title, words from public.own_deals
          where words like %6$L and %5$s order by created_at desc, id desc limit 100
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
              'id', id, 'company_id', company_id, 'external_id', external_id, 'name', name, 'email', email,
              'phone', phone, 'temperature', temperature, 'tags', tags, 'source', source, 'job_title', job_title,
              'empresa', empresa, 'custom_fields', custom_fields, 'do_not_contact', do_not_contact,
              'do_not_contact_source', do_not_contact_source, 'do_not_contact_at', do_not_contact_at,
              'marketing_opt_out', marketing_opt_out, 'marketing_opt_out_source', marketing_opt_out_source,
              'marketing_opt_out_at', marketing_opt_out_at, 'is_active', is_active, 'archived_at', archived_at,
              'erased_at', erased_at, 'created_at', created_at, 'updated_at', updated_at, 'version', version
            )
            from public.own_contacts where id = best.id
          )
          when 'deal' then (
            select json_build_object(
              'id', id, 'company_id', company_id, 'external_id', external_id, 'title', title, 'value', value,
              'status', status, 'contact_id', contact_id, 'stage_id', stage_id,
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
    contact_matches, deal_matches, ' ' || text, greatest(least(max_rows, 200), 0), is_searched, '% ' || text || '%',
    lower(email collate "pg_c_utf8")
  );
end
$$;
comment on function public.search_records(text[], text, integer, text, text[], text[], text[], text) is
  'Finds contacts, deals, and the conversations of contacts whose words match every `like` pattern. Needs a read '
  'token. Returns { type, id, label, row }, where `row` has the columns of the API. Records whose label equals the '
  'text come first. app.words() normalizes both strings for this comparison. Labels that begin with the text follow, '
  'then labels with a word that begins with the text, then all other records. Within each group, the newest record '
  'comes first. The label of a contact is its name, otherwise its e-mail address, phone or empresa. The label of a '
  'deal is its title, and a conversation has the label of its contact. The argument `archived` controls archived '
  'records and conversations of archived contacts. The value `exclude` omits them, `include` also finds them, and '
  '`only` finds no other records. If the text contains a phone number, phone_parts has a pattern for each part of the '
  'number. The number also finds contacts whose stored phone matches one of phone_patterns, or whose phone key is one '
  'of phone_keys. The argument `email` is the text as the caller typed it, if it may be an e-mail address. It finds '
  'the contacts with this address, in any case. Raises PT401 and PT403 as app.company_id() does.';
grant execute on function
  public.search_records(text[], text, integer, text, text[], text[], text[], text) to api_reader;
