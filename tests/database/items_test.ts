// Tests how the database finds the account of each item in an event, and what happens to the other
// items when one item fails. Here, test functions replace the database functions that apply items.
import assert from "node:assert/strict";
import type postgres from "postgres";
import { actAs, actAsSuperuser, rolledBack, type Sql } from "../support/acting_as.ts";
import { addChannelApp, type ChannelApp, nameChannelApp } from "../support/channel_apps.ts";
import { connectAccount, disconnectAccount, newCompany } from "../support/company.ts";
import {
  addStandIns,
  type AnyItem,
  appliedItems,
  eventRow,
  receive,
  startAttempt,
} from "./events.ts";

const BUSINESS = "91000000000777";

/**
 * Runs the work in a transaction with test functions, an app, and a company whose account is linked
 * to that app.
 */
async function withApp(
  work: (
    sql: Sql,
    app: ChannelApp,
    company: Awaited<ReturnType<typeof newCompany>>,
  ) => Promise<void>,
) {
  const company = await newCompany();
  await rolledBack(async (sql) => {
    await addStandIns(sql);
    await work(sql, await nameChannelApp(sql, company.account_id), company);
  });
}

const message = (phone_number_id: string | null, more: AnyItem = {}): AnyItem => ({
  ...{ kind: "message", waba: null, phone_number_id, at: null, id: "wamid.M" },
  ...more,
});
const ids = (applied: { item: AnyItem }[]) => applied.map(({ item }) => item.id);

Deno.test("each item of an event is applied to its account, and statuses are applied first", async () => {
  await withApp(async (sql, app, { account_id, phone_number_id: number }) => {
    await sql`update messaging_accounts set business_account_id = ${BUSINESS} where id = ${account_id}`;
    const received = await receive(sql, app, [
      message(number, { id: "a" }),
      message(number, { kind: "status", id: "s2" }),
      message(null, { kind: "template", waba: BUSINESS, id: "t" }),
      message(number, { kind: "preference", id: "p" }),
      message(number, { kind: "status", id: "s1" }),
      ...["reaction", "edit", "revoke", "system", "identity", "trouble"].map((kind) =>
        message(number, { kind, id: kind })
      ),
      message(null, { kind: "account", waba: BUSINESS, id: "account" }),
    ]);
    const { event_id, ...rest } = received;
    assert.deepEqual(rest, {
      result: "stored",
      state: "done",
      attempts: 0,
      failed: 0,
      delayed: 0,
      unroutable: 0,
      surprises: [],
    });
    const applied = await appliedItems(sql);
    assert.deepEqual(ids(applied), [
      ...["s1", "s2", "a", "t", "p", "reaction", "edit", "revoke", "system", "identity", "trouble"],
      "account",
    ]);
    for (const { account_ids } of applied) assert.deepEqual(account_ids, [account_id]);
    const { state, error, next_attempt_at, processed_at } = await eventRow(sql, event_id);
    assert.deepEqual([state, error, next_attempt_at, !!processed_at], ["done", null, null, true]);
  });
});

Deno.test("an item that fails does not stop the other items, and the event is retried until all items are applied", async () => {
  await withApp(async (sql, app, { phone_number_id: number }) => {
    const items = [
      message(number, { kind: "status", id: "s1" }),
      message(number, { kind: "status", id: "s2", fails: "poison" }),
      message(number, { id: "a" }),
      message(number, { id: "b", fails: "more poison", sqlstate: "22P02" }),
      message(number, { id: "c" }),
    ];
    const body = "failing items among valid ones";
    const { event_id, state, failed, attempts } = await receive(sql, app, items, { body });
    assert.deepEqual([state, failed, attempts], ["failed", 2, 1]);
    assert.deepEqual(ids(await appliedItems(sql)), ["s1", "a", "c"]);
    const row = await eventRow(sql, event_id);
    assert.equal(row.error, "Item 2 (status): P0001 poison");
    assert.equal(+row.next_attempt_at! - +row.processed_at!, 2 * 60_000);
    // The channel sends the event again.
    const repeated = await receive(sql, app, items.map(({ fails: _, ...item }) => item), { body });
    assert.deepEqual(
      [repeated.result, repeated.event_id, repeated.state],
      ["repeated", event_id, "done"],
    );
    assert.deepEqual(ids(await appliedItems(sql)), [..."s1 a c s1 s2 a b c".split(" ")]);
    const done = await eventRow(sql, event_id);
    assert.deepEqual([done.error, done.next_attempt_at], [null, null]);
    // A finished event is not applied again.
    assert.deepEqual(await receive(sql, app, items, { body }), {
      result: "repeated",
      state: "done",
    });
    assert.equal((await appliedItems(sql)).length, 8);
  });
});

