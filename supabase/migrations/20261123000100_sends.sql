-- Every message that is sent has a row in the ledger: template sends, and free replies within the 24-hour window. So the
-- ledger is named for both.

alter table public.template_sends rename to sends;
do $$
declare
  named record;
begin
  for named in
    select conname as name from pg_constraint
    where conrelid = 'public.sends'::regclass and conname like 'template\_sends%'
  loop
    execute format(
      'alter table public.sends rename constraint %I to %I', named.name, replace(named.name, 'template_sends', 'sends')
    );
  end loop;
  for named in
    select relname as name from pg_class
    where relkind = 'i' and relnamespace = 'public'::regnamespace and relname like 'template\_sends%'
  loop
    execute format('alter index public.%I rename to %I', named.name, replace(named.name, 'template_sends', 'sends'));
  end loop;
  for named in
    select tgname as name from pg_trigger
    where tgrelid = 'public.sends'::regclass and not tgisinternal and tgname like 'template\_sends%'
  loop
    execute format(
      'alter trigger %I on public.sends rename to %I', named.name, replace(named.name, 'template_sends', 'sends')
    );
  end loop;
end
$$;
alter policy "people see their company's template sends" on public.sends rename to "people see their company's sends";
comment on table public.sends is
  'Every message that was handed to the channel, or may have been, and the outcome. Repeats are recognised here.';

-- A free reply names no template.
alter table public.sends
  alter column template_name drop not null,
  alter column language_code drop not null,
  add constraint sends_language_of_template check ((template_name is null) = (language_code is null)),
  -- The channel's reports carry the send and the attempt: a released send that goes out again is another message.
  add column attempt integer not null default 1 constraint sends_attempt_check check (attempt >= 1),
  -- The channel reported the same attempt under further ids: the message went out more than once.
  add column double_sent_ids text[] not null default '{}',
  -- The channel can report a failure of a message whose call was never answered. Then its id is known.
  drop constraint sends_id_when_sent,
  add constraint sends_id_when_sent
    check (state = 'failed' or (state = 'sent') = (whatsapp_message_id is not null));
grant select (attempt, double_sent_ids) on public.sends to authenticated, service_role;

create or replace function public.claim_template_send(
  claim_id uuid,
  phone text,
  content text,
  message_type text,
  template_name text,
  language_code text,
  contact_name text default null,
  phone_number_id text default null,
  idempotency_key text default null,
  header_variables text[] default '{}',
  body_variables text[] default '{}',
  button_variables text[] default '{}',
  preflight text default 'off',
  dry_run boolean default false
) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  own_company_id constant uuid := app.company_id('messaging');
  new_message_id constant uuid := gen_random_uuid();
  send record;
  connected public.messaging_accounts[];
  account record;
  access jsonb;
  judged record;
  header_media_id text;
  header_filename text;
  contact record;
  conversation record;
  answer jsonb;
