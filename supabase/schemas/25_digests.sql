-- Digests that replace the names of an erased person. With a digest, the platform recognizes a repeated request or a
-- late report about the person.
--
-- A plain digest of a phone can be guessed, because there are few phones. So each digest is made with a secret key that
-- only these functions read (HMAC-SHA256, RFC 2104). The company is part of each digest, so one phone has unrelated
-- digests in two companies.

create table app.erasure_key (
  is_only boolean primary key default true check (is_only),
  -- The secret key, padded for the inner and the outer hash.
  inner_pad bytea not null check (octet_length(inner_pad) = 64),
  outer_pad bytea not null check (octet_length(outer_pad) = 64)
);
comment on table app.erasure_key is
  'One row: the secret key of the digests of erased values. The key never changes, because the erased values are gone '
  'and their digests cannot be made again.';

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
  'Returns the digest that replaces a value of an erased person. The kinds are person (a phone or an id at the '
  'channel), message (a message id of the channel) and key (an idempotency key). Returns a digest or null unchanged.';

insert into app.erasure_key (inner_pad, outer_pad)
select app.padded(key, 54), app.padded(key, 92) -- 0x36 and 0x5c
from (select sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())))
  as random (key);
