// Tests the channel's apps: which accounts are linked to an app, how secrets are rotated, and when
// an app can be deleted.
import assert from "node:assert/strict";
import {
  actAs,
  actAsSuperuser,
  refusal,
  rolledBack,
  type Sql,
  type Work,
} from "../support/acting_as.ts";
import { addChannelApp, type ChannelApp, nameChannelApp } from "../support/channel_apps.ts";
import { connectAccount, disconnectAccount, newCompany } from "../support/company.ts";

const test = (name: string, work: Work) => Deno.test(name, () => rolledBack(work));

/** The apps that an account is or was linked to. */
async function appsOf(sql: Sql, accountId: string): Promise<string[]> {
  const found = await sql`
    select channel_app_id from account_channel_apps where account_id = ${accountId} order by named_at, id
  `;
  return found.map(({ channel_app_id }) => channel_app_id).toSorted();
}

const store = (sql: Sql, { app_key }: ChannelApp, body: string) =>
  sql`select store_channel_event(${app_key}, ${btoa(body)}) as stored`;

Deno.test("the database keeps every link between an account and an app, even after the account is disconnected", async () => {
  const { id: company_id, account_id, phone_number_id } = await newCompany();
  await rolledBack(async (sql) => {
    assert.deepEqual(await appsOf(sql, account_id), []);
    const first = await nameChannelApp(sql, account_id);
    const second = await nameChannelApp(sql, account_id);
    await sql`update messaging_accounts set channel_app_id = ${first.id} where id = ${account_id}`;
    const both = [first.id, second.id].toSorted();
    assert.deepEqual(await appsOf(sql, account_id), both);
    await disconnectAccount(sql, account_id);
    await sql`update messaging_accounts set channel_app_id = null where id = ${account_id}`;
    assert.deepEqual(await appsOf(sql, account_id), both);
    // Another company's account, which now has the phone number, is linked to none of these apps.
    const other = await newCompany();
    const { id: others } = await connectAccount(sql, other.id, { phone_number_id });
    assert.notEqual(company_id, other.id);
    assert.deepEqual(await appsOf(sql, others), []);
  });
});

Deno.test("an account can be linked only to an existing app", async () => {
  const { account_id } = await newCompany();
  await rolledBack(async (sql) => {
    const naming = (sql: Sql) =>
      sql`update messaging_accounts set channel_app_id = gen_random_uuid() where id = ${account_id}`;
    assert.match(await refusal(sql, naming), /^23503 .*_channel_app_id_fkey$/);
  });
});

test("an app has well-formed keys and encrypted secrets, and has a second secret only during a rotation", async (sql) => {
  const { id } = await addChannelApp(sql);
  const refused: [Record<string, unknown>, string][] = [
    [{ app_key: "short" }, "channel_apps_app_key_check"],
    [{ app_key: "with/slash/and/more" }, "channel_apps_app_key_check"],
    [{ sealed_secret: "a plain secret" }, "channel_apps_sealed_secret_check"],
    [{ sealed_verify_token: "plain" }, "channel_apps_sealed_verify_token_check"],
    [{ rotation_began_at: new Date() }, "channel_apps_previous_secret_while_rotating"],
    [{ sealed_previous_secret: "a..b.c.d" }, "channel_apps_previous_secret_while_rotating"],
  ];
  for (const [change, check] of refused) {
    const changing = (sql: Sql) => sql`update channel_apps set ${sql(change)} where id = ${id}`;
    assert.equal(await refusal(sql, changing), `23514 ${check}`, JSON.stringify(change));
  }
});

test("a rotation keeps the original secret until the rotation is finished, even if the secret is replaced a second time", async (sql) => {
  const { id, app_key } = await addChannelApp(sql);
  const secrets = async () => {
    const [row] = await sql`
      select sealed_secret as now, sealed_previous_secret as before from channel_apps where id = ${id}
    `;
    return { ...row };
  };
  const rotate = async (key: string, sealed: string) =>
    (await sql`select rotate_channel_app(${key}, ${sealed}) as since`)[0].since;
  const finish = async (key: string) =>
    (await sql`select finish_channel_app_rotation(${key}) as finished`)[0].finished;
  const { now: first } = await secrets();
  await actAs(sql, "service_role");
  assert.equal(await finish(app_key), false);
  assert.ok(await rotate(app_key, "a..b.c.d"));
  assert.ok(await rotate(app_key, "e..f.g.h"));
  await actAsSuperuser(sql);
  assert.deepEqual(await secrets(), { now: "e..f.g.h", before: first });
  await actAs(sql, "service_role");
  assert.equal(await finish(app_key), true);
  await actAsSuperuser(sql);
  assert.deepEqual(await secrets(), { now: "e..f.g.h", before: null });
  assert.deepEqual([await rotate("no-such-app-anywhere", "a..b.c.d"), await finish("x")], [
    null,
    null,
  ]);
});

