-- The key of a send is found by the index of keys, also where the database has no statistics of the ledger yet. As one
-- statement, the digest was part of the condition: while the ledger was small, the condition was judged for each send
-- of the company, and a transaction that wrote many sends kept that plan.

create or replace function app.known_send_key(own_company_id uuid, by_idempotency_key text) returns text
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
