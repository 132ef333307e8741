// Owners and admins can disconnect their company's WhatsApp number. Sends in progress are settled,
// but no new message is sent until the operator connects the number again.

import assert from "node:assert/strict";
import {
  actAs,
  actAsPerson,
  actAsSuperuser,
  refusal,
  rolledBack,
  type Sql,
  type Work,
} from "../support/acting_as.ts";
import { addChannelApp } from "../support/channel_apps.ts";
import { type Company, newCompany, newMembers } from "../support/company.ts";
import { statement } from "../support/test_stack.ts";
import { committed, overlapping } from "./connections.ts";
import { eventRow, receive } from "./events.ts";
import { claim, FAILED, RELEASED, SENT, settle, standing } from "./sends.ts";
import { catalogued, joinBusinessAccount } from "./templates.ts";

const test = (name: string, work: Work) => Deno.test(name, () => rolledBack(work));

const own = await newCompany();
const other = await newCompany();
const [agent, admin] = await newMembers(own, "agent", "admin");

/** Disconnects an account in the current role, and returns the result. */
async function disconnect(sql: Sql, account_id: string) {
  const [row] = await sql`select * from disconnect_messaging_account(${account_id})`;
  return row as { id: string; disconnected_at: Date; was_connected: boolean };
}

/** Disconnects an account as a user. Afterwards, the session has the superuser's role again. */
async function disconnectAs(sql: Sql, person: string, account_id: string) {
  await actAsPerson(sql, person);
  const answer = await disconnect(sql, account_id);
  await actAsSuperuser(sql);
  return answer;
}

/** Connects a number again, as the operator's command does. */
async function reconnect(sql: Sql, { account_id, sealed_token }: Company) {
  await actAs(sql, "service_role");
  await sql`
    update messaging_accounts set disconnected_at = null, encrypted_token = ${sealed_token}
    where id = ${account_id}
  `;
  await actAsSuperuser(sql);
}

async function stored(sql: Sql, id: string) {
  const [account] = await sql`
    select disconnected_at, encrypted_token from messaging_accounts where id = ${id}
  `;
  return account;
}

Deno.test("owners, admins and the platform disconnect an account, and its token is deleted", async () => {
  for (const person of [own.member_id, admin, null]) {
    await rolledBack(async (sql) => {
      if (person) await actAsPerson(sql, person);
      else await actAs(sql, "service_role");
      const { id, disconnected_at, was_connected } = await disconnect(sql, own.account_id);
      assert.deepEqual([id, was_connected], [own.account_id, true]);
      await actAsSuperuser(sql);
      const account = await stored(sql, own.account_id);
      assert.deepEqual({ ...account }, { disconnected_at, encrypted_token: null });
      const [{ last }] = await sql`
        select disconnected_at as last from account_connections where account_id = ${own.account_id}
        order by connected_at desc limit 1
      `;
      assert.deepEqual(last, disconnected_at);
    });
  }
});

test("agents cannot disconnect an account, and people outside the company cannot find out whether the account exists", async (sql) => {
  const disconnecting = (sql: Sql) => disconnect(sql, own.account_id);
  await actAsPerson(sql, agent);
  assert.equal(await refusal(sql, disconnecting), "PT403");
  await actAsPerson(sql, other.member_id);
  assert.equal(await refusal(sql, disconnecting), "PT404");
  await actAs(sql, "authenticated");
  assert.equal(await refusal(sql, disconnecting), "PT404");
  await actAsPerson(sql, own.member_id);
  for (const id of [other.account_id, crypto.randomUUID(), own.id]) {
    assert.equal(await refusal(sql, (sql) => disconnect(sql, id)), "PT404");
  }
  const nothing = (sql: Sql) => sql`select disconnect_messaging_account(null)`;
  assert.equal(await refusal(sql, nothing), "PT404");
  for (const role of ["anon", "api_client", "api_reader", "channel_client"] as const) {
    await actAs(sql, role);
    assert.equal(await refusal(sql, disconnecting), "42501", role);
  }
  await actAsSuperuser(sql);
  for (const { account_id, sealed_token } of [own, other]) {
    const { disconnected_at, encrypted_token } = await stored(sql, account_id);
    assert.deepEqual([disconnected_at, encrypted_token], [null, sealed_token]);
  }
});

Deno.test("when an account is disconnected twice simultaneously, both calls return the time of the first disconnection", async () => {
  const company = await newCompany();
  const [first, second] = await overlapping(
    (sql) => disconnectAs(sql, company.member_id, company.account_id),
    (sql) => disconnectAs(sql, company.member_id, company.account_id),
  );
  assert.deepEqual(second, { ...first, was_connected: false });
  const later = await committed((sql) => disconnectAs(sql, company.member_id, company.account_id));
  assert.deepEqual(later, second);
  const [{ count }] = await statement`
    select count(*)::int from account_connections where account_id = ${company.account_id}
  `;
  assert.equal(count, 1);
});

Deno.test("an account's disconnection time is later than its connection time, even if the disconnecting transaction began before the account was connected", async () => {
  const company = await newCompany();
  const { account_id, member_id } = company;
  await committed((sql) => disconnectAs(sql, member_id, account_id));
  await committed(async (sql) => {
    await sql`select now()`;
    await committed((sql) => reconnect(sql, company));
    assert.equal((await disconnectAs(sql, member_id, account_id)).was_connected, true);
  });
  const [{ is_after }] = await statement`
    select disconnected_at > connected_at as is_after from account_connections
    where account_id = ${account_id} order by connected_at desc limit 1
  `;
  assert.equal(is_after, true);
});

