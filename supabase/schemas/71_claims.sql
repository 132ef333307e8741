-- Functions shared by the claims of template sends and of free-form replies. These functions write the contact, the
-- message and the ledger row, and return the result for a repeat.

create function app.find_or_add_contact(
  own_company_id uuid,
  by_phone text,
  new_name text,
  out id uuid,
  out do_not_contact boolean
)
language plpgsql
set search_path = ''
as $$
#variable_conflict use_column
begin
  loop
    -- This statement waits for a running change of the contact, and blocks other changes until the claim ends. A new
    -- contact is read again in the next iteration, because its inherited wishes may be written after the row.
    select contacts.id, contacts.do_not_contact
    into find_or_add_contact.id, find_or_add_contact.do_not_contact
    from public.contacts
    where company_id = own_company_id and phone_key = app.phone_key(by_phone)
    for share;
    exit when found;
    select contacts.id, contacts.do_not_contact
    into find_or_add_contact.id, find_or_add_contact.do_not_contact
    from public.contacts
    where company_id = own_company_id and archived_at is null and contacts.id = (
      select contact_id from public.contact_former_phones
      where company_id = own_company_id and phone_key = app.phone_key(by_phone) and until = 'infinity'
      order by contact_id limit 1
    )
    for share;
    exit when found;
    perform app.await_further_phones(own_company_id);
    insert into public.contacts (company_id, phone, name)
    select own_company_id, by_phone, new_name
    -- The contact with this number may just have been merged into another contact. The queries above then did not find
    -- the number, because it became an additional number of the other contact only after the merge.
    where not exists (
      select from public.contact_former_phones
      where company_id = own_company_id and phone_key = app.phone_key(by_phone) and until = 'infinity'
    )
    on conflict (company_id, phone_key) do nothing;
  end loop;
end
$$;
comment on function app.find_or_add_contact(uuid, text, text) is
  'Finds the contact whose main or additional phone number is by_phone. If there is none, adds a contact with the name '
  'new_name. If several calls run at the same time, only one call adds the contact.';

create function app.write_message_of_send(
  own_company_id uuid,
  of_send_id uuid,
  own_message_id uuid,
  in_conversation_id uuid,
  conversation_is_new boolean,
  of_type text,
  with_content text,
  -- The text as the recipient sees it. Null if this text is unknown, and for a free-form reply.
  as_rendered text,
  with_media_id text,
  -- The other columns of the message: { media, payload, reply_to_id, reply_to_whatsapp_id }.
  with_parts jsonb,
  out created_conversation boolean
)
language plpgsql
set search_path = ''
as $$
#variable_conflict use_column
declare
  key_id uuid;
  key_name text;
begin
  -- If an earlier attempt opened the conversation and the message stays in it, created_conversation remains true.
  select conversation_is_new or (sends.created_conversation and exists (
    select from public.messages
    where company_id = own_company_id and id = own_message_id and conversation_id = in_conversation_id
  )), api_keys.id, api_keys.name
  into write_message_of_send.created_conversation, key_id, key_name
  from public.sends left join public.api_keys on api_keys.id = sends.api_key_id
  where sends.id = of_send_id;
  update public.sends set
    created_conversation = write_message_of_send.created_conversation,
    media_id = with_media_id
  where id = of_send_id
    and (sends.created_conversation <> write_message_of_send.created_conversation
      or media_id is distinct from with_media_id);

  -- A released send keeps its message, because that message was never sent. So the message gets the content and the
  -- time of this attempt. All reports about the earlier attempt are removed.
  insert into public.messages (
    id, company_id, conversation_id, direction, type, content, rendered_text, outcome, author_type, author_id,
    author_name, media, payload, reply_to_id, reply_to_whatsapp_id
  )
  values (
    own_message_id, own_company_id, in_conversation_id, 'outbound', of_type, with_content, as_rendered, 'pending',
    case when key_id is not null then 'key' end, key_id, key_name, with_parts -> 'media', with_parts -> 'payload',
    (with_parts ->> 'reply_to_id')::uuid, with_parts ->> 'reply_to_whatsapp_id'
  )
  on conflict (id) do update set
    conversation_id = excluded.conversation_id,
    type = excluded.type,
    content = excluded.content,
    rendered_text = excluded.rendered_text,
    created_at = excluded.created_at,
    outcome = excluded.outcome,
    author_type = excluded.author_type,
    author_id = excluded.author_id,
    author_name = excluded.author_name,
    media = excluded.media,
    payload = excluded.payload,
    reply_to_id = excluded.reply_to_id,
    reply_to_whatsapp_id = excluded.reply_to_whatsapp_id,
    sent_at = null,
    delivered_at = null,
    read_at = null,
    failed_at = null,
    expires_at = null,
    expired_at = null,
    failure = null,
    price_category = null,
    price_type = null;
