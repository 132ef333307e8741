// A claim reads all accounts from one snapshot, even if accounts change during the claim.

import assert from "node:assert/strict";
import type { Sql } from "../support/acting_as.ts";
import { type Company, connectAccount, disconnectAccount, newCompany } from "../support/company.ts";
import { withDatabase } from "../support/test_stack.ts";
import { committed, overlapping } from "./connections.ts";
import { actAsSender, callClaim, claim } from "./sends.ts";

const CLAIM = "claim_template_send";
const ACCOUNTS = "public.messaging_accounts";

/** Connects a disconnected account again. */
async function reconnect(sql: Sql, { account_id, sealed_token }: Company) {
  await sql`
    update messaging_accounts set disconnected_at = null, encrypted_token = ${sealed_token}
    where id = ${account_id}
  `;
}

/**
 * Creates a copy of claim_template_send() for this session. Before the copy reads the first
 * account, it waits for an advisory lock. At that point, the SQL statement of the claim already has
 * its snapshot.
 */
async function makeWaitingClaim(sql: Sql, lock: number) {
  const [{ definition }] = await sql`
    select pg_get_functiondef(${`public.${CLAIM}`}::regproc) as definition
  `;
  assert.ok(definition.includes(ACCOUNTS));
  await sql.unsafe(`
    create view pg_temp.awaited_accounts as
    select * from ${ACCOUNTS} where (select true from pg_advisory_xact_lock_shared(${lock}))
  `);
  await sql.unsafe(
    definition.replace(`public.${CLAIM}`, `pg_temp.${CLAIM}`)
      .replaceAll(ACCOUNTS, "pg_temp.awaited_accounts"),
  );
  await sql.unsafe(`grant execute on function pg_temp.${CLAIM} to api_client`);
}

Deno.test("a claim finds no connected account if the only account is reconnected after the claim began", async () => {
  const company = await newCompany();
  const { keys, account_id } = company;
  const lock = crypto.getRandomValues(new Int32Array(1))[0];
  await withDatabase((sql) => disconnectAccount(sql, account_id));
  const [, answer] = await overlapping(async (sql) => {
    await sql`select pg_advisory_xact_lock(${lock})`;
    await reconnect(sql, company);
  }, async (sql) => {
    await makeWaitingClaim(sql, lock);
    await actAsSender(sql, keys.messaging);
    return await callClaim(sql, {}, `pg_temp.${CLAIM}`);
  });
  assert.deepEqual(answer, { result: "no_account", connected: [] });
});

Deno.test("a claim does not wait while another account replaces the company's account, and the claim uses the previous account", async () => {
  const { id, keys, account_id } = await newCompany();
  const [second, before] = await overlapping(async (sql) => {
    await disconnectAccount(sql, account_id);
    return await connectAccount(sql, id);
  }, (sql) => claim(sql, keys.messaging));
  assert.deepEqual([before.result, before.account_id], ["claimed", account_id]);
  const after = await committed((sql) => claim(sql, keys.messaging));
  assert.deepEqual([after.result, after.account_id], ["claimed", second.id]);
});