Deno.test("a disconnection that waits too long for a lock is refused and changes nothing", async () => {
  const company = await newCompany();
  await committed(async (reading) => {
    await reading`select from messaging_accounts where id = ${company.account_id} for update`;
    await rolledBack(async (sql) => {
      const [{ limit }] = await sql`
        select proconfig[2] as limit from pg_proc where proname = 'disconnect_messaging_account'
      `;
      assert.equal(limit, "lock_timeout=3s");
      // The test uses a shorter timeout than users have.
      await sql`alter function disconnect_messaging_account(uuid) set lock_timeout = '10ms'`;
      await actAsPerson(sql, company.member_id);
      assert.equal(await refusal(sql, (sql) => disconnect(sql, company.account_id)), "PT503");
    });
  });
  const [account] = await statement`
    select encrypted_token from messaging_accounts where id = ${company.account_id}
  `;
  assert.equal(account.encrypted_token, company.sealed_token);
});

test("after a disconnection, sends in progress are still settled, and new claims find no account", async (sql) => {
  const { keys, phone_number_id, account_id, member_id } = own;
  const app = await addChannelApp(sql);
  await sql`update messaging_accounts set channel_app_id = ${app.id} where id = ${account_id}`;
  const claims = [];
  for (const settlement of [SENT, FAILED, RELEASED]) {
    const claim_id = crypto.randomUUID();
    const claimed = await claim(sql, keys.messaging, { claim_id, idempotency_key: claim_id });
    assert.equal(claimed.result, "claimed");
    claims.push({ settlement, claim_id, send_id: claimed.send_id as string });
  }
  await disconnectAs(sql, member_id, account_id);
  for (const { settlement, claim_id, send_id } of claims) {
    assert.equal(await settle(sql, claim_id, settlement), settlement.outcome);
    assert.equal((await standing(sql, send_id)).state, settlement.outcome);
  }
  const report = {
    ...{ kind: "status", waba: "42", phone_number_id, id: SENT.whatsapp_message_id },
    ...{ status: "delivered", at: new Date().toISOString(), mark: null },
  };
  assert.equal((await receive(sql, app, [report])).state, "done");
  assert.equal((await standing(sql, claims[0].send_id)).message_status, "delivered");

  const none = { result: "no_account", connected: [] };
  assert.deepEqual(await claim(sql, keys.messaging), none);
  const released = { idempotency_key: claims[2].claim_id };
  assert.deepEqual(await claim(sql, keys.messaging, released), none);
  await reconnect(sql, own);
  assert.equal((await claim(sql, keys.messaging, released)).send_id, claims[2].send_id);
});

test("events about a disconnected number wait until the number is connected again", async (sql) => {
  const { id, phone_number_id, account_id, member_id } = own;
  const app = await addChannelApp(sql);
  await sql`update messaging_accounts set channel_app_id = ${app.id} where id = ${account_id}`;
  await disconnectAs(sql, member_id, account_id);
  // now() is constant within a transaction, so the test changes the stored times instead.
  await sql`
    update account_connections set
      connected_at = connected_at - interval '1 hour', disconnected_at = now() - interval '1 minute'
    where account_id = ${account_id}
  `;
  const trouble = {
    ...{ kind: "trouble", waba: "42", phone_number_id, at: new Date() },
    errors: [{ code: 130429, message: "Rate limit hit", details: null }],
  };
  const { event_id, state } = await receive(sql, app, [trouble]);
  assert.equal(state, "unroutable");
  assert.deepEqual((await eventRow(sql, event_id)).waits_for, [phone_number_id]);
  await reconnect(sql, own);
  assert.ok((await eventRow(sql, event_id)).next_attempt_at);
  assert.equal((await receive(sql, app, [trouble])).state, "done");
  const notices = await sql`select event from account_notices where company_id = ${id}`;
  assert.deepEqual([...notices], [{ event: "130429" }]);
});

test("a disconnected account has no due job, and a job in progress stores templates without the account's phone number", async (sql) => {
  const { id, account_id, member_id } = own;
  await catalogued(sql, own, []);
  const business = await joinBusinessAccount(sql, account_id);
  const due = async () =>
    (await sql`select from due_jobs() where account_id = ${account_id}`).length;
  assert.equal(await due(), 1);
  const [{ run }] = await sql`select begin_job('template-sync', ${account_id}) as run`;
  await disconnectAs(sql, member_id, account_id);
  assert.equal(await due(), 0);
  const template = { name: "welcome", language: "en_US", status: "APPROVED", components: [] };
  const read = {
    ...template,
    ...{ parameter_format: "POSITIONAL", rendering: { buttons: [] } },
    variables: { header: [], body: [], buttons: [] },
  };
  await sql`
    select apply_template_sync(${account_id}, ${run.began_at},
      ${sql.json([read])}, null, ${business})
  `;
  await sql`select end_job(${run.run_id})`;
  const templates = await sql`
    select name, phone_number_ids from templates
    where company_id = ${id} and business_account_id = ${business}
  `;
  assert.deepEqual([...templates], [{ name: "welcome", phone_number_ids: [] }]);
  const [{ none }] = await sql`select begin_job('template-sync', ${account_id}) as none`;
  assert.equal(none, null);
  await reconnect(sql, own);
  const [{ phone_number_ids }] = await sql`
    select phone_number_ids from templates
    where company_id = ${id} and business_account_id = ${business}
  `;
  assert.deepEqual(phone_number_ids, [own.phone_number_id]);
});