Deno.test("an event that keeps failing is tried ten times within a day, and is then marked as dead", async () => {
  await withApp(async (sql, app, { phone_number_id: number }) => {
    const items = [message(number, { fails: "poison" })];
    const { event_id } = await receive(sql, app, items);
    const pauses = [];
    for (let attempt = 2; attempt <= 10; attempt++) {
      const { next_attempt_at, processed_at, state } = await eventRow(sql, event_id);
      assert.equal(state, "failed");
      pauses.push((+next_attempt_at! - +processed_at!) / 60_000);
      await startAttempt(sql, event_id);
      const [{ applied }] = await sql`
        select apply_channel_event(${event_id}, ${sql.json(items as postgres.JSONValue)}) as applied
      `;
      assert.equal(applied.attempts, attempt);
    }
    assert.deepEqual(pauses, [2, 4, 8, 16, 32, 64, 128, 256, 512]);
    const { state, next_attempt_at, error } = await eventRow(sql, event_id);
    assert.deepEqual(
      [state, next_attempt_at, error],
      ["dead", null, "Item 1 (message): P0001 poison"],
    );
  });
});

Deno.test("a malformed item does not stop other items", async () => {
  await withApp(async (sql, app, { phone_number_id: number }) => {
    const odd = [
      ...[null, 1, "text", [], {}, { kind: 1 }, { kind: "__proto__", phone_number_id: number }],
      message(number, { at: "no time" }),
      message(number, { kind: "status", mark: { send_id: "no id", attempt: "x" } }),
      message(number, { kind: "status", id: { a: 1 }, mark: [1] }),
      message(number, { id: "good" }),
    ];
    const { state, failed, unroutable } = await receive(sql, app, odd);
    assert.equal(state, "failed");
    // An item without the phone number of an account belongs to no company.
    assert.deepEqual([failed, unroutable], [2, 6]);
    assert.ok(ids(await appliedItems(sql)).includes("good"));
    for (const items of [null, 1, {}, "text"]) {
      const { state, failed } = await receive(sql, app, items);
      assert.deepEqual([state, failed], ["failed", 1], JSON.stringify(items));
    }
    assert.equal((await receive(sql, app, [])).state, "done");
  });
});

Deno.test("an app's event waits if the account is not linked to the app", async () => {
  await withApp(async (sql, app, { account_id, phone_number_id: number }) => {
    await sql`update messaging_accounts set business_account_id = ${BUSINESS} where id = ${account_id}`;
    const other = await addChannelApp(sql);
    const items = [
      message(number, { waba: BUSINESS }),
      message(number, { kind: "status" }),
      message(null, { kind: "template", waba: BUSINESS }),
    ];
    const { event_id, state, unroutable } = await receive(sql, other, items);
    assert.deepEqual([state, unroutable], ["unroutable", 3]);
    assert.deepEqual(await appliedItems(sql), []);
    const row = await eventRow(sql, event_id);
    assert.deepEqual(row.waits_for, [number, BUSINESS].toSorted());
    assert.deepEqual(row.next_attempt_at, null);
    assert.equal(
      row.error,
      `No account that names this app has the business account ${BUSINESS}; ` +
        `No account that names this app has the number ${number}`,
    );
    assert.equal((await receive(sql, app, items)).state, "done");
    await sql`update messaging_accounts set channel_app_id = ${other.id} where id = ${account_id}`;
    // The account is now linked to the other app, but events of its earlier app are still applied.
    for (const either of [app, other]) {
      assert.equal((await receive(sql, either, items)).state, "done");
    }
  });
});

