-- An index for everything that a list is searched or sorted by, together with the company. Each filter alone, and each
-- order, reads little more than it answers. The planner knows how many rows a value has, so for a rare one it takes
-- the index of the field and sorts, and for a common one it walks the list from the newest row on.

create extension if not exists pg_trgm with schema extensions;
create extension if not exists btree_gin with schema extensions;

-- An index row has 2704 bytes at most, which a tag of people's own might exceed. Callers' tags have 64 characters.
create function app.longest(texts text[]) returns integer
language plpgsql immutable strict parallel safe
set search_path = ''
as $$
declare
  longest integer := 0;
  each text;
begin
  foreach each in array texts loop
    longest := greatest(longest, octet_length(each));
  end loop;
  return longest;
end
$$;
comment on function app.longest(text[]) is 'The number of bytes of the longest of some texts; 0 for none.';
grant execute on function app.longest(text[]) to api_client, authenticated, service_role;
alter table public.contacts add constraint contacts_tags_fit_index check (tags = '{}' or app.longest(tags) <= 2048);

-- Contacts: words, tags and custom fields in one index of all, which is smaller than one for each and costs a write
-- half as much. With a short list of what is pending, no single write and no search pays for many others.
create index contacts_found_idx on public.contacts using gin (
  company_id, tags, custom_fields jsonb_path_ops, name_words extensions.gin_trgm_ops,
  email_words extensions.gin_trgm_ops, replace(phone, '+', ' ') extensions.gin_trgm_ops,
  empresa_words extensions.gin_trgm_ops, job_title_words extensions.gin_trgm_ops
) with (gin_pending_list_limit = 512);

-- How common a part of a word is, the planner finds out by comparing with samples. With 100 of them, it takes one in a
-- thousand for one in a hundred as often as not, and walks a list where it should have asked the index.
alter table public.contacts
  alter column name_words set statistics 400,
  alter column email_words set statistics 400,
  alter column empresa_words set statistics 400,
  alter column job_title_words set statistics 400;
alter table public.deals alter column words set statistics 400;

create index contacts_name_idx on public.contacts (company_id, name);
create index contacts_email_idx on public.contacts (company_id, email_key);
create index contacts_temperature_idx on public.contacts (company_id, temperature, created_at desc, id desc);
create index contacts_source_idx on public.contacts (company_id, source, created_at desc, id desc);
create index contacts_job_title_idx on public.contacts (company_id, job_title, created_at desc, id desc);
create index contacts_empresa_idx on public.contacts (company_id, empresa, created_at desc, id desc);
-- The other value of each is that of nearly every contact.
create index contacts_do_not_contact_idx on public.contacts (company_id, created_at desc, id desc)
  where do_not_contact;
create index contacts_inactive_idx on public.contacts (company_id, created_at desc, id desc)
  where not is_active;
create index contacts_by_name_idx
  on public.contacts (company_id, (left(coalesce(name_words, ''), 100) collate "C"), id);
create index contacts_by_update_idx on public.contacts (company_id, updated_at, id);

-- Deals. The index of a reference is made anew, in the order of the list.
create index deals_words_idx on public.deals using gin (company_id, words extensions.gin_trgm_ops)
  with (gin_pending_list_limit = 512);
create index deals_title_idx on public.deals (company_id, title);
create index deals_status_idx on public.deals (company_id, status, created_at desc, id desc);
drop index public.deals_contact_idx;
create index deals_contact_idx on public.deals (company_id, contact_id, created_at desc, id desc);
drop index public.deals_stage_idx;
create index deals_stage_idx on public.deals (company_id, stage_id, created_at desc, id desc);
create index deals_by_title_idx on public.deals (company_id, (left(words, 100) collate "C"), id);
create index deals_by_value_idx on public.deals (company_id, coalesce(value, -1), id);
create index deals_by_update_idx on public.deals (company_id, updated_at, id);

-- Conversations.
create index conversations_status_idx on public.conversations (company_id, status, created_at desc, id desc);
drop index public.conversations_contact_idx;
create index conversations_contact_idx on public.conversations (company_id, contact_id, created_at desc, id desc);
drop index public.conversations_assignee_idx;
create index conversations_assignee_idx on public.conversations (company_id, assigned_to, created_at desc, id desc);
drop index public.conversations_team_idx;
create index conversations_team_idx on public.conversations (company_id, team_id, created_at desc, id desc);
create index conversations_window_idx on public.conversations (company_id, window_expires_at);
create index conversations_by_last_message_idx
  on public.conversations (company_id, coalesce(last_message_at, '-infinity'), id);
create index conversations_by_update_idx on public.conversations (company_id, updated_at, id);

-- A company has few teams, members, pipelines, stages and templates: their lists are searched and sorted as a whole,
-- where they have no index of their order.
