// Tests the re-encryption of tokens with a new key. Only the platform can read encrypted tokens.
// The platform replaces a token only if the token is still the same as when the platform read it.

import assert from "node:assert/strict";
import type postgres from "postgres";
import { actAs, actAsSuperuser, refusal, rolledBack, type Sql } from "../support/acting_as.ts";
import { type Company, disconnectAccount, newCompany } from "../support/company.ts";
import { setSealedToken } from "../support/sending.ts";
import { withDatabase } from "../support/test_stack.ts";
import { overlapping } from "./connections.ts";
import { claim } from "./sends.ts";

const AGAIN = "a..b.c.d";
const RECONNECTED = "e..f.g.h";

/**
 * An id that is greater than every id from gen_random_uuid(). A page after this id contains only
 * the test's own accounts.
 */
const LAST = "ffffffff-ffff-ffff-0000-000000000000";

async function reseal(
  sql: Sql,
  { account_id, sealed_token }: Company,
  before = sealed_token,
  sealed = AGAIN,
) {
  const [{ done }] = await sql`
    select reseal_account_token(${account_id}, ${before}, ${sealed}) as done
  `;
  return done;
}

async function tokenOf({ account_id }: Company, sql: Sql | postgres.Sql): Promise<string | null> {
  const [account] =
    await sql`select encrypted_token from messaging_accounts where id = ${account_id}`;
  return account.encrypted_token;
}

/**
 * Adds `count` accounts with ids after LAST, and returns the ids in order. The second account is
 * disconnected.
 */
async function addAccounts(sql: Sql, company_id: string, count: number): Promise<string[]> {
  const added = await sql`
    insert into messaging_accounts (id, company_id, phone_number_id, display_phone, encrypted_token, disconnected_at)
    select
      ('ffffffff-ffff-ffff-0000-' || lpad(n::text, 12, '0'))::uuid, ${company_id},
      '9' || lpad((random() * 1e15)::bigint::text, 16, '0') || n, '+15550100',
      case when n <> 2 then 'a..b.c.' || n end, case when n = 2 then now() end
    from generate_series(${count}::int, 1, -1) as n
    returning id
  `;
  return added.map(({ id }) => id).toSorted();
}

async function page(sql: Sql, after: string | null, max: number | null) {
  return [...await sql`select id, encrypted_token from sealed_account_tokens(${after}, ${max})`];
}

Deno.test("encrypted tokens of connected accounts are listed in pages, ordered by account id", async () => {
  const { id } = await newCompany();
  await rolledBack(async (sql) => {
    const [first, , third, fourth] = await addAccounts(sql, id, 4);
    await actAs(sql, "service_role");
    assert.deepEqual(await page(sql, LAST, 2), [
      { id: first, encrypted_token: "a..b.c.1" },
      { id: third, encrypted_token: "a..b.c.3" },
    ]);
    assert.deepEqual(await page(sql, third, 2), [{ id: fourth, encrypted_token: "a..b.c.4" }]);
    assert.deepEqual(await page(sql, fourth, 2), []);
    const [{ is_first }] = await sql`
      select (select id from sealed_account_tokens(null, 1)) = (
        select id from messaging_accounts where disconnected_at is null order by id limit 1
      ) as is_first
    `;
    assert.ok(is_first);
  });
});

Deno.test("a page of encrypted tokens has at most 1,000 accounts, and no accounts if the limit is negative", async () => {
  const { id } = await newCompany();
  await rolledBack(async (sql) => {
    await addAccounts(sql, id, 1002);
    await actAs(sql, "service_role");
    const sizes = [];
    for (const max of [5000, null, 1000, 7, 0, -1]) sizes.push((await page(sql, LAST, max)).length);
    assert.deepEqual(sizes, [1000, 1000, 1000, 7, 0, 0]);
    const [{ count }] = await sql`select count(*)::int from sealed_account_tokens(${LAST})`;
    assert.equal(count, 1000);
  });
});

Deno.test("a token is replaced only if the token is still the same as when it was read", async () => {
  const [company, other] = [await newCompany(), await newCompany()];
  await rolledBack(async (sql) => {
    await actAs(sql, "service_role");
    assert.equal(await reseal(sql, company, RECONNECTED), false);
    assert.equal(await reseal(sql, company), true);
    assert.equal(await reseal(sql, company), false, "a second time");
    assert.equal(await reseal(sql, { ...company, account_id: crypto.randomUUID() }), false);

    await disconnectAccount(sql, company.account_id);
    assert.equal(await reseal(sql, company, AGAIN), false, "a disconnected account");
    const [{ done }] =
      await sql`select reseal_account_token(${company.account_id}, null, ${AGAIN}) as done`;
    assert.equal(done, false);

    await actAsSuperuser(sql);
    assert.equal(await tokenOf(company, sql), null);
    assert.equal(await tokenOf(other, sql), other.sealed_token);
  });
});

Deno.test("a token can be replaced only by an encrypted token", async () => {
  const company = await newCompany();
  await rolledBack(async (sql) => {
    await actAs(sql, "service_role");
    const { account_id, sealed_token } = company;
    const plain = (sql: Sql) => reseal(sql, company, sealed_token, "EAAB");
    assert.equal(await refusal(sql, plain), "23514 messaging_accounts_encrypted_token_check");
    const none = (sql: Sql) =>
      sql`select reseal_account_token(${account_id}, ${sealed_token}, null)`;
    assert.equal(await refusal(sql, none), "23514 messaging_accounts_token_while_connected");
  });
});

const CHANGES: Record<string, (sql: Sql, company: Company) => Promise<unknown>> = {
  reconnected: (sql, { account_id }) =>
    sql`update messaging_accounts set encrypted_token = ${RECONNECTED} where id = ${account_id}`,
  disconnected: (sql, { account_id }) => disconnectAccount(sql, account_id),
  deleted: (sql, { id }) => sql`delete from companies where id = ${id}`,
};

for (const [what, change] of Object.entries(CHANGES)) {
  Deno.test(`re-encryption waits for an account that is being ${what}, and then leaves the account unchanged`, async () => {
    const company = await newCompany();
    const resealing = async (sql: Sql) => {
      await actAs(sql, "service_role");
      return await reseal(sql, company);
    };
    const undone = await overlapping((sql) => change(sql, company), resealing, { undone: true });
    assert.equal(undone[1], true);
    assert.equal(await withDatabase((sql) => tokenOf(company, sql)), AGAIN);
    await setSealedToken(company, company.sealed_token);
    const [, done] = await overlapping((sql) => change(sql, company), resealing);
    assert.equal(done, false);
    if (what === "deleted") return;
    const token = await withDatabase((sql) => tokenOf(company, sql));
    assert.equal(token, what === "reconnected" ? RECONNECTED : null);
  });
}

Deno.test("a reconnection that waits while the old token is being replaced still stores its own new token", async () => {
  const company = await newCompany();
  const [done] = await overlapping(
    (sql) => reseal(sql, company),
    (sql) => CHANGES.reconnected(sql, company),
  );
  const token = await withDatabase((sql) => tokenOf(company, sql));
  assert.deepEqual([done, token], [true, RECONNECTED]);
});

Deno.test("a send does not wait while a token is being replaced, and uses the previous token", async () => {
  const company = await newCompany();
  const [, found] = await overlapping(
    (sql) => reseal(sql, company),
    async (sql) => {
      await sql`set local lock_timeout = '1s'`;
      return (await claim(sql, company.keys.messaging)).encrypted_token;
    },
  );
  assert.equal(found, company.sealed_token);
});