end
$$;
comment on function app.write_message_of_send(uuid, uuid, uuid, uuid, boolean, text, text, text, text, jsonb) is
  'Writes the message of a claimed send, and returns whether the send has opened the conversation.';

create function app.fingerprint_of_send(fields text[]) returns bytea
language plpgsql immutable
set search_path = ''
as $$
declare
  field text;
  digests bytea := '';
begin
  foreach field in array fields loop
    -- Five bytes are enough, because a hash only has to distinguish the values of one caller.
    digests := digests || substr(sha256(convert_to(coalesce('=' || field, ''), 'UTF8')), 1, 5);
  end loop;
  return digests;
end
$$;
comment on function app.fingerprint_of_send(text[]) is
  'Returns a five-byte hash for each field of a send. Equal values have equal hashes. Null has its own hash.';

create function app.digest_in(fingerprint bytea, place integer) returns bytea
language sql immutable
set search_path = ''
as $$
  -- A fingerprint may end before the last field.
  select case when octet_length(fingerprint) >= place * 5
    then substr(fingerprint, place * 5 - 4, 5)
    else app.fingerprint_of_send(array[null::text])
  end
$$;
comment on function app.digest_in(bytea, integer) is
  'Returns the five-byte hash of the field at this position. A field after the end counts as null.';

create function app.claim_send(
  own_company_id uuid,
  new_claim_id uuid,
  by_idempotency_key text,
  -- Null for a free-form reply. The language is then also null.
  of_template text,
  in_language text,
  with_fingerprint bytea,
  out id uuid,
  out message_id uuid,
  out created_conversation boolean,
  out attempt integer
)
language plpgsql
set search_path = ''
as $$
#variable_conflict use_column
begin
  -- If several requests have this idempotency key, only one request gets a row, either a new or a released row. The
  -- other requests wait here until that request has committed, and then read the state of its send.
  insert into public.sends as sends (
    company_id, idempotency_key, message_id, template_name, language_code, claim_id, fingerprint, api_key_id
  )
  values (
    own_company_id, by_idempotency_key, gen_random_uuid(), of_template, in_language, new_claim_id, with_fingerprint,
    (select api_keys.id from public.api_keys where key_hash = auth.jwt() ->> 'key_hash')
  )
  on conflict (company_id, idempotency_key) do update set
    state = 'pending',
    claim_id = excluded.claim_id,
    attempt = sends.attempt + 1,
    lease_ends_at = excluded.lease_ends_at,
    template_name = excluded.template_name,
    language_code = excluded.language_code,
    -- A reply never opens a conversation, even if an earlier attempt was a template send that opened one.
    created_conversation = sends.created_conversation and excluded.template_name is not null,
    -- This attempt sends the content of this request.
    fingerprint = excluded.fingerprint,
    api_key_id = excluded.api_key_id,
    reason = null,
    channel_code = null,
    media_id = null
  where sends.state = 'released'
  returning sends.id, sends.message_id, sends.created_conversation, sends.attempt
  into claim_send.id, claim_send.message_id, claim_send.created_conversation, claim_send.attempt;
end
$$;
comment on function app.claim_send(uuid, uuid, text, text, text, bytea) is
  'Adds the row of a send to the ledger, or takes over a released row. Returns nulls when the ledger has a send with '
  'this idempotency_key that is not released.';

-- The hash is computed before the query, so that the query always uses the index on idempotency keys. If the query
-- computed the hash, the computation would be part of the condition. For a small ledger, Postgres would then plan to
-- check the condition for each send of the company. A transaction that writes many sends would keep that plan.
create function app.known_send_key(own_company_id uuid, by_idempotency_key text) returns text
language plpgsql stable
set search_path = ''
as $$
declare
  digest constant text := app.erased_digest(own_company_id, 'key', by_idempotency_key);
