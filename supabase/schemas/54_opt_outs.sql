-- A company's members can list its opt-outs: the contact, the kind (no messages or no marketing), the time, and the
-- contact's message. A member can lift an opt-out and must give a reason.

create table public.opt_out_lifts (
  id uuid primary key default gen_random_uuid(),
  company_id uuid not null references public.companies on delete cascade,
  contact_id uuid not null,
  -- The field that the member set to false in the contact.
  kind text not null check (kind in ('do_not_contact', 'marketing_opt_out')),
  -- The opt-out that was lifted: its source and its time, as in contacts.
  source text not null,
  asked_at timestamptz not null,
  -- Null after the contact is erased.
  reason text constraint opt_out_lifts_reason_check check (char_length(reason) between 1 and 500),
  -- The member who lifted the opt-out, and the member's name at that time. The name is null if the member had none. The
  -- id has no foreign key. So both values remain after the member has left.
  member_id uuid not null,
  member_name text,
  lifted_at timestamptz not null default now(),
  unique (company_id, id),
  constraint opt_out_lifts_contact_fkey foreign key (company_id, contact_id)
    references public.contacts (company_id, id) on delete cascade
);
comment on table public.opt_out_lifts is
  'The opt-outs that members of a company lifted, with their reasons. Only lift_opt_out() writes this table. The table '
  'does not contain opt-outs that an API key or the contact ended.';

create index opt_out_lifts_newest_first_idx on public.opt_out_lifts (company_id, lifted_at desc, id desc);
create index opt_out_lifts_contact_idx on public.opt_out_lifts (company_id, contact_id);

-- Few messages contain an opt-out, and few contacts have opted out, so the partial indexes are small.
create index messages_wish_idx on public.messages (company_id, conversation_id, sent_at) where wish is not null;
create index contacts_stopped_idx on public.contacts (company_id, do_not_contact_at desc, id desc)
  where do_not_contact;

-- This function runs with the caller's privileges (security invoker), so the table policies decide what the caller can
-- read.
create function public.opt_outs(
  company_id uuid, of_kind text default null, search text default null, older_than timestamptz default null,
  older_than_id uuid default null, older_than_kind text default null, max_rows integer default 50
) returns table (
  contact_id uuid,
  name text,
  phone text,
  kind text,
  source text,
  asked_at timestamptz,
  words text,
  is_button boolean,
  conversation_id uuid
)
language plpgsql stable
set search_path = ''
as $$
#variable_conflict use_column
declare
  -- The result of app.words() contains no special characters of a `like` pattern.
  pattern constant text := '%' || btrim(app.words(left(opt_outs.search, 100))) || '%';
  -- Only a string without letters can be part of a phone number.
  digits constant text := case when left(opt_outs.search, 100) ~ '^[-+(). 0-9]+$'
    then nullif(regexp_replace(left(opt_outs.search, 100), '[^0-9]', '', 'g'), '') end;
  most constant integer := least(greatest(coalesce(opt_outs.max_rows, 50), 1), 101);
begin
  return query
  with asked as (
    (
      select contacts.id, contacts.name, contacts.phone, 'do_not_contact' as kind,
        contacts.do_not_contact_source as source, contacts.do_not_contact_at as at
      from public.contacts
      where contacts.company_id = opt_outs.company_id and contacts.do_not_contact and contacts.archived_at is null
        and coalesce(opt_outs.of_kind, 'do_not_contact') = 'do_not_contact'
        and (opt_outs.older_than is null
          or (contacts.do_not_contact_at, contacts.id) < (opt_outs.older_than, opt_outs.older_than_id))
        and (pattern is null or contacts.name_words like pattern or contacts.phone like '%' || digits || '%')
      order by contacts.do_not_contact_at desc, contacts.id desc limit most
    )
    union all
    (
      select contacts.id, contacts.name, contacts.phone, 'marketing_opt_out',
        contacts.marketing_opt_out_source, contacts.marketing_opt_out_at
      from public.contacts
      where contacts.company_id = opt_outs.company_id and contacts.marketing_opt_out_at is not null
        and contacts.archived_at is null
        and coalesce(opt_outs.of_kind, 'marketing_opt_out') = 'marketing_opt_out'
        and (opt_outs.older_than is null
          or (contacts.marketing_opt_out_at, contacts.id) < (opt_outs.older_than, opt_outs.older_than_id)
          or opt_outs.older_than_kind = 'do_not_contact'
            and (contacts.marketing_opt_out_at, contacts.id) = (opt_outs.older_than, opt_outs.older_than_id))
        and (pattern is null or contacts.name_words like pattern or contacts.phone like '%' || digits || '%')
      order by contacts.marketing_opt_out_at desc, contacts.id desc limit most
    )
  )
  select
    asked.id, asked.name, asked.phone, asked.kind, asked.source, asked.at,
    message.content, message.type <> 'text', message.conversation_id
  from (select * from asked order by at desc, id desc, kind limit most) as asked
  left join lateral (
    select messages.content, messages.type, messages.conversation_id
    from public.conversations
    join public.messages on messages.company_id = conversations.company_id
      and messages.conversation_id = conversations.id and messages.wish is not null
      and messages.sent_at = asked.at
      and messages.wish = case asked.kind when 'do_not_contact' then 'stop' else 'stop_marketing' end
    where conversations.company_id = opt_outs.company_id and conversations.contact_id = asked.id
      and asked.source in ('word', 'button')
    order by messages.received_at desc, messages.id limit 1
  ) as message on true
  order by asked.at desc, asked.id desc, asked.kind;
