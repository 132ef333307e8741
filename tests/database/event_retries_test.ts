// Tests which events a run of the channel's job receives, for how long no other run receives these
// events, and which events the job deletes. Also tests which events the operator can replay.
import assert from "node:assert/strict";
import type postgres from "postgres";
import { actAs, actAsSuperuser, rolledBack, type Sql } from "../support/acting_as.ts";
import { addChannelApp } from "../support/channel_apps.ts";
import { addMessage, disconnectAccount, makeCompany } from "../support/company.ts";
import { eventRow, receive } from "./events.ts";
import { withOwnServer } from "./large_company.ts";

/** Stores an event that no run has started yet, and returns the event's id. */
async function stored(sql: Sql, app_key: string, body: string): Promise<string> {
  await sql`select store_channel_event(${app_key}, ${btoa(body)})`;
  const [{ id }] = await sql`
    select id from channel_events where body_sha256 = sha256(convert_to(${body}, 'UTF8'))
  `;
  return id;
}

/** Tests in which the job reads, changes or deletes events of all companies. */
const ofAllCompanies: [name: string, work: (sql: Sql, app_key: string) => Promise<void>][] = [];

function test(...named: typeof ofAllCompanies[number]) {
  ofAllCompanies.push(named);
}

const due = async (sql: Sql, max = 20) =>
  [...await sql`select * from due_channel_events(${max})`] as { event_id: string; body: string }[];

test(
  "a run receives a stored event with its bytes, and for three minutes no other run receives that event",
  async (sql, app_key) => {
    const body = "x".repeat(1000);
    const id = await stored(sql, app_key, body);
    const [{ app_id }] =
      await sql`select id as app_id from channel_apps where app_key = ${app_key}`;
    assert.deepEqual(await due(sql), [{ event_id: id, app_id, body: btoa(body) }]);
    assert.deepEqual(await due(sql), []);
    const { attempts, state, next_attempt_at } = await eventRow(sql, id);
    assert.deepEqual([attempts, state], [1, "stored"]);
    const [{ pause }] =
      await sql`select extract(epoch from ${next_attempt_at} - now())::int as pause`;
    assert.equal(pause, 180);
  },
);

test(
  "a run receives at most the requested number of events, at most about 4 MiB, and about 1 MiB for each app",
  async (sql, app_key) => {
    for (const n of [1, 2, 3]) await stored(sql, app_key, `${n}`.repeat(600_000));
    await sql`update channel_events set next_attempt_at = now() - interval '1 minute'`;
    for (const n of [1, 2, 3]) await stored(sql, app_key, `small ${n}`);
    assert.equal((await due(sql)).length, 2);
    assert.deepEqual([(await due(sql)).length, (await due(sql)).length], [4, 0]);
    for (let app = 0; app < 3; app++) {
      await stored(sql, (await addChannelApp(sql)).app_key, `${app}`.repeat(3_000_000));
    }
    assert.deepEqual([(await due(sql)).length, (await due(sql)).length], [2, 1]);
    await sql`update channel_events set next_attempt_at = now() where next_attempt_at is not null`;
    assert.equal((await due(sql, 2)).length, 2);
  },
);

test(
  "an event becomes dead when ten runs have started the event and no run has finished it",
  async (sql, app_key) => {
    const id = await stored(sql, app_key, "ends every function");
    for (let attempt = 1; attempt <= 10; attempt++) {
      assert.equal((await due(sql)).length, 1);
      await sql`update channel_events set next_attempt_at = now() where id = ${id}`;
    }
    assert.deepEqual(await due(sql), []);
    const { state, error, next_attempt_at } = await eventRow(sql, id);
    assert.deepEqual(
      [state, error, next_attempt_at],
      ["dead", "The event was started ten times and never finished", null],
    );
  },
);

test(
  "the apps take turns, so a backlog of one app does not delay another app's event",
  async (sql, app_key) => {
    const ids = [];
    for (let n = 0; n < 30; n++) ids.push(await stored(sql, app_key, `waits ${n}`));
    await sql`
      update channel_events set next_attempt_at = now() - array_position(${ids}::uuid[], id) * interval '1 hour'
    `;
    const other = await addChannelApp(sql);
    const id = await stored(sql, other.app_key, "came last");
    const received = (await due(sql)).map(({ event_id }) => event_id);
    assert.ok(received.slice(0, 2).includes(id));
    const [oldest] = received.filter((each) => each !== id);
    assert.equal(oldest, ids.at(-1));
    const [{ app_id }] =
      await sql`select id as app_id from channel_apps where app_key = ${app_key}`;
    assert.deepEqual([...await sql`select * from due_channel_events(20, ${[app_id]})`], []);
  },
);