Deno.test("an event that waits for an account becomes due when the account is linked to the app or is connected", async () => {
  const isDue = async (sql: Sql, id: string) => (await eventRow(sql, id)).next_attempt_at !== null;
  await withApp(async (sql, app, company) => {
    const other = await addChannelApp(sql);
    const { event_id } = await receive(sql, other, [message(company.phone_number_id)]);
    const unknown = await receive(sql, other, [{ kind: "unknown", field: "calls" }]);
    const elsewhere = await receive(sql, other, [message("7099")]);
    assert.equal(await isDue(sql, event_id), false);
    await sql`update messaging_accounts set channel_app_id = ${other.id} where id = ${company.account_id}`;
    assert.equal(await isDue(sql, event_id), true);
    assert.equal(await isDue(sql, unknown.event_id), false);
    assert.equal(await isDue(sql, elsewhere.event_id), false);

    // The number is connected for the first time, and its account is then linked to the app.
    const waiting = await receive(sql, app, [message("70880001")]);
    const { id } = await connectAccount(sql, company.id, { phone_number_id: "70880001" });
    assert.equal(await isDue(sql, waiting.event_id), false);
    await sql`update messaging_accounts set channel_app_id = ${app.id} where id = ${id}`;
    assert.equal(await isDue(sql, waiting.event_id), true);

    // The account is disconnected and connected again.
    await disconnectAccount(sql, id);
    const late = await receive(sql, app, [message("70880001")]);
    assert.equal(late.state, "unroutable");
    await sql`
      update messaging_accounts set disconnected_at = null, encrypted_token = ${company.sealed_token} where id = ${id}
    `;
    assert.equal(await isDue(sql, late.event_id), true);
  });
});

Deno.test("the first message event of an account sets the account's business account, and template events that wait for the business account become due", async () => {
  await withApp(async (sql, app, { account_id, phone_number_id: number }) => {
    const businessOf = async () =>
      (await sql`select business_account_id from messaging_accounts where id = ${account_id}`)[0]
        .business_account_id;
    const hint = message(null, { kind: "template", waba: BUSINESS });
    const waiting = await receive(sql, app, [hint]);
    assert.equal(waiting.state, "unroutable");
    // An event from an app to which the account is not linked does not set the business account.
    const other = await addChannelApp(sql);
    await receive(sql, other, [message(number, { waba: BUSINESS })]);
    assert.equal(await businessOf(), null);
    await receive(sql, app, [message(number, { waba: BUSINESS }), hint]);
    assert.equal(await businessOf(), BUSINESS);
    assert.ok((await eventRow(sql, waiting.event_id)).next_attempt_at);
    assert.equal((await appliedItems(sql)).length, 2);
    // An account that already has a business account keeps that business account.
    await receive(sql, app, [message(number, { waba: "92000000000001" })]);
    assert.equal(await businessOf(), BUSINESS);
  });
});

Deno.test("an event from a company's own app does not set the account's business account, because the company can forge the event", async () => {
  await withApp(async (sql, app, { id, account_id, phone_number_id: number }) => {
    await sql`update channel_apps set owner_company_id = ${id} where id = ${app.id}`;
    assert.equal((await receive(sql, app, [message(number, { waba: BUSINESS })])).state, "done");
    const [account] = await sql`
      select business_account_id from messaging_accounts where id = ${account_id}
    `;
    assert.equal(account.business_account_id, null);
  });
});

Deno.test("an event with an unknown field is stored as unroutable, together with the field's name", async () => {
  await withApp(async (sql, app) => {
    const { event_id, state } = await receive(sql, app, [{ kind: "unknown", field: "calls" }]);
    assert.equal(state, "unroutable");
    const { error, waits_for } = await eventRow(sql, event_id);
    assert.deepEqual([error, waits_for], ['The field "calls" is not known', []]);
  });
});

Deno.test("an event that cannot be read is marked as dead, with the reason", async () => {
  await withApp(async (sql, app, { phone_number_id: number }) => {
    const problem = "The body is not JSON";
    const { event_id, state } = await receive(sql, app, [], { problem });
    assert.equal(state, "dead");
    const { error, next_attempt_at } = await eventRow(sql, event_id);
    assert.deepEqual([error, next_attempt_at], [problem, null]);
    // The readable part of the event is still applied.
    assert.equal((await receive(sql, app, [message(number)], { problem })).state, "dead");
    assert.equal((await appliedItems(sql)).length, 1);
  });
});

