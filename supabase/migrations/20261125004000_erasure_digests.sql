-- What is left of the words that named an erased person: digests, by which a repeat or a late report is still known. A plain
-- digest of a phone can be guessed, since there are few phones. So they are made with a key (HMAC-SHA256, RFC 2104), which
-- nobody but these functions reads, and of the company, so that two companies' digests of one phone have nothing in common.

create table app.erasure_key (
  is_only boolean primary key default true check (is_only),
  -- The key as the inner and the outer hash take it.
  inner_pad bytea not null check (octet_length(inner_pad) = 64),
  outer_pad bytea not null check (octet_length(outer_pad) = 64)
);
comment on table app.erasure_key is
  'One row: the key of the digests of what was erased. It is never changed, because what they were made of is gone.';

create function app.padded(key bytea, pad integer) returns bytea
language plpgsql immutable
set search_path = ''
as $$
declare
  block bytea := key || decode(repeat('00', 64 - octet_length(key)), 'hex');
begin
  for place in 0..63 loop
    block := set_byte(block, place, get_byte(block, place) # pad);
  end loop;
  return block;
end
$$;
comment on function app.padded(bytea, integer) is 'A key of at most 64 bytes as HMAC pads it.';
insert into app.erasure_key (inner_pad, outer_pad)
select app.padded(key, 54), app.padded(key, 92) -- 0x36 and 0x5c
from (select sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())))
  as random (key);

create function app.erased_digest(own_company_id uuid, kind text, value text) returns text
language sql stable
set search_path = ''
as $$
  select case
    when value ~ '^erased\.[0-9a-f]{64}$' then value
    else 'erased.' || encode(
      sha256(outer_pad || sha256(
        inner_pad || convert_to(format('%s %s %s', own_company_id, kind, value), 'UTF8')
      )),
      'hex'
    )
  end
  from app.erasure_key
  where value is not null
$$;
comment on function app.erased_digest(uuid, text, text) is
  'What stands in place of a value of an erased person: person (a phone or an id at the channel), message (an id of the '
  'channel''s) or key (an idempotency key). A digest stays as it is, and null is null.';
