-- Test sends. An owner or admin sends a template to a phone number, to see how the message arrives. A test send works
-- like every other send: it has a claim, a ledger row and a settlement, and respects the recipient's wishes. The send
-- needs the account's token, which no user may read, even in encrypted form. So there are two steps. In the first step,
-- the signed-in user requests the test send, and the database decides whether the user may send it. In the second step,
-- the edge function claims the allowed send.

create table public.test_sends (
  -- The settings page creates a new id each time the user presses the send button.
  id uuid not null,
  company_id uuid not null references public.companies on delete cascade,
  -- This column has no foreign key: test sends of a member who has left the company still count towards the limit.
  user_id uuid not null,
  created_at timestamptz not null default now(),
  primary key (company_id, id)
);
comment on table public.test_sends is
  'The test sends that were allowed in the last 24 hours, and the member who requested each of them.';

create function public.begin_test_send(company_id uuid, id uuid) returns void
language plpgsql security definer -- no user may write the table, because its rows count towards the limit
set search_path = ''
as $$
#variable_conflict use_column
declare
  person constant uuid := auth.uid();
begin
  -- If two calls run at the same time, the second call waits here and then counts the first call's test send.
  perform app.lock_managed_company(begin_test_send.company_id, 'Only owners and admins of a company send tests');
  if begin_test_send.id is null then
    raise sqlstate 'PT422' using message = 'The argument id is required';
  end if;
  delete from public.test_sends as earlier
  where earlier.company_id = begin_test_send.company_id and earlier.created_at < now() - interval '24 hours';
  if (
    select count(*) from public.test_sends as earlier
    where earlier.company_id = begin_test_send.company_id and earlier.id <> begin_test_send.id
  ) >= 20 then
    raise sqlstate 'PT429' using message = 'A company sends at most 20 tests in 24 hours';
  end if;
  insert into public.test_sends (company_id, id, user_id)
  values (begin_test_send.company_id, begin_test_send.id, person)
  on conflict on constraint test_sends_pkey do nothing;
  if not exists (
    select from public.test_sends as begun
    where begun.company_id = begin_test_send.company_id and begun.id = begin_test_send.id and begun.user_id = person
  ) then
    raise sqlstate 'PT409' using message = 'Another person has made a test send with this id';
  end if;
end
$$;
comment on function public.begin_test_send(uuid, uuid) is
  'Allows the signed-in user one test send with this id. The settings page creates a new id each time the user presses '
  'the send button. Another call with the same id does not allow a second test send. Owners and admins of the company '
  'may call this function. Raises PT403 for other callers, and PT409 for the id of another user''s test send. Raises '
  'PT429 when the company has made 20 test sends in the last 24 hours.';
grant execute on function public.begin_test_send(uuid, uuid) to authenticated;

create function public.claim_test_send(
  claim_id uuid,
  company_id uuid,
  test_send_id uuid,
  phone text,
  template_name text,
  language_code text,
  phone_number_id text,
  header_variables text[],
  body_variables text[],
  button_variables text[],
  preflight text
) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  person record;
  template record;
  answer jsonb;
begin
  -- The user may have lost the role or left the company since the test send was allowed.
  select members.user_id, members.name into person
  from public.test_sends
  join public.company_members as members
    on members.company_id = test_sends.company_id and members.user_id = test_sends.user_id
  where test_sends.company_id = claim_test_send.company_id and test_sends.id = claim_test_send.test_send_id
    and members.role in ('owner', 'admin');
  if not found then
    raise sqlstate 'PT403' using message = 'Only owners and admins of a company send tests';
  end if;

  select
    app.rendered_text(
      templates.rendering, claim_test_send.header_variables, claim_test_send.body_variables
    ) as rendered,
    lower(templates.header_format) as header
  into template
  from public.messaging_accounts as accounts
  join public.templates on templates.company_id = accounts.company_id
    and templates.business_account_id = accounts.business_account_id
    and templates.name = claim_test_send.template_name and templates.language = claim_test_send.language_code
  where accounts.company_id = claim_test_send.company_id
    and accounts.phone_number_id = claim_test_send.phone_number_id;

  answer := public.claim_template_send(
    claim_id => claim_test_send.claim_id,
    phone => claim_test_send.phone,
    content => left(coalesce(nullif(template.rendered, ''), claim_test_send.template_name), 4096),
    message_type => case when template.header in ('image', 'video', 'document') then template.header else 'text' end,
    template_name => claim_test_send.template_name,
    language_code => claim_test_send.language_code,
    phone_number_id => claim_test_send.phone_number_id,
    idempotency_key => 'test-send-' || claim_test_send.test_send_id,
    header_variables => claim_test_send.header_variables,
    body_variables => claim_test_send.body_variables,
    button_variables => claim_test_send.button_variables,
    preflight => claim_test_send.preflight,
    of_company_id => claim_test_send.company_id
  );
  if answer ->> 'result' = 'claimed' then
    update public.messages set author_type = 'member', author_id = person.user_id, author_name = person.name
    where company_id = claim_test_send.company_id and id = (answer ->> 'message_id')::uuid;
  end if;
  return answer;
end
$$;
comment on function public.claim_test_send(
  uuid, uuid, uuid, text, text, text, text, text[], text[], text[], text
) is
  'Claims a test send that begin_test_send() has allowed. Calls claim_template_send(), and returns its result. The '
  'author of the message is the user. The idempotency key is derived from the id of the test send, so that the test is '
  'never sent twice. Raises PT403 when no test send has this id, or when its user is no longer an owner or admin.';
grant execute on function public.claim_test_send(uuid, uuid, uuid, text, text, text, text, text[], text[], text[], text)
  to channel_client;

alter table public.test_sends enable row level security;
create policy "the platform reads test sends" on public.test_sends for select to service_role using (true);
grant select on public.test_sends to service_role;
