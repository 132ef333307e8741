-- Hashes that replace the identifiers of an erased person. With these hashes, the database recognizes a repeated
-- request or a late report about the person. A plain hash of a phone number can be reversed by trying all phone
-- numbers. So each hash uses a secret key that only these functions read (HMAC-SHA256, RFC 2104). The company is part
-- of each hash, so the same phone number has unrelated hashes in two companies.

create table app.erasure_key (
  is_only boolean primary key default true check (is_only),
  -- The secret key, padded for the inner and the outer hash of the HMAC.
  inner_pad bytea not null check (octet_length(inner_pad) = 64),
  outer_pad bytea not null check (octet_length(outer_pad) = 64)
);
comment on table app.erasure_key is
  'A table with one row: the secret key for the hashes of erased values. The key never changes, because the erased '
  'values no longer exist and cannot be hashed again.';

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
comment on function app.padded(bytea, integer) is
  'Returns a secret key of at most 64 bytes, padded as HMAC requires.';

create function app.erased_digest(own_company_id uuid, kind text, value text) returns text
language plpgsql stable
set search_path = ''
as $$
begin
  if value is null or value ~ '^erased\.[0-9a-f]{64}$' then
    return value;
  end if;
  return (
    select 'erased.' || encode(
      sha256(outer_pad || sha256(
        inner_pad || convert_to(format('%s %s %s', own_company_id, kind, value), 'UTF8')
      )),
      'hex'
    )
    from app.erasure_key
  );
end
$$;
comment on function app.erased_digest(uuid, text, text) is
  'Returns the hash that replaces an erased person''s value. The kinds are person (a phone number or a WhatsApp user '
  'id), message (a WhatsApp message id) and key (an idempotency key, or the fingerprint of its request). Returns null '
  'for null, and does not change a value that is already a hash.';

insert into app.erasure_key (inner_pad, outer_pad)
select app.padded(key, 54), app.padded(key, 92) -- 0x36 and 0x5c
from (select sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())))
  as random (key);