test(
  "an event that a run gives back is due immediately, and its attempt does not count",
  async (sql, app_key) => {
    const [kept, left] = [
      await stored(sql, app_key, "started"),
      await stored(sql, app_key, "not started"),
    ];
    await due(sql);
    await actAs(sql, "channel_client");
    await sql`select return_channel_events(${[left]})`;
    await actAsSuperuser(sql);
    assert.deepEqual((await due(sql)).map(({ event_id }) => event_id), [left]);
    assert.equal((await eventRow(sql, left)).attempts, 1);
    assert.equal((await eventRow(sql, kept)).attempts, 1);
  },
);

test(
  "the events that a run gives back come before the later events of their app",
  async (sql, app_key) => {
    const ids = [];
    for (let n = 0; n < 5; n++) {
      const id = await stored(sql, app_key, `in order ${n}`);
      await sql`
        update channel_events set
          received_at = now() - ${5 - n} * interval '1 minute',
          next_attempt_at = now() - ${5 - n} * interval '1 minute'
        where id = ${id}
      `;
      ids.push(id);
    }
    const left = (await due(sql, 3)).map(({ event_id }) => event_id);
    assert.deepEqual(left, ids.slice(0, 3));
    await sql`select return_channel_events(${left})`;
    assert.deepEqual((await due(sql)).map(({ event_id }) => event_id), ids);
  },
);

test(
  "a run receives the events in the order in which they became due, whatever their size",
  async (sql, app_key) => {
    const ids = [];
    for (const [at, length] of [2_000, 100_000, 10, 50_000].entries()) {
      const id = await stored(sql, app_key, `${at}`.repeat(length));
      await sql`
        update channel_events set next_attempt_at = now() - ${
        10 - at
      } * interval '1 second' where id = ${id}
      `;
      ids.push(id);
    }
    assert.deepEqual((await due(sql)).map(({ event_id }) => event_id), ids);
  },
);

test(
  "an event whose first attempt fails as a whole is stored as failed, and is due again two minutes later",
  async (sql, app_key) => {
    const id = await stored(sql, app_key, "the whole event fails");
    await due(sql);
    await sql`select fail_channel_event(${id}, 'The database failed')`;
    const { state, error, attempts, next_attempt_at, processed_at } = await eventRow(sql, id);
    assert.deepEqual([state, error, attempts], ["failed", "The database failed", 1]);
    assert.equal(+next_attempt_at! - +processed_at!, 2 * 60_000);
  },
);

test(
  "events in every state and waiting reports are deleted after 30 days, in several statements if there are many",
  async (sql, app_key) => {
    const company = await makeCompany(sql);
    await sql`update channel_events set received_at = now()`;
    const ids = [];
    for (let n = 0; n < 6; n++) ids.push(await stored(sql, app_key, `old ${n}`));
    const states = ["stored", "done", "unroutable", "failed", "dead"];
    for (const [at, state] of states.entries()) {
      await sql`
        update channel_events set state = ${state}, received_at = now() - interval '30 days 1 s'
        where id = ${ids[at]}
      `;
    }
    await sql`
      insert into waiting_facts (company_id, account_id, whatsapp_message_id, item, received_at)
      select ${company.id}, ${company.account_id}, 'wamid.' || days, '{}', now() - days * interval '1 day'
      from unnest(array[29, 31]) as days
    `;
    await actAs(sql, "channel_client");
    const [{ tended }] = await sql`select tend_channel(2) as tended`;
    assert.deepEqual([tended.events_removed, tended.failures], [2, []]);
    const [{ removed }] = await sql`select remove_old_channel_rows(3) as removed`;
    assert.equal(removed.events_removed, 3);
    await actAsSuperuser(sql);
    const left = await sql`select id from channel_events where id = any (${ids})`;
    assert.deepEqual(left.map(({ id }) => id), [ids[5]]);
    const facts =
      await sql`select whatsapp_message_id from waiting_facts where company_id = ${company.id}`;
    assert.deepEqual(facts.map(({ whatsapp_message_id }) => whatsapp_message_id), ["wamid.29"]);
  },
);

test(
  "a failed task does not stop the job's other tasks, and the result names the failed task",
  async (sql) => {
    await sql`create or replace function app.wake_late_events(max_rows integer) returns integer language sql as 'select 1 / 0'`;
    const [{ tended }] = await sql`select tend_channel() as tended`;
    assert.equal(tended.failures.length, 1);
    assert.match(tended.failures[0], /^woken: 22012 /);
    assert.ok("events_removed" in tended);
  },
);