Deno.test("a message belongs to the company that had the number when the message was written", async () => {
  const [one, other] = [await newCompany(), await newCompany()];
  await rolledBack(async (sql) => {
    await addStandIns(sql);
    const app = await nameChannelApp(sql, one.account_id);
    const number = one.phone_number_id;
    const day = (n: number) => new Date(Date.UTC(2026, 9, n)).toISOString();
    await sql`
      update account_connections set connected_at = ${day(1)} where account_id = ${one.account_id}
    `;
    await disconnectAccount(sql, one.account_id);
    await sql`
      update account_connections set disconnected_at = ${day(10)}
      where account_id = ${one.account_id}
    `;
    const { id: others } = await connectAccount(sql, other.id, { phone_number_id: number });
    await sql`update messaging_accounts set channel_app_id = ${app.id} where id = ${others}`;
    await sql`
      update account_connections set connected_at = ${day(12)} where account_id = ${others}
    `;
    await receive(
      sql,
      app,
      [day(5), day(11), day(13), null, "2099-01-01T00:00:00Z"].map((at) => message(number, { at })),
    );
    const owners = (await appliedItems(sql)).map(({ account_ids: [id] }) => id);
    // Between the two connections, no company had the number. Messages from that time go to the
    // company that has the number now.
    assert.deepEqual(owners, [one.account_id, others, others, others, others]);

    // A status belongs to the company that sent the message, so all companies are checked.
    await receive(sql, app, [message(number, { kind: "status", at: day(5) })]);
    const { account_ids } = (await appliedItems(sql)).at(-1)!;
    assert.deepEqual(account_ids.toSorted(), [one.account_id, others].toSorted());

    // If only the company that has the number now is linked to an app, that company receives no
    // earlier messages from the app.
    const own = await addChannelApp(sql);
    await sql`update messaging_accounts set channel_app_id = ${own.id} where id = ${others}`;
    const { state } = await receive(sql, own, [message(number, { at: day(5) })]);
    assert.equal(state, "unroutable");
    assert.equal((await receive(sql, own, [message(number, { at: day(13) })])).state, "done");
  });
});

Deno.test("an account that takes over a number receives only messages that were written after the takeover", async () => {
  const [one, other] = [await newCompany(), await newCompany()];
  await rolledBack(async (sql) => {
    await addStandIns(sql);
    const app = await nameChannelApp(sql, one.account_id);
    const number = one.phone_number_id;
    const ago = (days: number) => new Date(Date.now() - days * 86_400_000);
    await sql`
      update account_connections set connected_at = ${ago(10)} where account_id = ${one.account_id}
    `;
    await sql`
      update account_connections set connected_at = ${ago(9)} where account_id = ${other.account_id}
    `;
    await disconnectAccount(sql, one.account_id);
    await sql`
      update messaging_accounts set phone_number_id = ${number}, channel_app_id = ${app.id}
      where id = ${other.account_id}
    `;
    await receive(sql, app, [message(number, { at: ago(5).toISOString() }), message(number)]);
    const owners = (await appliedItems(sql)).map(({ account_ids: [id] }) => id);
    assert.deepEqual(owners, [one.account_id, other.account_id]);
  });
});

Deno.test("an event about a business account concerns only the companies that had a connected number of that business account at the time of the event", async () => {
  const [one, other] = [await newCompany(), await newCompany()];
  await rolledBack(async (sql) => {
    await addStandIns(sql);
    const app = await nameChannelApp(sql, one.account_id);
    const ago = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
    const owners = async (account_ids: string[], at: string | null) => {
      for (const kind of ["template", "account"]) {
        const { state } = await receive(sql, app, [message(null, { kind, waba: BUSINESS, at })]);
        assert.equal(state, account_ids.length > 0 ? "done" : "unroutable");
        if (account_ids.length === 0) continue;
        const applied = (await appliedItems(sql)).at(-1)!;
        assert.deepEqual(applied.account_ids.toSorted(), account_ids.toSorted(), `${kind} ${at}`);
      }
    };
    await sql`update messaging_accounts set business_account_id = ${BUSINESS} where id = ${one.account_id}`;
    await sql`
      update account_connections set connected_at = ${ago(10)} where account_id = ${one.account_id}
    `;
    await owners([one.account_id], null);
    await disconnectAccount(sql, one.account_id);
    await sql`
      update account_connections set disconnected_at = ${
      ago(6)
    } where account_id = ${one.account_id}
    `;
    await owners([one.account_id], ago(8));
    await owners([], ago(5));
    await owners([], null);

    const { id: others } = await connectAccount(sql, other.id, {
      phone_number_id: one.phone_number_id,
      business_account_id: BUSINESS,
    });
    await sql`update messaging_accounts set channel_app_id = ${app.id} where id = ${others}`;
    await sql`update account_connections set connected_at = ${ago(4)} where account_id = ${others}`;
    await owners([others], null);
    await owners([others], ago(2));
    await owners([one.account_id], ago(8));
    // No company had a connected number at that time, so the event concerns the company that has a
    // connected number now.
    await owners([others], ago(5));

    // Several companies may have numbers of one business account at the same time.
    const { id: second } = await connectAccount(sql, one.id, { business_account_id: BUSINESS });
    await sql`update messaging_accounts set channel_app_id = ${app.id} where id = ${second}`;
    await owners([others, second], null);
    await owners([others], ago(2));
  });
});