begin
  <<deciding>>
  begin
    -- Of several requests with this idempotency key, one gets a row back: a new one, or one that was released.
    -- The others wait here until that request has committed, and then read the state of its send.
    insert into public.sends as sends (
      company_id, idempotency_key, message_id, template_name, language_code, claim_id
    )
    values (
      own_company_id, claim_template_send.idempotency_key, new_message_id,
      claim_template_send.template_name, claim_template_send.language_code, claim_template_send.claim_id
    )
    on conflict (company_id, idempotency_key) do update set
      state = 'pending',
      claim_id = excluded.claim_id,
      attempt = sends.attempt + 1,
      lease_ends_at = excluded.lease_ends_at,
      template_name = excluded.template_name,
      language_code = excluded.language_code,
      reason = null,
      channel_code = null,
      media_id = null
    where sends.state = 'released'
    returning sends.id, sends.message_id, sends.created_conversation into send;
    if not found then
      update public.sends set state = 'failed', reason = 'outcome_unknown'
      where company_id = own_company_id and idempotency_key = claim_template_send.idempotency_key
        and state = 'pending' and lease_ends_at <= now() and not dry_run;
      select jsonb_build_object(
        'result', 'repeat', 'status', sends.state,
        'conversation_id', messages.conversation_id, 'message_id', messages.id
      ) into answer
      from public.sends as sends
      join public.messages on messages.company_id = sends.company_id and messages.id = sends.message_id
      where sends.company_id = own_company_id
        and sends.idempotency_key = claim_template_send.idempotency_key;
      exit deciding;
    end if;

    connected := array(
      select accounts from public.messaging_accounts as accounts
      where company_id = own_company_id and disconnected_at is null
      order by phone_number_id
    );
    select id, phone_number_id, business_account_id, encrypted_token, count(*) over () as matches into account
    from unnest(connected)
    where claim_template_send.phone_number_id is null
      or phone_number_id = claim_template_send.phone_number_id;
    if account.matches is distinct from 1 then
      answer := jsonb_build_object('result', 'no_account', 'connected', array(
        select jsonb_build_object('phone_number_id', phone_number_id, 'display_phone', display_phone)
        from unnest(connected)
      ));
      raise sqlstate 'CRM01'; -- undoes the block; caught at its end
    end if;

    access := jsonb_build_object(
      'account_id', account.id,
      'phone_number_id', account.phone_number_id,
      'business_account_id', account.business_account_id,
      'encrypted_token', account.encrypted_token
    );

    judged := app.judge_template(
      own_company_id, account.business_account_id, claim_template_send.template_name,
      claim_template_send.language_code, nullif(message_type, 'text'), header_variables, body_variables,
      button_variables, claim_template_send.preflight
    );
    if judged.verdict = 'refused' then
      answer := jsonb_build_object('result', 'template_refused', 'faults', judged.faults);
      raise sqlstate 'CRM01';
    elsif judged.verdict = 'reread' then
      answer := access || jsonb_build_object('result', 'reread', 'began_at', now());
      raise sqlstate 'CRM01';
    elsif (judged.template).id is null and button_variables <> '{}' then
      -- Which buttons take the values is known only from the catalogue.
      answer := jsonb_build_object('result', 'template_refused', 'faults', jsonb_build_array(
        jsonb_build_object('field', 'button_variables', 'fault', 'unplaced')
      ));
      raise sqlstate 'CRM01';
    end if;

    contact := app.find_or_add_contact(
      own_company_id, claim_template_send.phone, claim_template_send.contact_name
    );
    if contact.do_not_contact then
      answer := jsonb_build_object('result', 'do_not_contact');
      raise sqlstate 'CRM01';
    end if;
    if dry_run then
      answer := jsonb_build_object('result', 'send');
      raise sqlstate 'CRM01';
    end if;
    if (judged.template).header_format in ('IMAGE', 'VIDEO', 'DOCUMENT') then
      select media_id, filename into header_media_id, header_filename from public.template_media
      where company_id = own_company_id and account_id = account.id
        and sample_source = (judged.template).sample_source
        -- The channel deletes it after 30 days.
        and uploaded_at > now() - interval '29 days' and media_id is not null;
      if not found then
        answer := access || jsonb_build_object('result', 'media_needed', 'template_id', (judged.template).id);
        raise sqlstate 'CRM01';
      end if;
    end if;
    conversation := app.find_or_open_conversation(own_company_id, contact.id, account.id);

    -- A released send that opened its conversation is still the one that opened it, unless its message moves
    -- to another conversation now.
    send.created_conversation := conversation.is_new or (
      send.created_conversation and exists (
        select from public.messages
        where company_id = own_company_id and id = send.message_id and conversation_id = conversation.id
      )
    );
    update public.sends set
      created_conversation = send.created_conversation,
      media_id = header_media_id
    where id = send.id
      and (created_conversation <> send.created_conversation or media_id is distinct from header_media_id);

    -- A released send keeps its message. Nothing was sent for it, so the message takes the content and the
    -- time of this attempt.
    insert into public.messages (id, company_id, conversation_id, direction, type, content, rendered_text, outcome)
    values (
      send.message_id, own_company_id, conversation.id, 'outbound',
      claim_template_send.message_type, claim_template_send.content,
      -- Of a template that the variables do not fit, nobody knows what the recipient sees.
      case when judged.faults = '[]' then
        app.rendered_text((judged.template).rendering, header_variables, body_variables)
      end,
      'pending'
    )
    on conflict (id) do update set
      conversation_id = excluded.conversation_id,
      type = excluded.type,
      content = excluded.content,
      rendered_text = excluded.rendered_text,
      created_at = excluded.created_at;

    answer := access || jsonb_build_object(
      'result', 'claimed',
      'send_id', send.id,
      'conversation_id', conversation.id,
      'message_id', send.message_id,
      'created_conversation', send.created_conversation,
      'template', case when (judged.template).id is not null then jsonb_build_object(
        'parameter_format', (judged.template).parameter_format,
        'header_format', (judged.template).header_format,
        'variables', (judged.template).variables,
        'otp_button', (judged.template).otp_button,
        'media', case when header_media_id is not null then
          jsonb_build_object('id', header_media_id, 'filename', header_filename)
        end
      ) end
    );
  exception when sqlstate 'CRM01' then
    -- The whole block is undone, including the claim: a request that is stopped uses up no idempotency key.
    null;
  end;

  if answer ->> 'result' = 'reread' then
    -- Of several requests at once, one reads the template again.
    insert into public.template_rereads (company_id, business_account_id, name)
    values (own_company_id, answer ->> 'business_account_id', claim_template_send.template_name)
    on conflict (company_id, business_account_id, name) do update set tried_at = now()
    where template_rereads.tried_at < now() - interval '1 minute';
    answer := answer || jsonb_build_object('is_elsewhere', not found);
  end if;
  -- Records that the key is in use. This comes last, because other requests with the key wait until it is
  -- committed.
  perform public.authenticate();
  return answer || jsonb_build_object('company_id', own_company_id);