end
$$;
comment on function public.opt_outs(uuid, text, text, timestamptz, uuid, text, integer) is
  'Returns a company''s opt-outs for its members, newest first. The argument of_kind is do_not_contact, '
  'marketing_opt_out or null for both. The argument `search` is a part of a name or of a phone number. For the next '
  'page, older_than, older_than_id and older_than_kind are asked_at, contact_id and kind of the last row. The column '
  '`words` is the text of the message or button with which the contact opted out. The column is_button is true for a '
  'button. Both columns are null when no such message exists, for example when a member set the field. Returns no rows '
  'if the caller is not a member of the company.';
grant execute on function public.opt_outs(uuid, text, text, timestamptz, uuid, text, integer) to authenticated;

create function public.lift_opt_out(contact_id uuid, kind text, asked_at timestamptz, reason text) returns timestamptz
-- Security definer, because no user may write the table of lifted opt-outs. The function checks the caller's company.
language plpgsql security definer
set search_path = ''
set lock_timeout = '3s'
as $$
#variable_conflict use_column
declare
  said constant text := btrim(lift_opt_out.reason, E' \t\r\n');
  known public.contacts;
  is_messages constant boolean := lift_opt_out.kind = 'do_not_contact';
  lifted timestamptz;
begin
  if lift_opt_out.kind is null or lift_opt_out.kind not in ('do_not_contact', 'marketing_opt_out') then
    raise sqlstate 'PT422' using message = 'The kind of an opt-out is do_not_contact or marketing_opt_out';
  end if;
  if coalesce(char_length(said), 0) not between 1 and 500 then
    raise sqlstate 'PT422' using message = 'Give a reason of 1 to 500 characters';
  end if;
  select contacts.* into known from public.contacts
  where contacts.id = lift_opt_out.contact_id and contacts.company_id = any (app.member_company_ids())
    and contacts.archived_at is null
  for no key update;
  if not found then
    raise sqlstate 'PT404' using message = 'No contact has this id';
  end if;
  -- If the contact has no opt-out, the comparison is null.
  if (
    lift_opt_out.asked_at = case when not is_messages then known.marketing_opt_out_at
      when known.do_not_contact then known.do_not_contact_at end
  ) is not true then
    raise sqlstate 'PT409' using message = 'The opt-out has changed: load it again';
  end if;

  if is_messages then
    update public.contacts set do_not_contact = false
    where contacts.company_id = known.company_id and contacts.id = known.id;
  else
    update public.contacts set marketing_opt_out = false
    where contacts.company_id = known.company_id and contacts.id = known.id;
  end if;
  insert into public.opt_out_lifts (company_id, contact_id, kind, source, asked_at, reason, member_id, member_name)
  values (
    known.company_id, known.id, lift_opt_out.kind,
    case when is_messages then known.do_not_contact_source else known.marketing_opt_out_source end,
    lift_opt_out.asked_at, said, auth.uid(),
    -- Agents may read this table, but not the e-mail address that app.name_of_person() returns for a missing name.
    (
      select members.name from public.company_members as members
      where members.company_id = known.company_id and members.user_id = auth.uid()
    )
  )
  returning lifted_at into lifted;
  return lifted;
exception
  when lock_not_available then
    raise sqlstate 'PT503' using message = 'The contact is being changed: try again in a minute';
end
$$;
comment on function public.lift_opt_out(uuid, text, timestamptz, text) is
  'Lifts an opt-out of a contact, records the reason, the member and the time, and returns the time. Any member of the '
  'company may call this function. The argument asked_at is the time of the opt-out that the member saw. Raises PT409 '
  'when the opt-out has changed or ended in the meantime, and PT422 when kind or reason is not valid. Raises PT404 '
  'when no contact of the caller''s companies has this id, and PT503 after waiting too long for a lock.';
grant execute on function public.lift_opt_out(uuid, text, timestamptz, text) to authenticated;

alter table public.opt_out_lifts enable row level security;
create policy "people read the lifted opt-outs of their company" on public.opt_out_lifts
  for select to authenticated using (company_id = any ((select app.member_company_ids())::uuid[]));

grant select on public.opt_out_lifts to authenticated, service_role;