Deno.test("a message that was sent twice is reported and noted on the event", async () => {
  await withApp(async (sql, app, { phone_number_id: number }) => {
    const send_id = crypto.randomUUID();
    const item = message(number, {
      ...{ kind: "status", result: "double_send", id: "wamid.2" },
      mark: { send_id, attempt: 1 },
    });
    const body = "a double send";
    const { event_id, state, surprises } = await receive(sql, app, [item], { body });
    assert.deepEqual([state, surprises], [
      "done",
      [{ kind: "double_send", send_id, whatsapp_message_id: "wamid.2" }],
    ]);
    const note = `Double send: send ${send_id} also went out as wamid.2`;
    assert.deepEqual((await eventRow(sql, event_id)).notes, [note]);
    // When the event is applied again, the double send is not reported again, but the event keeps
    // the note.
    await sql`select replay_channel_events(event_id => ${event_id}, began_at => 'infinity')`;
    const { result: _, ...known } = item;
    assert.deepEqual((await receive(sql, app, [known], { body })).surprises, []);
    assert.deepEqual((await eventRow(sql, event_id)).notes, [note]);
  });
});

Deno.test("items are left for the job, and do not count as failures, if a row is locked or the time limit has passed", async () => {
  await withApp(async (sql, app, { phone_number_id: number }) => {
    const locked = message(number, { id: "locked", fails: "held", sqlstate: "55P03" });
    const items = [message(number, { id: "a" }), locked, message(number, { id: "b" })];
    const { event_id, state, delayed, attempts } = await receive(sql, app, items);
    assert.deepEqual([state, delayed, attempts], ["stored", 1, 0]);
    assert.deepEqual(ids(await appliedItems(sql)), ["a", "b"]);
    const row = await eventRow(sql, event_id);
    assert.equal(+row.next_attempt_at!, +row.processed_at!);
    assert.match(row.error!, /^1 of its items are not applied yet/);
    await startAttempt(sql, event_id);
    const apply = async (items: AnyItem[]) =>
      (await sql`
        select apply_channel_event(${event_id}, ${sql.json(items as postgres.JSONValue)}) as applied
      `)[0].applied;
    const again = await apply(items);
    assert.deepEqual([again.state, again.attempts], ["stored", 1]);
    assert.ok((await eventRow(sql, event_id)).next_attempt_at! > row.next_attempt_at!);
    const { fails: _, ...free } = locked;
    assert.equal((await apply([free])).state, "done");
    // The time limit has already passed.
    const [{ outcome }] = await sql`
      select app.apply_items(${app.id}, '{}', ${sql.json(items as postgres.JSONValue)},
        now() - interval '1 s') as outcome
    `;
    assert.deepEqual([outcome.delayed, outcome.failed], [3, 0]);
  });
});

Deno.test("only the webhook's role can receive and apply events", async () => {
  await withApp(async (sql, app, { phone_number_id: number }) => {
    await actAs(sql, "channel_client");
    assert.equal((await receive(sql, app, [message(number)])).state, "done");
    assert.equal(await receive(sql, { app_key: "no-such-app-anywhere" }, []), null);
    await actAsSuperuser(sql);
    const callers = await sql`
      select rolname from pg_roles
      where has_function_privilege(rolname, 'public.receive_channel_event(text,text,jsonb,text)', 'execute')
        and rolname in ('anon', 'authenticated', 'api_client', 'api_reader', 'channel_client', 'service_role')
    `;
    assert.deepEqual(callers.map(({ rolname }) => rolname), ["channel_client"]);
  });
});