end
$$;

create function public.settle_send(
  claim_id uuid,
  outcome text,
  whatsapp_message_id text default null,
  reason text default null,
  channel_code integer default null
) returns text
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  settled record;
begin
  if outcome is null or outcome not in ('sent', 'failed', 'released') then
    raise sqlstate 'PT422' using message = 'The outcome of a send is sent, failed or released';
  end if;

  -- The real outcome replaces outcome_unknown, which is a guess made when a lease ends. A release is then
  -- recorded as failed, because a caller may have been told so. Every other end is final.
  update public.sends set
    state = case when state = 'failed' and settle_send.outcome = 'released' then 'failed'
      else settle_send.outcome end,
    whatsapp_message_id = settle_send.whatsapp_message_id,
    reason = settle_send.reason,
    channel_code = settle_send.channel_code
  where claim_id = settle_send.claim_id
    and (state = 'pending' or (state = 'failed' and reason = 'outcome_unknown'))
  returning company_id, message_id, media_id, channel_code into settled;
  if settled.channel_code = 100 or settled.channel_code between 131000 and 132999 then
    perform app.note_refusal(settled.company_id, settled.message_id, settled.media_id, settled.channel_code);
  end if;

  select state into settled from public.sends where claim_id = settle_send.claim_id;
  return settled.state;
end
$$;

comment on function public.settle_send(uuid, text, text, text, integer) is
  'Records the outcome of a claimed send, and returns the state that it now has; null when no send has this claim_id. An '
  'API key that has since been switched off or deleted does not matter: what was sent was sent.';
grant execute on function public.settle_send(uuid, text, text, text, integer) to api_client;

-- The functions of release 0.1.0 settle by the name before, and it is what they run on while this release is deployed,
-- and when it is rolled back. Without it, every send that they make would end as outcome_unknown. Likewise, what was
-- scheduled before calls the other name until the jobs are scheduled again. Who may call them stays as it was.
create or replace function public.settle_template_send(
  claim_id uuid,
  outcome text,
  whatsapp_message_id text default null,
  reason text default null,
  channel_code integer default null
) returns text
language sql
set search_path = ''
as $$
  select public.settle_send(
    settle_template_send.claim_id, settle_template_send.outcome, settle_template_send.whatsapp_message_id,
    settle_template_send.reason, settle_template_send.channel_code
  )