test(
  "if a task reaches the statement timeout, the results of the earlier tasks remain",
  async (sql) => {
    await sql.unsafe(`
      create table public.probe (at timestamptz);
      grant all on public.probe to postgres;
      create or replace function app.apply_waiting_facts(max_rows integer) returns integer language plpgsql as
        'begin insert into public.probe values (now()); return 1; end';
      create or replace function app.wake_late_events(max_rows integer) returns integer language plpgsql as
        'begin perform pg_sleep(60); return 0; end';
    `);
    await sql`set local statement_timeout = '1s'`;
    const [{ tended }] = await sql`select tend_channel() as tended`;
    assert.match(tended.failures.join(), /^woken: 57014 [^,]+$/);
    assert.equal(tended.waiting_applied, 1);
    assert.equal((await sql`select from public.probe`).count, 1);
  },
);

test(
  "the job retries an event even if its account is connected before the event is committed",
  async (sql, app_key) => {
    const company = await makeCompany(sql);
    const item = {
      kind: "message",
      phone_number_id: company.phone_number_id,
      waba: null,
      at: null,
    };
    const { event_id } = await receive(sql, { app_key }, [item]);
    // When an account is linked to an app, a trigger makes the waiting events due. The trigger does
    // not see an event that is not committed yet. Here, the trigger is off instead.
    await sql`alter table account_channel_apps disable trigger account_channel_apps_wake_events`;
    await sql`
      insert into account_channel_apps (company_id, account_id, channel_app_id)
      select ${company.id}, ${company.account_id}, id from channel_apps where app_key = ${app_key}
    `;
    const [{ tended }] = await sql`select tend_channel() as tended`;
    assert.equal(tended.woken, 1);
    assert.deepEqual((await due(sql)).map((event) => event.event_id), [event_id]);
  },
);

/** Adds events that wait for a number, and that were last tried an hour ago. */
async function addWaiting(sql: Sql, app_id: string, phone_number_id: string, count: number) {
  await sql`
    insert into channel_events (channel_app_id, body, body_sha256, state, waits_for, next_attempt_at, processed_at)
    select ${app_id}, bytes, sha256(bytes), 'unroutable', array[${phone_number_id}::text], null, now() - interval '1 hour'
    from generate_series(1, ${count}::int) as n, convert_to(n || ${phone_number_id}, 'UTF8') as bytes
  `;
}

/** Records that the first due events of an app were applied. */
async function applied(sql: Sql, app_id: string, count: number) {
  const done = await sql`
    update channel_events set state = 'done', waits_for = '{}', next_attempt_at = null, processed_at = now()
    where id = any (array(
      select id from channel_events where channel_app_id = ${app_id} and next_attempt_at <= now()
      order by next_attempt_at limit ${count}
    ))
  `;
  assert.equal(done.count, count);
}

test(
  "connecting a number makes only 1,000 waiting events due, and the job makes the others due, however long this takes",
  async (sql, app_key) => {
    const [{ id: app_id }] = await sql`select id from channel_apps where app_key = ${app_key}`;
    const company = await makeCompany(sql);
    const { account_id, phone_number_id } = company;
    const woken = async () => {
      const [{ count }] = await sql`
        select count(*)::int from channel_events where channel_app_id = ${app_id} and next_attempt_at <= now()
      `;
      return count;
    };
    const tend = async (max: number) => {
      const [{ tended }] = await sql`select tend_channel(${max}) as tended`;
      assert.deepEqual(tended.failures, []);
      return tended.woken;
    };
    const pass = async () => {
      await sql`alter table account_channel_apps disable trigger account_channel_apps_wake_events`;
      await sql`
        update account_channel_apps set wakes_before = wakes_before - interval '20 minutes'
        where account_id = ${account_id}
      `;
      await sql`alter table account_channel_apps enable trigger account_channel_apps_wake_events`;
    };
    await addWaiting(sql, app_id, phone_number_id, 1_800);
    await sql`update messaging_accounts set channel_app_id = ${app_id} where id = ${account_id}`;
    assert.equal(await woken(), 1_000);
    await applied(sql, app_id, 1_000);
    // A run of the job applies about 300 events.
    assert.equal(await tend(1_000), 300);
    await pass();
    await applied(sql, app_id, 300);
    assert.deepEqual([await tend(120), await tend(120), await tend(120)], [120, 120, 60]);
    await applied(sql, app_id, 300);
    assert.deepEqual([await tend(120), await tend(120), await tend(120)], [120, 80, 0]);
    assert.equal(await woken(), 200);
    assert.deepEqual([
      ...await sql`select from account_channel_apps where wakes_before is not null`,
    ], []);

    // When the number is connected again, this is the same.
    await disconnectAccount(sql, account_id);
    await addWaiting(sql, app_id, `${phone_number_id}0`, 1_500);
    await sql`
      update messaging_accounts set
        phone_number_id = ${`${phone_number_id}0`}, disconnected_at = null, encrypted_token = ${company.sealed_token}
      where id = ${account_id}
    `;
    assert.equal(await woken(), 1_200);
    await applied(sql, app_id, 1_200);
    // After the number was connected, these events were tried, and still had no account.
    await sql`
      update channel_events set processed_at = now() + interval '2 minutes'
      where channel_app_id = ${app_id} and next_attempt_at is null
    `;
    assert.equal(await tend(1_000), 0);
  },
);