begin
  return coalesce(
    (select idempotency_key from public.sends where company_id = own_company_id and idempotency_key = digest),
    by_idempotency_key
  );
end
$$;
comment on function app.known_send_key(uuid, text) is
  'Returns an idempotency key in the form in which the ledger stores it: as a hash if its send was erased, otherwise '
  'unchanged.';

-- An idempotency key identifies one message. A request with another recipient, another template or another kind
-- (template or reply) is not a repeat. If the platform treated such a request as a repeat, the platform would never
-- send the new message, and the caller would not notice. This function reads the earlier send by the key. If the lease
-- of that send has ended, a second statement settles the send. If one statement did both, Postgres might search all
-- pending sends at each repeat.
create function app.repeated_send(
  own_company_id uuid,
  by_idempotency_key text,
  -- Null for a free-form reply. The language is then also null.
  of_template text,
  in_language text,
  -- The field that identifies the recipient, and its value: a phone number or a conversation id.
  recipient_field text,
  to_phone text,
  in_conversation_id uuid,
  -- The field names, in the order of the fingerprint.
  fields text[],
  with_fingerprint bytea,
  dry_run boolean
) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  known_key constant text := app.known_send_key(own_company_id, by_idempotency_key);
  known record;
  is_of_other_kind boolean;
  mismatch text[] := '{}';
  differs text[];
  answer jsonb;
begin
  select id, message_id, state, lease_ends_at, template_name, language_code, fingerprint into known from public.sends
  where company_id = own_company_id and idempotency_key = known_key;
  is_of_other_kind := (known.template_name is null) <> (of_template is null);
  differs := array_remove(array[
    case when is_of_other_kind then 'idempotency_key' end,
    case when known.template_name <> of_template then 'template_name' end,
    case when known.language_code <> in_language then 'language_code' end
  ], null);
  -- A send to an erased person has no fingerprint, so there is nothing to compare.
  if known.fingerprint <> with_fingerprint then
    mismatch := array(
      select name from unnest(fields) with ordinality as listed (name, place)
      where not is_of_other_kind
        and app.digest_in(known.fingerprint, place::integer) <> app.digest_in(with_fingerprint, place::integer)
      order by place
    );
    -- Two requests have the same recipient if they reach the same contact. The values of recipient_field may differ,
    -- because a request may name an additional phone number or another conversation of the person.
    if (is_of_other_kind or recipient_field = any (mismatch)) and (
      select contact_id from public.conversations
      join public.messages on messages.company_id = conversations.company_id
        and messages.conversation_id = conversations.id
      where messages.company_id = own_company_id and messages.id = known.message_id
    ) is distinct from (
      case when to_phone is null then (
        select contact_id from public.conversations where company_id = own_company_id and id = in_conversation_id
      ) else (app.contacts_of_phones(own_company_id, array[to_phone]))[1] end
    ) then
      differs := differs || recipient_field;
    end if;
  end if;
  if differs <> '{}' then
    return jsonb_build_object('result', 'reused', 'differs', differs);
  end if;
  if known.state = 'pending' and known.lease_ends_at <= now() and not dry_run then
    -- Another transaction may have settled the send in the meantime.
    update public.sends set state = 'failed', reason = 'outcome_unknown'
    where id = known.id and state = 'pending' and lease_ends_at <= now();
  end if;
  select jsonb_build_object(
    'result', 'repeat', 'status', sends.state,
    'conversation_id', messages.conversation_id, 'message_id', messages.id
  ) || case when mismatch <> '{}' then jsonb_build_object('mismatch', mismatch) else '{}' end into answer
  from public.sends
  join public.messages on messages.company_id = sends.company_id and messages.id = sends.message_id
  where sends.company_id = own_company_id and sends.idempotency_key = known_key;
  return answer;
end
$$;
comment on function app.repeated_send(uuid, text, text, text, text, text, uuid, text[], bytea, boolean) is
  'Returns the claim result for a repeat: the current state of the earlier send with this idempotency_key. The member '
  '`mismatch` lists the fields that differ. A send whose lease has ended without an outcome has failed. The result '
  '`reused` means that the key belongs to a message with another recipient, another template or another kind. The '
  'member `differs` lists the request fields that do not match that message. If the kind differs, `differs` contains '
  'idempotency_key.';