Deno.test("deleting an app deletes its events, and must be forced if the app has accounts or open events", async () => {
  const { account_id } = await newCompany();
  await rolledBack(async (sql) => {
    const remove = async ({ app_key }: Pick<ChannelApp, "app_key">, forced = false) =>
      (await sql`select delete_channel_app(${app_key}, ${forced}) as ended`)[0].ended;
    assert.equal(await remove({ app_key: "no-such-app-anywhere" }), null);
    const unused = await addChannelApp(sql);
    assert.deepEqual(await remove(unused), { deleted: true, accounts: 0, events: 0 });
    // An account that was linked to the app earlier also counts.
    const named = await nameChannelApp(sql, account_id);
    await nameChannelApp(sql, account_id);
    assert.deepEqual(await remove(named), { deleted: false, accounts: 1, events: 0 });
    const used = await addChannelApp(sql);
    await store(sql, used, "1");
    await store(sql, used, "2");
    await sql`update channel_events set state = 'done' where channel_app_id = ${used.id} and body = '2'`;
    assert.deepEqual(await remove(used), { deleted: false, accounts: 0, events: 1 });
    for (const app of [named, used]) assert.equal((await remove(app, true)).deleted, true);
    const left = await sql`
      select from channel_events where channel_app_id = ${used.id}
      union all select from account_channel_apps where channel_app_id = ${named.id}
    `;
    assert.equal(left.length, 0);
    const [account] = await sql`select from messaging_accounts where id = ${account_id}`;
    assert.ok(account, "the account is not deleted");
  });
});

/** Adds this many processed events of an app. */
const addDone = (sql: Sql, { id }: ChannelApp, count: number) =>
  sql`
    insert into channel_events (channel_app_id, body, body_sha256, state, next_attempt_at)
    select ${id}, '', sha256(text(number)::bytea), 'done', null
    from generate_series(1, ${count}::integer) as number
  `;

test("an app with very many events is deleted in several calls", async (sql) => {
  const app = await addChannelApp(sql);
  await addDone(sql, app, 2_001);
  const remove = async () =>
    (await sql`select delete_channel_app(${app.app_key}) as ended`)[0].ended;
  const continues = { deleted: false, accounts: 0, events: 0, continues: true };
  assert.deepEqual([await remove(), await remove()], [continues, continues]);
  assert.equal((await sql`select from channel_events where channel_app_id = ${app.id}`).count, 1);
  assert.deepEqual(await remove(), { deleted: true, accounts: 0, events: 0 });
});

test("the list of apps counts at most 10,000 processed events of an app", async (sql) => {
  const [app, quiet] = [await addChannelApp(sql), await addChannelApp(sql)];
  const list = async () => {
    const [{ status }] = await sql`select channel_apps_status() as status`;
    return [app, quiet].map(({ app_key }) => {
      const found = status.find((each: ChannelApp) => each.app_key === app_key);
      return { ...found.events, hasLast: found.last_event_at !== null };
    });
  };
  await store(sql, app, "waiting");
  await addDone(sql, app, 3);
  const none = { hasLast: false };
  assert.deepEqual(await list(), [{ done: 3, stored: 1, hasLast: true }, none]);
  await sql`delete from channel_events where channel_app_id = ${app.id} and state = 'done'`;
  await addDone(sql, app, 25_000);
  assert.deepEqual(await list(), [{ done: 10_000, stored: 1, hasLast: true }, none]);
});

test("channel_client stores an event once for each app, and cannot read the event", async (sql) => {
  const [app, other] = [await addChannelApp(sql), await addChannelApp(sql)];
  await actAs(sql, "channel_client");
  const stored = async (app: ChannelApp, body: string) =>
    (await store(sql, app, body))[0].stored?.result ?? null;
  assert.deepEqual(
    [
      await stored(app, "a"),
      await stored(app, "a"),
      await stored(other, "a"),
      await stored(app, ""),
    ],
    ["stored", "repeated", "stored", "stored"],
  );
  assert.equal(await stored({ ...app, app_key: "no-such-app-anywhere" }, "a"), null);
  for (const table of ["channel_apps", "channel_events", "account_channel_apps"]) {
    assert.equal(await refusal(sql, (sql) => sql`select from ${sql(table)}`), "42501", table);
  }
  const [{ found }] = await sql`select channel_app(${app.app_key}) as found`;
  assert.deepEqual(
    Object.keys(found).toSorted(),
    ["owner_company_id", "sealed_previous_secret", "sealed_secret", "sealed_verify_token"],
  );
  const tooLarge = (sql: Sql) => store(sql, app, "x".repeat(3 * 1024 * 1024 + 1));
  assert.equal(await refusal(sql, tooLarge), "23514 channel_events_body_check");
});