test(
  "while 300 events of an app are due, the job makes no waiting events of this app due, but those of other apps",
  async (sql, app_key) => {
    const [{ id: app_id }] = await sql`select id from channel_apps where app_key = ${app_key}`;
    const { id: other_id } = await addChannelApp(sql);
    await sql`alter table account_channel_apps disable trigger account_channel_apps_wake_events`;
    for (const channel_app_id of [app_id, app_id, other_id]) {
      const { id, account_id, phone_number_id } = await makeCompany(sql);
      await addWaiting(sql, channel_app_id, phone_number_id, 500);
      await sql`
        insert into account_channel_apps (company_id, account_id, channel_app_id, wakes_before)
        values (${id}, ${account_id}, ${channel_app_id}, now() - interval '20 minutes')
      `;
    }
    const dueOf = async (id: string) => {
      const [{ count }] = await sql`
        select count(*)::int from channel_events where channel_app_id = ${id} and next_attempt_at <= now()
      `;
      return count;
    };
    const found = [];
    for (let run = 0; run < 5; run++) {
      const [{ tended }] = await sql`select tend_channel(1000) as tended`;
      assert.deepEqual(tended.failures, []);
      found.push([await dueOf(app_id), await dueOf(other_id)]);
    }
    assert.deepEqual(found, [[200, 100], [300, 200], [300, 300], [300, 300], [300, 300]]);
    await applied(sql, app_id, 120);
    await sql`select tend_channel(1000)`;
    assert.deepEqual([await dueOf(app_id), await dueOf(other_id)], [300, 300]);
    const [{ count: open }] = await sql`
      select count(*)::int from account_channel_apps where channel_app_id = any (${[
      app_id,
      other_id,
    ]})
        and wakes_before is not null
    `;
    assert.equal(open, 3);
  },
);

test(
  "if many events wait for one number, the job also makes the events of other numbers due",
  async (sql, app_key) => {
    const [{ id: app_id }] = await sql`select id from channel_apps where app_key = ${app_key}`;
    await sql`alter table account_channel_apps disable trigger account_channel_apps_wake_events`;
    const numbers = [];
    for (const count of [100, 5, 100]) {
      const { id, account_id, phone_number_id } = await makeCompany(sql);
      await addWaiting(sql, app_id, phone_number_id, count);
      await sql`
        insert into account_channel_apps (company_id, account_id, channel_app_id)
        values (${id}, ${account_id}, ${app_id})
      `;
      numbers.push(phone_number_id);
    }
    const [{ tended }] = await sql`select tend_channel(30) as tended`;
    assert.equal(tended.woken, 25);
    const counts = await sql`
      select count(*)::int from channel_events where channel_app_id = ${app_id} and next_attempt_at <= now()
      group by waits_for order by 1
    `;
    assert.deepEqual(counts.map(({ count }) => count), [5, 10, 10]);
  },
);