$$;
comment on function public.settle_template_send(uuid, text, text, text, integer) is
  'settle_send(), by the name that the release before calls.';

create function public.fail_expired_sends() returns integer
language sql security definer
set search_path = ''
as $$
  with expired as (
    select id from public.sends
    where state = 'pending' and lease_ends_at <= now()
    for update skip locked
  ), failed as (
    update public.sends set state = 'failed', reason = 'outcome_unknown'
    from expired where sends.id = expired.id
    returning sends.id
  )
  select count(*)::integer from failed
$$;
comment on function public.fail_expired_sends() is
  'Marks every pending send whose lease has ended as failed (outcome_unknown), and returns how many. For a scheduled '
  'job; a repeat of such a send does the same by itself. Sends nothing.';
grant execute on function public.fail_expired_sends() to service_role;

create or replace function public.fail_expired_template_sends() returns integer
language sql
set search_path = ''
as $$
  select public.fail_expired_sends()
$$;
comment on function public.fail_expired_template_sends() is
  'fail_expired_sends(), by the name that the release before schedules.';

-- The scheduled statement names the function.
create or replace function public.schedule_jobs(url text, secret text) returns void
-- The extensions and Vault belong to the owner of the database.
language plpgsql security definer
set search_path = ''
as $$
declare
  extension record;
  missing text[] := '{}';
begin
  if url is null or url !~ '^https?://[^[:space:]?#]+$' then
    raise sqlstate 'PT422' using message = 'The address of the function must be a URL without a query';
  end if;
  if secret is null or secret !~ '^[!-~]{32,255}$' then
    raise sqlstate 'PT422' using message =
      'The secret of the jobs must have 32 to 255 visible ASCII characters';
  end if;
  for extension in
    select * from (values
      ('pg_cron', 'cron', 'pg_catalog'), ('pg_net', 'net', 'extensions'), ('supabase_vault', 'vault', 'vault')
    ) as needed (name, own_schema, made_in)
  loop
    if to_regnamespace(extension.own_schema) is null
      and exists (select from pg_catalog.pg_available_extensions where name = extension.name)
    then
      begin
        if extension.name = 'supabase_vault' then
          execute 'create extension supabase_vault cascade';
        else
          execute format('create extension %I with schema %I', extension.name, extension.made_in);
        end if;
      exception when others then
        raise sqlstate 'PT501' using message = format(
          'The extension %s cannot be enabled (%s): enable it in the dashboard under Database, Extensions, '
          'then schedule the jobs again', extension.name, sqlerrm
        );
      end;
    end if;
    if to_regnamespace(extension.own_schema) is null then
      missing := missing || extension.name;
    end if;
  end loop;
  if missing <> '{}' then
    raise sqlstate 'PT501' using message = format(
      'This database does not have what scheduled jobs need (%s): enable it, or have another scheduler call the '
      'function whatsapp. The local stack, npm start, runs its jobs by itself', array_to_string(missing, ', ')
    );
  end if;

  perform app.keep_job_secret(
    'whatsapp_function_url', rtrim(url, '/'), 'The address of the edge function whatsapp, for its jobs'
  );
  perform app.keep_job_secret('whatsapp_jobs_secret', secret, 'JOBS_SECRET of the edge function whatsapp');
  execute 'select cron.schedule($1, $2, $3)'
    using 'call-due-jobs', '* * * * *', 'select app.call_due_jobs()';
  execute 'select cron.schedule($1, $2, $3)'
    using 'fail-expired-sends', '* * * * *', 'select public.fail_expired_sends()';
end
$$;
do $$
begin
  if to_regnamespace('cron') is not null then
    execute $schedule$
      select cron.schedule(jobname, schedule, 'select public.fail_expired_sends()')
      from cron.job where jobname = 'fail-expired-sends'
    $schedule$;
  end if;
end
$$;