test(
  "the operator can replay one event, or an app's events by state or by time",
  async (sql, app_key) => {
    const states = ["done", "unroutable", "failed", "dead"];
    const ids: Record<string, string> = {};
    for (const state of states) {
      ids[state] = await stored(sql, app_key, `replayed ${state}`);
      await sql`
        update channel_events set state = ${state}, attempts = 10, error = 'Some reason', next_attempt_at = null
        where id = ${ids[state]}
      `;
    }
    const other = await addChannelApp(sql);
    await stored(sql, other.app_key, "of another app");
    await sql`update channel_events set next_attempt_at = null, state = 'dead' where channel_app_id = ${other.id}`;
    await actAs(sql, "service_role");
    const replay = async (sql: Sql, given: Record<string, unknown>) => {
      const { states = null, since = null, event_id = null, app = app_key } = given;
      const [{ replayed }] = await sql`
        select replay_channel_events(
          states => ${states as string[]}, since => ${since as Date}, app_key => ${app as string},
          event_id => ${event_id as string}
        ) as replayed
      `;
      return replayed.marked;
    };
    /**
     * Returns how many events a replay makes due. The replay is rolled back, so each call starts
     * with the same rows.
     */
    const marked = async (given: Record<string, unknown>) => {
      let count = 0;
      await sql.savepoint(async (sql) => {
        count = await replay(sql, given);
        throw new Error("undone");
      }).catch((error) => assert.equal(error.message, "undone"));
      return count;
    };
    assert.equal(await marked({}), 3);
    assert.equal(await marked({ states: ["done"] }), 1);
    assert.equal(await marked({ states: ["dead", "failed"] }), 2);
    assert.equal(await marked({ since: new Date(Date.now() + 60_000) }), 0);
    assert.equal(await marked({ since: new Date(Date.now() - 60_000) }), 3);
    assert.equal(await marked({ event_id: ids.done }), 1);
    assert.equal(await marked({ app: "no-such-app-anywhere" }), 0);
    assert.equal(await replay(sql, {}), 3);
    assert.equal(await replay(sql, {}), 0, "the events are already due");
    const { state, attempts, error, next_attempt_at } = await eventRow(sql, ids.dead);
    assert.deepEqual([state, attempts, error, !!next_attempt_at], ["stored", 0, null, true]);
    assert.equal((await eventRow(sql, ids.done)).state, "done");
    await actAsSuperuser(sql);
  },
);

Deno.test("the job works on the events of all companies", async (t) => {
  // In the tests' shared database, the job would lock rows of other tests.
  await withOwnServer(async (open) => {
    const admin = open("supabase_admin");
    for (const [name, work] of ofAllCompanies) {
      await t.step(
        name,
        () => rolledBack(async (sql) => await work(sql, (await addChannelApp(sql)).app_key), admin),
      );
    }
    await t.step("two simultaneous runs receive different events", async () => {
      const other = open("supabase_admin");
      const { app_key } = await admin.begin(addChannelApp);
      const id = await admin.begin((sql) => stored(sql, app_key, "shared"));
      await rolledBack(async (sql) => {
        assert.deepEqual((await due(sql)).map(({ event_id }) => event_id), [id]);
        await rolledBack(async (sql) => assert.deepEqual(await due(sql), []), other);
      }, admin);
      await admin`delete from channel_apps where app_key = ${app_key}`;
    });
    await t.step(
      "a job that waits for a locked message does not lock an event that an erasure needs",
      async () => {
        const { message_id, event_id } = await admin.begin(waitingForMessage);
        const job = open("supabase_admin");
        const [{ pid }] = await job`select pg_backend_pid() as pid`;
        let tending: Promise<postgres.Row[]> | undefined;
        await admin.begin(async (sql) => {
          await sql`select from messages where id = ${message_id} for update`;
          tending = job`select tend_channel() as tended`.then((rows) => rows);
          for (let waits = false; !waits;) {
            [{ waits }] = await sql`select pg_blocking_pids(${pid}) <> '{}' as waits`;
          }
          await sql`select from channel_events where id = ${event_id} for update nowait`;
        });
        assert.equal((await tending!)[0].tended.woken, 1);
      },
    );
  });
});

/** Adds an event that waits for an account, and a report that waits for a message. */
async function waitingForMessage(sql: Sql): Promise<{ message_id: string; event_id: string }> {
  const company = await makeCompany(sql);
  const app = await addChannelApp(sql);
  await sql`
    insert into account_channel_apps (company_id, account_id, channel_app_id)
    values (${company.id}, ${company.account_id}, ${app.id})
  `;
  const event_id = await stored(sql, app.app_key, "waits for an account");
  await sql`
    update channel_events set state = 'unroutable', next_attempt_at = null, processed_at = now(),
      waits_for = array[${company.phone_number_id}]
    where id = ${event_id}
  `;
  const whatsapp_message_id = `wamid.${crypto.randomUUID()}`;
  const message_id = await addMessage(sql, company, {
    direction: "outbound",
    outcome: "accepted",
    whatsapp_message_id,
  });
  const item = { kind: "status", id: whatsapp_message_id, status: "delivered", at: new Date() };
  await sql`
    insert into waiting_facts (company_id, account_id, whatsapp_message_id, item)
    values (${company.id}, ${company.account_id}, ${whatsapp_message_id}, ${
    sql.json(item as never)
  })
  `;
  return { message_id, event_id };
}
